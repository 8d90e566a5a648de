"""What a check of a run's signed export finds."""

from typing import Any

import pytest

from shapley_coop.state.table import Table


def wrong_in_export(table: Table, graph: str) -> list[str]:
    """What a check of the run's signed export finds wrong."""
    found = checked_export(table, graph, private=True)
    return [f"{one.what}: {one.found}" for one in found if not one.sound]


def checked_export(table: Table, graph: str, **more: bool) -> list[Any]:
    """What a check of the run's signed export finds; a test of it is skipped without `proof`."""
    statement = pytest.importorskip("shapley_coop.extensions.proof.statement")
    checking = pytest.importorskip("shapley_coop.extensions.proof.checking")
    keys = pytest.importorskip("shapley_coop.extensions.proof.keys")
    envelope = pytest.importorskip("shapley_coop.extensions.proof.envelope")
    signer = keys.PrivateKey.new("ES256")
    told = statement.statement_of(table, graph, "2026-11-22T12:00:00+00:00", **more)
    content = envelope.as_bytes(statement.envelope_signed(told, [signer]))
    found: list[Any] = checking.check(content, {checking.OPERATOR: signer.public})
    return found

"""A play whose parties have keys, its export, and the same export with something changed."""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shapley_coop.extensions.proof.envelope import as_bytes, read_envelope
from shapley_coop.extensions.proof.home_keys import key_of, new_key
from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.extensions.proof.signed_settings import signed_run
from shapley_coop.extensions.proof.statement import envelope_signed, statement_of
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import HOME_VARIABLE, home
from shapley_coop.state.table import Table

GIFT = {
    "name": "Gifts of Zoë",
    "agents": ["Zoë", "Çağrı"],
    "actions": {"Zoë": ["gib", "keep"], "Çağrı": ["gib", "keep"]},
    "payoffs": [
        {"play": ["gib", "gib"], "pays": [3, 3]},
        {"play": ["gib", "keep"], "pays": [0, 4]},
        {"play": ["keep", "gib"], "pays": [4, 0]},
        {"play": ["keep", "keep"], "pays": [1, 1]},
    ],
}
"""A dilemma of two whose names are not ASCII."""


class Play(NamedTuple):
    """A play with signatures.

    Attributes:
        table: its last state.
        signers: name → private key; the operator's among them.
    """

    table: Table
    signers: Mapping[str, PrivateKey]

    @property
    def keys(self) -> dict[str, PublicKey]:
        """What a checker knows."""
        return {name: key.public for name, key in self.signers.items()}

    @property
    def settings(self) -> str:
        """The digest of the settings, which each signature names."""
        return signed_run(self.table).settings

    def statement(self, **shown: bool) -> dict[str, Any]:
        """What the export states."""
        return statement_of(self.table, "shapley_coop", "2026-11-22T12:00:00+00:00", **shown)

    def signed(self, statement: Mapping[str, Any]) -> bytes:
        """An export of a statement, signed by the operator."""
        return as_bytes(envelope_signed(statement, [self.signers[OPERATOR]]))

    def altered(self, change: Callable[[dict[str, Any]], object]) -> bytes:
        """An export in which the operator itself changed something, and signed that."""
        statement = deepcopy(self.statement())
        change(statement["predicate"])
        return self.signed(statement)


async def signed_play(
    folder: Path, patch: pytest.MonkeyPatch, game: Any = "escape_room", **more: Any
) -> Play:
    """Play in a home of its own, where both agents and the operator have keys."""
    patch.setenv(HOME_VARIABLE, str(folder))
    agents = GIFT["agents"] if game is GIFT else ["Alice", "Bob"]
    names = dict(zip(agents, ("first", "second"), strict=True))
    for name, algorithm in (("first", "Ed25519"), ("second", "ES256"), (OPERATOR, "Ed25519")):
        if not (folder / "keys" / f"{name}.pem").exists():
            new_key(name, algorithm)  # type: ignore[arg-type]
    given = {"game": game, "seed": 3, "keys": names, "require_signed": True, **more}
    outcome = await play("shapley_coop", RunConfig.model_validate(given))
    table = await table_of(home().runs.get(outcome["run"]))
    signers = {agent: key_of(name) for agent, name in names.items()}
    return Play(table, {**signers, OPERATOR: key_of(OPERATOR)})


def payload_of(export: bytes) -> Any:
    """The statement in an export."""
    return read_envelope(export).content


def reencoded(export: bytes, **changes: Any) -> bytes:
    """The envelope written by another program: the same content in other bytes."""
    record = json.loads(export)
    return json.dumps({**record, **changes}).encode()

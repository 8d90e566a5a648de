"""The short forms of the proofs against hostile outputs, rows, counterparts and endpoints."""

import asyncio
from pathlib import Path

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.proofs import (
    proof_checkpoints,
    proof_endings,
    proof_endpoint,
    proof_outputs,
    proof_reservation,
    proof_secrets,
    proof_wire,
)
from tests.proofs.canaries import Planter, in_files
from tests.proofs.every_fault import every_fault
from tests.proofs.forged_rows import rows
from tests.proofs.hostile import at_home
from tests.proofs.proof import Proof
from tests.stub_openai import StubOpenAI

PROOFS: dict[str, Proof] = {
    **proof_outputs.PROOFS,
    **proof_checkpoints.PROOFS,
    **proof_wire.PROOFS,
    **proof_reservation.PROOFS,
    **proof_secrets.PROOFS,
    **proof_endings.PROOFS,
    **proof_endpoint.PROOFS,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROOFS)
def test_the_promise_holds(name: str, tmp_path: Path) -> None:
    proof = PROOFS[name]
    finding = proof.attempt(tmp_path, proof.short)
    assert finding.held, finding.figure


def test_there_are_as_many_kinds_as_promised() -> None:
    assert len({name for name, _ in rows()}) == 50
    assert len(every_fault("key")) == 40


@pytest.mark.slow
def test_a_chat_model_that_is_configured_is_attacked_and_its_rate_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with StubOpenAI(lambda messages, request: "<ACCEPT>") as stub:
        monkeypatch.setenv(proof_reservation.MODEL, "openai:gullible")
        monkeypatch.setenv(proof_reservation.BASE_URL, stub.base_url)
        finding = proof_reservation.attempt(tmp_path, 2)
    assert stub.calls
    assert "chat model 2 of 2" in finding.figure
    assert finding.held, finding.figure


def test_a_canary_in_a_file_would_be_found(tmp_path: Path) -> None:
    planter = Planter(("Alice", "Bob"))
    with at_home(tmp_path) as home:
        planter.secrets(home / "secrets" / "nest.yaml")
        asyncio.run(play("llm_only", RunConfig(secrets="nest")))
        canary = planter.planted[0].word
        assert in_files(home, planter) == []
        (home / "stray.log").write_bytes(b"\0" + canary.upper().encode())
        assert in_files(home, planter) == [f"{canary} in stray.log"]

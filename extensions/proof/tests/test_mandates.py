"""What a principal allows its agent binds the agent, whatever it says, and can be shown later."""

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shapley_coop.extensions.proof.envelope import Envelope, as_bytes
from shapley_coop.extensions.proof.kept_mandates import keep_mandate, mandate_of
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.mandate import read_mandate, sign_mandate
from shapley_coop.extensions.proof.settings import settings_in
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import open_workflow, table_of
from shapley_coop.state.home_files.kept import keep_pack, keep_persona, pack_of, persona_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import acting_for
from shapley_coop.state.table import Table
from tests.brought import brought_by
from tests.scripted import Script

CAROL = PrivateKey.new()
BOB_PAYS = (
    '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Alice", "action": "lever"}, '
    '{"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": "5.5"}]}</PROPOSAL>'
)
BOB_PULLS = '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}</PROPOSAL>'


def given(**limits: Any) -> dict[str, str]:
    """A mandate for Bob, as its file holds it."""
    signed = sign_mandate(CAROL, agent="Bob", **limits)
    return {"Bob": as_bytes(signed.envelope).decode()}


async def played(**config: Any) -> Table:
    settings = {"game": "escape_room", "rounds": 1, **config}
    outcome = await play("negotiation_priced", RunConfig.model_validate(settings))
    return await table_of(home().runs.get(outcome["run"]))


def label_of(table: Table, agent: str) -> str:
    return next((s.get("label", "") for s in table["talk"] if s["by"] == agent), "")


@pytest.mark.parametrize(
    ("limits", "signs"),
    [
        ({"never": ("jump",)}, True),
        ({"max_pay": "5.5"}, True),
        ({"max_pay": "5.4"}, False),
        ({"min_end": "4.5"}, True),
        ({"min_end": "4.6"}, False),
        ({"never": ("door",)}, True),
        ({"expires": "2999-01-01T00:00:00Z"}, True),
    ],
    ids=str,
)
async def test_an_agent_signs_within_its_mandate_alone(
    script: Script, limits: dict[str, Any], signs: bool
) -> None:
    script["Alice", "propose"] = BOB_PAYS
    script["Bob", "answer"] = "<ACCEPT>"
    table = await played(mandates=given(**limits))
    assert (table["contract"] is not None) == signs
    if not signs:
        assert label_of(table, "Bob") in ("MANDATE", "RESERVE")


async def test_one_that_expires_while_all_play_allows_nothing_more(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script["Alice", "propose"] = BOB_PAYS
    script["Bob", "answer"] = "<ACCEPT>"
    later = SimpleNamespace(now=lambda zone: datetime(2999, 1, 2, tzinfo=zone))
    monkeypatch.setattr("shapley_coop.extensions.proof.allowing.datetime", later)
    table = await played(mandates=given(expires="2999-01-01T00:00:00Z"))
    assert table["contract"] is None
    assert label_of(table, "Bob") == "MANDATE"


async def test_one_that_has_expired_is_refused_before_anybody_plays() -> None:
    with pytest.raises(ValueError, match=r"of Bob expired at 2026-01-01 .*: have its principal"):
        await played(mandates=given(expires="2026-01-01T00:00:00Z"))
    assert home().runs.list() == []


def expire(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it be after the mandates' last day."""
    later = SimpleNamespace(now=lambda zone: datetime(2999, 1, 2, tzinfo=zone))
    monkeypatch.setattr("shapley_coop.extensions.proof.kept_mandates.datetime", later)


async def test_a_request_under_its_key_goes_on_after_its_mandate_expired(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"game": "escape_room", "mandates": given(expires="2999-01-01T00:00:00Z")}
    begun = prepare("negotiation_priced", config, idempotency_key="k")
    expire(monkeypatch)
    again = prepare("negotiation_priced", config, idempotency_key="k")
    assert again == begun
    outcome = await follow(again)
    assert prepare("negotiation_priced", config, idempotency_key="k").result == outcome
    assert len(home().runs.list()) == 1
    with pytest.raises(ValueError, match="of Bob expired at 2999"):
        prepare("negotiation_priced", config, idempotency_key="another")


async def test_on_a_thread_too_a_key_goes_on_and_nothing_else_begins(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = {"game": "escape_room", "mandates": given(expires="2999-01-01T00:00:00Z")}

    async def sent(thread: str, key: str) -> Any:
        request: Any = {"room": room, "idempotency_key": key}
        async with open_workflow("negotiation_priced") as app:
            there: Any = {"configurable": {"thread_id": thread}}
            return await app.ainvoke(request, there, context=RunConfig())

    first = await sent("t", "k")
    expire(monkeypatch)
    assert (await sent("t", "k"))["episode"] == first["episode"]
    for thread, key in (("t", ""), ("t", "another"), ("u", "")):
        with pytest.raises(ValueError, match="of Bob expired at 2999"):
            await sent(thread, key)


async def test_one_that_is_given_by_name_begins_nothing_after_it_expired(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await played(mandates=given(expires="2999-01-01T00:00:00Z"))
    named = dict(table["settings"]["extensions"]["proof"]["mandates"])
    assert named["Bob"].startswith("kept:")
    assert (await played(mandates=named))["status"] == table["status"]
    expire(monkeypatch)
    with pytest.raises(ValueError, match="of Bob expired at 2999"):
        await played(mandates=named)
    assert len(home().runs.list()) == 2


async def test_an_agent_neither_promises_nor_takes_what_it_may_never_do(script: Script) -> None:
    script["Alice", "propose"] = BOB_PULLS
    script["Bob", "answer"] = "<ACCEPT>"
    script["Bob", "act"] = "<ACTION>lever</ACTION>"
    table = await played(mandates=given(never=("lever",)))
    assert table["contract"] is None
    assert "Bob" not in table["record"][0]["actions"]
    passes = [e for e in table["record"][0]["effects"] if e["effect"] == "pass"]
    assert [(e["agent"], e["label"]) for e in passes] == [("Bob", "MANDATE")]


async def test_what_has_no_bound_is_beyond_every_limit_on_payments(script: Script) -> None:
    script["Alice", "propose"] = (
        '<PROPOSAL>{"clauses": [{"kind": "share", "fractions": {"Alice": 1, "Bob": 0}}]}</PROPOSAL>'
    )
    script["Bob", "answer"] = "<ACCEPT>"
    settings = {"game": "escape_room", "rounds": 1, "mandates": given(max_pay="100")}
    outcome = await play("shapley_coop", RunConfig.model_validate(settings))
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["contract"] is None
    assert label_of(table, "Bob") == "MANDATE"


async def test_the_limits_are_nowhere_on_the_table_and_in_no_other_letter(
    script: Script,
) -> None:
    import json

    script["Alice", "propose"] = BOB_PAYS
    table = await played(mandates=given(max_pay="123.4567", never=("wait",)))
    assert "123.4567" not in json.dumps(table)
    assert not [letter for letter in script.shown_to("Alice") if "123.4567" in letter]
    assert table["settings"]["extensions"]["proof"]["mandates"]["Bob"].startswith("kept:")


def test_a_mandate_that_is_kept_for_one_owner_is_found_by_no_other() -> None:
    with acting_for("ann"):
        mine = settings_in(RunConfig(mandates=given(max_pay="100")).resolve())  # type: ignore[call-arg]
        assert mandate_of(mine.mandates["Bob"]).mandate.agent == "Bob"
    for other in ("", "bob"):
        with acting_for(other), pytest.raises(ValueError, match="cannot be read as a"):
            mandate_of(mine.mandates["Bob"])


@brought_by("exchange")
def test_a_mandate_is_its_principals_and_one_agents() -> None:
    signed = sign_mandate(CAROL, agent="Bob", max_pay="3")
    forged = signed.envelope.payload.replace(b'"max_pay":"3"', b'"max_pay":"9"')
    with pytest.raises(ValueError, match="not signed by the principal"):
        read_mandate(Envelope(signed.envelope.payload_type, forged, signed.envelope.signatures))
    text = as_bytes(signed.envelope).decode()
    with pytest.raises(ValueError, match="Alice has the mandate of Bob"):
        RunConfig(mandates={"Alice": text}).resolve()
    with pytest.raises(ValueError, match="who does not play"):
        RunConfig(mandates={"Eve": text}).resolve()
    with pytest.raises(ValueError, match="not JSON"):
        RunConfig(mandates={"Bob": "max 3"}).resolve()
    with pytest.raises(ValueError, match="has no offers"):
        RunConfig(game="task_exchange", keys={"Alice": PrivateKey.new().public.pem}).resolve()


@pytest.mark.parametrize(
    ("limits", "told"), [({}, "without a limit"), ({"max_pay": "-3"}, "greater than or equal to 0")]
)
def test_a_mandate_that_limits_nothing_or_makes_no_sense_is_not_signed(
    limits: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        sign_mandate(PrivateKey.new(), agent="Bob", **limits)


def test_what_is_kept_is_what_its_name_hashes(tmp_path: Path) -> None:
    """A mandate by the same principal that allows more must not take the place of the one given."""
    loose = as_bytes(sign_mandate(CAROL, agent="Bob", max_pay="999").envelope).decode()
    name = keep_mandate(given(max_pay="6")["Bob"], "Bob")
    [path] = (home().folder / "mandates").glob("*.txt")
    path.write_text(loose.rstrip("\n"), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{path}: a mandate kept in this home was changed"):
        mandate_of(name)
    persona = keep_persona("A patient buyer.")
    [path] = (home().folder / "personas").glob("*.txt")
    path.write_text("A reckless buyer.", encoding="utf-8")
    with pytest.raises(ValueError, match="a persona kept in this home was changed"):
        persona_of(persona)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "act.md").write_text("Act.", encoding="utf-8")
    pack = keep_pack(str(tmp_path / "pack"))
    [path] = (home().folder / "prompts").glob("*.txt")
    path.write_text('{"act": "Give up."}', encoding="utf-8")
    with pytest.raises(ValueError, match="a pack kept in this home was changed"):
        pack_of(pack)

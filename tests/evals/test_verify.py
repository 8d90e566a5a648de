"""`coop verify`: an honest run is sound, and whatever is changed afterwards is found."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from langgraph.types import Overwrite

from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.seats.records import Entry
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.facts import Fact
from shapley_coop.state.storage.home import home
from tests.books import change_answers, change_facts, change_value, delete_facts, reworded
from tests.brought import brought_by
from tests.coop_command import Coop, valid
from tests.evals.tampering import failed_checks


@pytest.fixture
def ran(coop: Coop) -> dict[str, Any]:
    """A run with a contract, a breach of it, transfers and lines in the ledger."""
    options = ("--seed", "10", "--model", "embedded:random", "--set", "rounds=2", "--name", "r")
    outcome = valid(coop("run", "escape_room", *options, "--json").result)
    assert outcome["contract"]
    assert outcome["transfers"]
    return outcome


async def on_the_table(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change the checkpointed state, after the end."""
    run = home().runs.get("r")
    async with open_workflow(run.graph) as app:
        config = configure(run)
        table = (await app.aget_state(config)).values
        await app.aupdate_state(config, change(table), as_node="settle")


def test_an_honest_run_is_verified(coop: Coop, ran: dict[str, Any]) -> None:
    assert failed_checks(coop) == set()


@brought_by("people")
def test_a_person_whose_reply_was_refused_and_who_then_gave_another_is_verified(
    coop: Coop,
) -> None:
    assert (
        coop("run", "escape_room", "-g", "llm_only", "--agent", "Bob=human", "--name", "r").code
        == 0
    )
    coop("answer", "r", "Bob")
    assert "not taken" in coop("answer", "r", "Bob", "dance").err
    assert coop("answer", "r", "Bob", "<ACTION>lever</ACTION>").code == 0
    assert coop("resume", "r").code == 0
    assert failed_checks(coop) == set()


Lines = list[list[Any]]


@pytest.mark.parametrize(
    "forged",
    [
        lambda lines: [[*which, amount + 1, memo] for *which, amount, memo in lines],
        lambda lines: [["Eve" if x == "Alice" else x for x in line] for line in lines],
        lambda lines: lines[1:],
        lambda lines: [],
    ],
    ids=["amount", "account", "less", "nothing"],
)
def test_a_ledger_that_was_tampered_with_is_detected(
    coop: Coop, ran: dict[str, Any], forged: Callable[[Lines], Lines]
) -> None:
    change_facts("posting", lambda x: replace(x, value={"lines": forged(x.value["lines"])}))
    assert failed_checks(coop) == {"ledger", "seals"}


@pytest.mark.parametrize(
    ("key", "checks"),
    [
        ("payoffs", {"payoffs", "result"}),
        ("transfers", {"transfers", "result"}),
        ("credit", {"contributions and Shapley values", "result"}),
        ("talk", {"result"}),
    ],
)
def test_a_result_that_was_tampered_with_is_detected(
    coop: Coop, ran: dict[str, Any], key: str, checks: set[str]
) -> None:
    change_value("stands", result={**ran, key: type(ran[key])()})
    assert failed_checks(coop) == checks | {"seals"}


def test_a_letter_that_was_tampered_with_is_detected(coop: Coop, ran: dict[str, Any]) -> None:
    change_answers(lambda entry: replace(entry, letter_text="Another letter."), ["propose"])
    assert failed_checks(coop) == {"journal", "seals"}


def another_action(table: dict[str, Any]) -> dict[str, Any]:
    first, *rest = table["record"]
    did = first["actions"]
    swapped = {**did, "Alice": "lever" if did["Alice"] == "door" else "door"}
    return {"record": Overwrite([{**first, "actions": swapped}, *rest])}


def another_reward(table: dict[str, Any]) -> dict[str, Any]:
    first, *rest = table["record"]
    return {"record": Overwrite([{**first, "rewards": {"Alice": 99, "Bob": 99}}, *rest])}


def another_clause(table: dict[str, Any]) -> dict[str, Any]:
    contract = table["contract"]
    first, *rest = contract["terms"]
    clause = {**first["clause"], "action": "lever"}
    return {"contract": {**contract, "terms": [{**first, "clause": clause}, *rest]}}


def another_text(table: dict[str, Any]) -> dict[str, Any]:
    return {"contract": {**table["contract"], "text": "c1. Alice owes nothing."}}


def one_signature_less(table: dict[str, Any]) -> dict[str, Any]:
    (name, signature), *_ = table["contract"]["signatures"].items()
    return {"contract": {**table["contract"], "signatures": {name: signature}}}


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (another_action, "play"),
        (another_reward, "play"),
        (another_clause, "contract"),
        (another_text, "contract"),
        (one_signature_less, "contract"),
    ],
)
def test_a_record_or_contract_that_was_tampered_with_is_detected(
    coop: Coop,
    ran: dict[str, Any],
    change: Callable[[dict[str, Any]], dict[str, Any]],
    check: str,
) -> None:
    asyncio.run(on_the_table(change))
    assert check in failed_checks(coop)


def test_a_contract_in_other_words_is_found(coop: Coop, ran: dict[str, Any]) -> None:
    def change(table: dict[str, Any]) -> dict[str, Any]:
        contract = table["contract"]
        words = contract["text"].replace("Alice does", "Bob does", 1)
        assert words != contract["text"]
        return {"contract": {**contract, "text": words}}

    asyncio.run(on_the_table(change))
    assert "contract" in failed_checks(coop)


async def play_again(run: str) -> None:
    """Give a run's thread the same input once more, and let it end."""
    known = home().runs.get(run)
    async with open_workflow(known.graph) as app:
        await app.ainvoke({"room": known.room}, configure(known), context=RunConfig())


def test_a_thread_that_was_played_again_has_the_letters_of_its_latest_play(
    coop: Coop, ran: dict[str, Any]
) -> None:
    """Equal letters have equal names: the answers and commitments of the plays differ."""
    asyncio.run(play_again("r"))
    coop("resume", "r")
    assert failed_checks(coop) == set()


# Whatever else the books hold


def more_tokens(entry: Entry) -> Entry:
    answer = entry.answer
    return replace(entry, answer=replace(answer, output_tokens=answer.output_tokens + 7))


def as_gifts(posting: Fact) -> Fact:
    return replace(posting, value={"lines": [[*x, "gift"] for *x, _ in posting.value["lines"]]})


@pytest.mark.parametrize(
    ("forge", "check", "told"),
    [
        (
            lambda: change_answers(reworded("{} ".format), ["act"]),
            "commitments",
            "the answer to",
        ),
        (lambda: change_answers(lambda _: None, ["claim"]), "commitments", "was deleted"),
        (
            lambda: change_answers(lambda x: replace(x, model="openai:gpt-5"), agents=["Bob"]),
            "journal",
            "openai:gpt-5",
        ),
        (lambda: change_answers(more_tokens), "journal", "output_tokens of Al"),
        (lambda: change_facts("posting", as_gifts), "ledger", "'gift'"),
        (lambda: delete_facts("posting"), "ledger", "the posting final is missing"),
    ],
    ids=["text", "deleted", "model", "tokens", "memo", "posting"],
)
def test_whatever_was_changed_in_letters_and_postings_is_named(
    coop: Coop, ran: dict[str, Any], forge: Callable[[], None], check: str, told: str
) -> None:
    forge()
    assert check in failed_checks(coop)
    assert told in coop("verify", "r").out


@pytest.mark.parametrize(
    ("path", "forged", "told"),
    [
        ("seed", 7, "seed is 7, and should be 10"),
        ("norm", "equal", "norm is 'equal', and should be 'shapley'"),
        ("params.prize", 7, "params.prize is 7, and should be None"),
        ("seats.Alice.model", "human", "seats.Alice.model is 'human', and should be 'embedded"),
        ("enforcement", "notional", "enforcement is 'notional', and should be 'enforced'"),
    ],
)
def test_a_setting_that_was_changed_in_the_register_is_named(
    coop: Coop, ran: dict[str, Any], path: str, forged: Any, told: str
) -> None:
    room = dict(home().runs.get("r").room)
    at = room
    *folders, last = path.split(".")
    for folder in folders:
        at = at[folder]
    at[last] = forged
    change_value("run", room=room)
    shown = coop("verify", "r")
    assert shown.code == 1
    assert f"FAIL  settings: in the register {told}" in shown.out


@pytest.mark.parametrize("key", ["seed", "seats", "status", "events", "happened", "conduct"])
def test_whatever_a_result_states_is_recomputed(coop: Coop, ran: dict[str, Any], key: str) -> None:
    change_value("stands", result={**ran, key: None})
    assert "result" in failed_checks(coop)
    assert key in coop("verify", "r").out

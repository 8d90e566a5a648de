"""Reasoning: its three results are read leniently, asked back, kept private, and scored."""

import json
from fractions import Fraction
from typing import Any

import pytest

from shapley_coop.deals.language.faults import Fault
from shapley_coop.evals.cell import Cell
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.measures.reasons import score_reasons
from shapley_coop.evals.rows import row_of
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts import write_retry
from shapley_coop.seats.records import Entry
from shapley_coop.state.reasons import Reasons, read_reasons, reasons_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from tests.coop_command import Coop
from tests.scripted import Script

ASKS = Reasons(Fraction(9), "+", Fraction(11, 2))

READ = {
    "labelled lines": "I pull.\nCollective payoff: 9\nExternality: +\nPrice: 5.5",
    "numbered and bold": "**1. Collective payoff (estimate):** about 9 points\n"
    "**2. Externality.** positive: it opens the door\n**3. Price:** I ask for 5.5",
    "one line": "collective payoff: 9, externality: positive, price: 11/2",
    "JSON": '{"collective_payoff": 9.000000000000002, "externality": "+", "price": 5.5}',
    "fenced JSON with other keys": 'So:\n```json\n{"collective": 9, "externality": "positive", '
    '"price": "$5.50", "why": "the door"}\n```',
    "tags": "<collective>9</collective><externality>+</externality><price>5.5</price>",
    "a sum": "Total payoff: 10 - 1 = 9\nExternality: beneficial\nPrice: 10 - 4.5 = 5.5",
    "the value on the next line": "Collective payoff:\n  9\nExternality:\n+\nPrice:\n5.5",
    "a sum behind the number": "Collective payoff: 9 points (10 - 1)\nExternality: +\nPrice: 5.5",
    "in other words": "Collective payoff: 9\nExternality: +\nPrice: 5.5, i.e. Bob pays me 5.5",
    "said twice": "Collective payoff: 8\nNo:\nCollective payoff: 9\nExternality: +\nPrice: 5.5",
}


def test_estimates_may_follow_the_private_thoughts_in_tags() -> None:
    lines = "Collective payoff: 9\nExternality: +\nPrice: 5.5"
    assert reasons_of(f"<CONSIDER>I pull.</CONSIDER>\n\n{lines}") == ASKS
    assert reasons_of(f"<CONSIDER>I pull.\n{lines}</CONSIDER>\nSo be it.") == ASKS
    assert reasons_of("<CONSIDER>I pull.</CONSIDER><s>Price: 5.5</s>") is None, "speech is none"


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_plain_answers_are_understood(text: str) -> None:
    assert read_reasons(text) == ASKS


def price(written: str) -> Any:
    found = read_reasons(f"Collective payoff: 9\nExternality: 0\nPrice: {written}")
    return found if isinstance(found, Fault) else found.price


def test_the_sign_of_a_price_is_who_pays() -> None:
    assert (
        price("-5.5") == price("I offer 5.5") == price("I should pay Bob 5.5") == Fraction(-11, 2)
    )
    assert price("5.5") == price("I ask Bob for 5.5") == price("I should be paid 5.5")
    assert price("-5.5, i.e. I pay Bob 5.5 if he pulls the lever") == Fraction(-11, 2)
    assert price("unknown") is None
    assert price("none") == price("0 (a fine of 12 for whoever keeps)") == 0


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("Collective payoff: 9\nExternality: +", "Give the price"),
        ("Collective payoff: 9 or 10\nExternality: +\nPrice: 1", "You gave 2 numbers"),
        ("Collective payoff: 9\nExternality: positive, negative\nPrice: 1", "You gave + and -"),
        ("Collective payoff: 5,5\nExternality: +\nPrice: 1", "Give the collective payoff"),
        ("Collective payoff: 9\nExternality: +\nPrice: 40%", "Give the price"),
        ("Collective payoff: 9\nExternality: +\nPrice: pay 2 or ask 2", "whether you pay"),
        (
            "Collective payoff: 9\nExternality: +\nPrice: 5, i.e. I ask for 6",
            "You gave 2 numbers",
        ),
        ("Collective payoff: 9\nExternality: +\nPrice: 5 (or 6)", "You gave 2 numbers"),
        ("Collective payoff: 9\nExternality: +\nPrice: -5, i.e. I ask for 5", "whether you pay"),
        ("I would rather not say.", "Give the externality"),
    ],
)
def test_what_would_need_a_guess_is_asked_back(written: str, told: str) -> None:
    found = read_reasons(written)
    assert isinstance(found, Fault)
    assert told in found.feedback


def test_all_that_is_missing_is_named_at_once() -> None:
    found = read_reasons("Nothing.")
    assert isinstance(found, Fault)
    assert [line.split(":")[0] for line in found.feedback.split("\n")] == [
        "- Give the collective payoff",
        "- Give the externality",
        "- Give the price",
    ]
    letter = write_retry(found.label, found.feedback)
    assert "\n- Give the price: a line `Price: 3`" in letter
    assert "\\n" not in letter, "each on a line of its own"


def reasoning(collective: object, externality: str, price: object) -> str:
    lines = f"Collective payoff: {collective}\nExternality: {externality}\nPrice: {price}"
    return f"<CONSIDER>My canary is blue.\n{lines}</CONSIDER>"


PLAN = [
    {"kind": "do", "agent": "Alice", "action": "lever"},
    {"kind": "do", "agent": "Bob", "action": "door"},
]


async def reasoned(script: Script, **room: Any) -> tuple[Table, list[Entry]]:
    script["Alice", "reason"] = ["<CONSIDER>I think.</CONSIDER>", reasoning(9, "+", 5)]
    script["Bob", "reason"] = reasoning(12, "-", -5.5)
    script["Alice", "propose"] = f"<PROPOSAL>{json.dumps({'clauses': PLAN})}</PROPOSAL>"
    script["Bob", "answer"] = "<ACCEPT>"
    script["Alice", "act"], script["Bob", "act"] = "<ACTION>lever</ACTION>", "<ACTION>door</ACTION>"
    run = prepare("short_term", RunConfig.model_validate(room), "run")
    await follow(run)
    table = await table_of(run)
    return table, list(home().journal.entries(table["episode"]))


async def test_reasoning_without_results_is_asked_back(script: Script) -> None:
    await reasoned(script)
    first, again = script.shown_to("Alice", "reason")
    assert "Give the collective payoff" not in first
    assert "Give the collective payoff" in again


async def test_results_are_scored_against_the_game_and_the_record(script: Script) -> None:
    """Alice pulls: the others gain 11 by it, and she earns -1 where 4.5 is fair."""
    table, entries = await reasoned(script)
    alice, bob = score_reasons(table, entries)
    assert alice == {
        "agent": "Alice",
        "turn": 1,
        "collective": 9,
        "best": 9,
        "externality": "+",
        "recorded": "+",
        "price": 5,
        "fair": 5.5,
    }
    assert (bob["collective"], bob["best"], bob["price"], bob["fair"]) == (12, 9, -5.5, -5.5)
    assert (bob["externality"], bob["recorded"]) == ("-", "0")
    row = row_of(Cell.alone("short_term", table["settings"]), table, entries)
    assert row["result"]["reasons"] == [alice, bob]
    errors = {key: score(row, key) for key in ("payoff_estimate_error", "price_error")}
    assert errors == {"payoff_estimate_error": 1.5, "price_error": 0.25}
    assert score(row, "externality_right") == 0.5


async def test_later_reasoning_is_compared_with_what_was_still_to_be_had(script: Script) -> None:
    """Two turns, the first of them lost: of 18 only 9 - 2 are left."""
    table, entries = await reasoned(script, params={"rounds": 2}, renegotiate="every 1")
    assert [(one["agent"], one["turn"]) for one in score_reasons(table, entries)] == [
        (agent, turn) for turn in (1, 2) for agent in ("Alice", "Bob")
    ]
    assert {one["best"] for one in score_reasons(table, entries)} == {18}
    lost = {
        "turn": 1,
        "actions": {"Alice": "door", "Bob": "door"},
        "rewards": {"Alice": -1, "Bob": -1},
    }
    changed: Any = {**table, "record": [lost, table["record"][1]]}
    assert [one["best"] for one in score_reasons(changed, entries)] == [18, 18, 7, 7]


async def test_reasoning_stays_private(script: Script) -> None:
    table, _ = await reasoned(script)
    assert "canary" not in json.dumps(table, default=str)
    assert not {"collective", "externality", "price"} & set(
        json.dumps(table, default=str).split('"')
    )
    for text in script.shown_to("Bob"):
        assert "Price: 5\\n" not in text


def test_the_command_shows_them_to_the_operator(coop: Coop) -> None:
    shown = coop("run", "escape_room", "--graph", "short_term", "--json").result
    assert {one["agent"] for one in shown["reasons"]} == {"Alice", "Bob"}
    assert {one["best"] for one in shown["reasons"]} == {9}
    alone = coop("run", "escape_room", "--graph", "negotiation_priced", "--json").result
    assert "reasons" not in alone

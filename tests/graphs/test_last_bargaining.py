"""The last bargaining: blind claims, what is skipped, what a payment counts from, no agreement."""

import json
from typing import Any

import pytest

from shapley_coop.credit.norms import norms
from shapley_coop.games import names
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop, valid
from tests.scripted import Script, facts


def proposal(*clauses: dict[str, Any]) -> str:
    return f"<s>I propose.</s><PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"


DO = [
    {"kind": "do", "agent": "Alice", "action": "door"},
    {"kind": "do", "agent": "Bob", "action": "lever"},
]
SIGNED = proposal(*DO, {"kind": "share", "fractions": {"Alice": "5/9", "Bob": "4/9"}})
ACCEPT, REJECT = "<s>Yes.</s><ACCEPT>", "<s>No.</s><REJECT>"


async def bargained(script: Script, **room: Any) -> dict[str, Any]:
    """A run that signs 5/4 and then has this said of the split."""
    script["Alice", "propose"] = SIGNED
    script["Bob", "answer"] = ACCEPT
    return await play("shapley_coop", RunConfig(**{"rounds": 1, **room}))


async def test_claims_are_made_before_any_letter_shows_a_computed_value(script: Script) -> None:
    script["Alice", "propose_split"] = REJECT
    await bargained(script)
    (claim,) = script.shown_to("Alice", "claim")
    (split,) = script.shown_to("Alice", "propose_split")
    assert "computed" not in facts(claim)
    assert facts(split)["computed"]["payoffs"] == {"Alice": "4.5", "Bob": "4.5"}


async def test_a_payment_counts_from_what_was_signed(script: Script) -> None:
    """Signed 5/4: whoever pays what the letter says it would lose ends with its due, 4.5."""
    script["Alice", "propose_split"] = proposal(
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "0.5"}
    )
    script["Bob", "answer_split"] = ACCEPT
    outcome = await bargained(script)
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    (letter,) = script.shown_to("Alice", "propose_split")
    assert "would give you 0.5 less than you have as signed" in " ".join(letter.split())
    (answer,) = script.shown_to("Bob", "answer_split")
    assert "For you: 4 as signed → 4.5 as proposed, a change of +0.5." in " ".join(answer.split())
    assert facts(answer)["offer"]["change"] == {"Alice": "-0.5", "Bob": "0.5"}


async def test_who_proposes_or_accepts_nothing_is_told_that_the_next_may_propose(
    script: Script,
) -> None:
    moved = proposal({"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "0.25"})
    script["Alice", "propose_split"] = script["Bob", "propose_split"] = moved
    script["Alice", "answer_split"] = script["Bob", "answer_split"] = REJECT
    await bargained(script, rounds=2)
    for agent, last, said in (
        ("Bob", "answer_split", "`<REJECT>`: "),
        ("Alice", "propose_split", "to propose nothing: "),
        ("Bob", "propose_split", "to propose nothing: "),
        ("Alice", "answer_split", "`<REJECT>`: "),
    ):
        (letter,) = script.shown_to(agent, last)
        first = "(round 1 of 2)" in letter
        follows = "the next in turn may propose a split" if first else "the signed deal stays"
        assert f"{said}{follows}." in letter
        assert '"per"' not in letter.split("# You")[1]


async def test_after_the_play_no_clause_ends_and_who_wants_it_is_told_what_to_write(
    script: Script,
) -> None:
    """A payment that was due has been made, so ending its clause would change nothing."""
    half = {"clauses": [{"kind": "share", "fractions": {"Alice": "1/2", "Bob": "1/2"}}]}
    ends = f"<PROPOSAL>{json.dumps({**half, 'drops': ['c3']})}</PROPOSAL>"
    script["Alice", "propose_split"] = [ends, f"<PROPOSAL>{json.dumps(half)}</PROPOSAL>"]
    script["Bob", "answer_split"] = ACCEPT
    outcome = await bargained(script)
    _, again = script.shown_to("Alice", "propose_split")
    assert "leave out `drops`. A pay changes what each has as signed, and a share" in again
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}


@pytest.mark.parametrize(
    ("rule", "payoffs"),
    [
        ("signed", {"Alice": 5, "Bob": 4}),
        ("norm", {"Alice": 4.5, "Bob": 4.5}),
    ],
)
async def test_what_holds_without_agreement_is_the_runs_rule_and_every_letter_says_so(
    script: Script, rule: Any, payoffs: dict[str, float]
) -> None:
    script["Alice", "propose_split"] = proposal(
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "0.25"}
    )
    script["Bob", "answer_split"] = "<REJECT>" + proposal(
        {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "2"}
    )
    script["Alice", "answer_split"] = REJECT
    outcome = await bargained(script, disagreement=rule)
    assert outcome["payoffs"] == payoffs
    told = {facts(x)["without_agreement"] for x in script.shown_to("Alice", "propose_split")}
    told |= {facts(x)["without_agreement"] for x in script.shown_to("Bob", "answer_split")}
    assert len(told) == 1


async def test_where_values_equal_what_was_signed_nothing_is_bargained_over_and_it_says_why(
    script: Script,
) -> None:
    script["Alice", "propose"] = proposal(*DO, {"kind": "share", "norm": "shapley"})
    script["Bob", "answer"] = ACCEPT
    outcome = await play("shapley_coop", RunConfig())
    assert not script.shown_to("Alice", "propose_split")
    assert outcome["credit"]["skipped"] == "what was signed equals what the norm shapley makes due"
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["reckoning"]["skipped"] == outcome["credit"]["skipped"]
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}


async def test_over_claims_are_undefined_where_nothing_was_improved(script: Script) -> None:
    script["Alice", "propose"] = REJECT
    script["Bob", "propose"] = REJECT
    outcome = await play("shapley_coop", RunConfig(game="prisoners_dilemma", rounds=1))
    assert outcome["credit"]["worth_of_all"] == 0
    assert {claim["over_claim"] for claim in outcome["credit"]["claims"].values()} == {None}


SETTLING = [norm for norm in norms() if norm != "deegan_packel"]
LONG = ("raid_battle", "software_company")
PAIRS = [
    pytest.param(
        name, SETTLING[turn % len(SETTLING)], marks=pytest.mark.slow if name in LONG else []
    )
    for turn, name in enumerate(names())
]
"""Each game by one of the norms, in turn: the battery of credit has every norm in every game."""


@pytest.mark.parametrize(("name", "norm"), PAIRS)
async def test_a_norm_that_can_be_signed_settles(name: str, norm: Any) -> None:
    outcome = await play("shapley_coop", RunConfig(game=name, norm=norm, seed=1))
    assert outcome["status"] in ("agreed", "no_deal")
    assert sum(outcome["payoffs"].values()) == pytest.approx(sum(outcome["rewards"].values()))


def test_a_run_can_set_the_baseline_and_says_so(coop: Coop) -> None:
    options = ("--set", "rounds=1", "--absent", "take", "--json")
    outcome = valid(coop("run", "cash_grab", *options).result)
    assert outcome["credit"]["baseline"]["actions"] == dict.fromkeys(outcome["agents"], "take")
    wrong = coop("run", "cash_grab", "--absent", "fly", "--json")
    assert wrong.code != 0
    assert "absent is 'fly'" in wrong.err

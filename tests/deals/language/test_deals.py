"""The deal language: how a deal is read, said, hashed, offered and accepted."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language.clauses import Clause, Do, Forbid, Pay, Share
from shapley_coop.deals.language.condition import Condition
from shapley_coop.deals.language.deal import Deal, accept, put, unanimous
from shapley_coop.deals.language.faults import MAX_FEEDBACK, Fault
from shapley_coop.deals.language.reading import Reading, read_deal, read_proposal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import (
    All,
    AnyOf,
    Count,
    Earned,
    Event,
    Every,
    Last,
    Not,
    Turns,
    When,
)
from shapley_coop.games import Turn
from tests.deals.brute_force import holds
from tests.deals.made_deals import (
    AGENTS,
    DEAL,
    conditions,
    deals,
    records,
)


@pytest.mark.parametrize("said", ["Shapley value", "the norm shapley", "by the Shapley values"])
def test_a_norm_may_be_called_a_value_or_a_norm(said: str) -> None:
    terms = Terms(["Ann", "Bob"], {"Ann": ["door"], "Bob": ["door"]}, norms=["shapley", "equal"])
    found = read_proposal({"clauses": [{"kind": "share", "norm": said}]}, terms)
    assert not isinstance(found, Fault)
    assert found.deal.clauses == (Share(norm="shapley"),)


def test_a_deed_and_a_norm_in_another_case_are_read_as_the_known_names() -> None:
    terms = Terms(["Ann", "Bob"], {"Ann": ["door", "lever"], "Bob": ["door"]}, norms=["shapley"])
    said = [
        {"kind": "do", "agent": "Ann", "action": "pull the lever"},
        {"kind": "share", "norm": "Shapley"},
    ]
    found = read_proposal({"clauses": said}, terms)
    assert isinstance(found, Reading)
    assert found.deal.clauses == (Do(agent="Ann", action="lever"), Share(norm="shapley"))
    assert found.repairs == ("clause 1: read pull the lever as lever",)


# Exact numbers


@given(st.fractions(-(10**6), 10**6, max_denominator=10**6))
def test_an_exact_number_is_written_and_read_without_rounding(number: Fraction) -> None:
    assert parse_exact(plain(number)) == number


@pytest.mark.parametrize("half", [0.5, "0.5", "1/2", "50%", " .50 ", "5e-1", Fraction(1, 2)])
def test_a_half_is_a_half_however_it_is_written(half: Any) -> None:
    assert parse_exact(half) == Fraction(1, 2)
    one = Deal(clauses=(Pay(payer="Ann", payee="Ben", amount=half),))
    assert one.hash() == Deal(clauses=(Pay(payer="Ann", payee="Ben", amount="1/2"),)).hash()


@pytest.mark.parametrize(
    "number",
    [
        *("", "much", "nan", "inf", "-inf", "1e400", "1e-400", "1/0", "1/2/3", "1/0.5", "sNaN"),
        *("1" * 41, "10000000000", "0.0000000001", "%", "0x10"),
        *(True, None, [1], {"a": 1}, float("nan"), float("inf"), 10**5000),
    ],
    ids=lambda number: str(number)[:12] if not isinstance(number, int) else "int",
)
def test_what_is_no_number_to_be_meant_is_refused(number: Any) -> None:
    with pytest.raises(ValueError, match=r"number|characters|range|digits"):
        parse_exact(number)


# Reading, rendering, hashing


@given(deals)
def test_a_deal_survives_json_and_keeps_its_hash(deal: Deal) -> None:
    again = Deal.model_validate(json.loads(json.dumps(deal.record())))
    assert again == deal
    assert again.hash() == deal.hash()
    backwards = json.loads(json.dumps(deal.record(), sort_keys=True), object_pairs_hook=_reversed)
    assert Deal.model_validate(backwards) == deal


def _reversed(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))


@given(deals, deals)
def test_two_deals_have_one_hash_only_if_they_are_the_same(one: Deal, other: Deal) -> None:
    assert (one.hash() == other.hash()) == (one == other)


def test_the_hash_of_a_deal_is_the_same_in_every_version() -> None:
    deal = Deal(
        clauses=(
            Do(agent="Ann", action="pull", when=Turns(turns=(1, 2))),
            Pay(payer="Ben", payee="Ann", amount="11/2"),
        )
    )
    assert deal.hash() == PINNED


PINNED = "7368bc9b9128e1e2bad6d7e742988465cf063dda3c27bcbf182fe88a59ea3c09"


@given(deals)
def test_every_clause_is_a_numbered_line_of_plain_english(deal: Deal) -> None:
    lines = deal.text().splitlines()
    assert len(lines) == len(deal.clauses)
    for number, (line, clause) in enumerate(zip(lines, deal.clauses, strict=True), start=1):
        assert line == f"c{number}. {clause.words()}"
        assert line.endswith(".")
        assert "None" not in line
        assert not set("{}[]=") & set(line)


PULLS = Event(agent="Ann", action="pull")


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        (Do(agent="Ann", action="pull"), "Ann does pull at every turn."),
        (
            Do(agent="Ann", action="pull", when=Turns(turns=(2, 5))),
            "Ann does pull from turn 2 to turn 5.",
        ),
        (
            Do(agent="Ann", action="pull", when=Turns(turns=(2, 2))),
            "Ann does pull at turn 2.",
        ),
        (
            Do(agent="Ann", action="pull", when=Every(every=2, start=1)),
            "Ann does pull at turn 1 and every 2 turns after it.",
        ),
        (
            Do(agent="Ann", action="pull", when=Every(every=1, start=3)),
            "Ann does pull from turn 3.",
        ),
        (
            Forbid(agent="Ben", action="wait", when=Last(last=PULLS)),
            "Ben must not do wait while Ann's latest action is pull.",
        ),
        (Forbid(agent="Ben", action="wait"), "Ben must never do wait."),
        (
            Do(
                agent="Ann",
                action="pull",
                when=AnyOf(any=(Turns(turns=(1, 1)), Turns(turns=(4, 6)))),
            ),
            "Ann does pull at turns 1 and 4 to 6.",
        ),
        (
            Pay(payer="Ben", payee="Ann", amount=5.5),
            "Ben pays Ann 5.5, once.",
        ),
        (
            Pay(payer="Ben", payee="Ann", amount="1/3", basis="turn", when=Last(last=PULLS)),
            "Ben pays Ann 1/3 for each turn, if Ann does pull.",
        ),
        (
            Pay(payer="Ben", payee="Ann", amount="1/4", basis="reward"),
            "Ben pays Ann 25 % of what Ben earns at every turn.",
        ),
        (
            Pay(payer="Ben", payee="Ann", amount=2, when=Count(count=PULLS, at_least=1)),
            "Ben pays Ann 2, once, after Ann has done pull once or more.",
        ),
        (
            Pay(payer="Ben", payee="Ann", amount=2, when=Earned(earned="everyone", at_least=9)),
            "Ben pays Ann 2, once, after the rewards of all sum to 9 or more.",
        ),
        (
            Do(
                agent="Ann",
                action="wait",
                when=AnyOf(any=(Not(negated=Last(last=PULLS)), All(all=("always",)))),
            ),
            "Ann does wait (except while Ann's latest action is pull or (at every turn)).",
        ),
        (
            Share(fractions={"Ann": "1/3", "Ben": "2/3"}),
            "At the end the total is split: Ann 1/3, Ben 2/3.",
        ),
        (
            Share(fractions={"Ann": "113/300", "Ben": "11/25", "Cem": "11/60"}),
            "At the end the total is split: Ann 113/300, Ben 132/300, Cem 55/300.",
        ),
        (
            Share(fractions={"Ann": "7/25", "Ben": "18/25"}),
            "At the end the total is split: Ann 28 %, Ben 72 %.",
        ),
        (
            Share(norm="shapley"),
            "At the end the total is split by the norm shapley, computed from the record.",
        ),
    ],
)
def test_clauses_read_as_people_would_say_them(clause: Clause, words: str) -> None:
    assert clause.words() == words


def nested(depth: int) -> Any:
    when: Any = "always"
    for _ in range(depth):
        when = {"not": when}
    return {"clauses": [{"kind": "do", "agent": "Ann", "action": "pull", "when": when}]}


@pytest.mark.parametrize(
    "raw",
    [
        *(None, 3, "clauses", {}, {"clauses": None}, {"clauses": {}}, {"clauses": [3]}),
        {"clauses": [], "signed": True},
        {"clauses": [{"agent": "Ann", "action": "pull"}]},
        {"clauses": [{"kind": "bribe", "payer": "Ann"}]},
        {"clauses": [{"kind": "do", "agent": "Ann"}]},
        {"clauses": [{"kind": "do", "agent": 3, "action": "pull"}]},
        {"clauses": [{"kind": "do", "agent": "Ann", "action": "pull", "until": "dawn"}]},
        {"clauses": [{"kind": "do", "agent": "Ann", "action": "pull", "when": "later"}]},
        {"clauses": [{"kind": "do", "agent": "Ann", "action": "pull", "when": {"every": 0}}]},
        {"clauses": [{"kind": "do", "agent": "Ann", "action": "pull", "when": {"all": []}}]},
        {"clauses": [{"kind": "do", "agent": "Ann", "action": "x", "when": {"turns": []}}]},
        {"clauses": [{"kind": "do", "agent": "A", "action": "x", "when": {"not": 1, "any": []}}]},
        {"clauses": [{"kind": "pay", "payer": "Ann", "payee": "Ben", "amount": "much"}]},
        {"clauses": [{"kind": "pay", "payer": "Ann", "payee": "Ben", "amount": True}]},
        {"clauses": [{"kind": "share", "fractions": {"Ann": "half"}}]},
        {"clauses": [{"kind": "share", "norm": "shapley"}] * 257},
        nested(2_000),
        nested(100_000),
    ],
    ids=lambda raw: str(raw)[:60] if not isinstance(raw, dict) else None,
)
def test_what_is_no_deal_is_a_fault_and_no_exception(raw: Any) -> None:
    fault = read_deal(raw)
    assert isinstance(fault, Fault)
    assert fault.label == "CLAUSE"
    assert fault.feedback.endswith(".")
    assert len(fault.record()["feedback"]) <= MAX_FEEDBACK


# Conditions on public history


@given(conditions, records())
def test_a_condition_holds_when_its_definition_says_so(when: When, record: list[Turn]) -> None:
    for asked in ("before", "after"):
        condition = Condition(when, asked)
        memory = condition.start
        for n, now in enumerate(record):
            later = condition.after(memory, now)
            seen, known = (later, n + 1) if asked == "after" else (memory, n)
            assert condition.holds(seen, now["turn"]) == holds(when, now["turn"], record[:known])
            memory = later


# Offers and acceptances


def test_an_offer_is_accepted_by_its_author_and_binds_when_all_have_accepted() -> None:
    offer = put(DEAL, by="Ann", revision=3)
    assert not unanimous(offer, ["Ann", "Ben"])
    signed = accept(offer, "Ben", 3, DEAL.hash())
    assert not isinstance(signed, Fault)
    assert unanimous(signed, ["Ann", "Ben"])
    assert not unanimous(signed, AGENTS)
    assert offer["accepted"] == ["Ann"], "the offer itself is not changed"
    assert accept(signed, "Ben", 3, DEAL.hash()) == signed
    assert not unanimous(None, ["Ann"])


@given(deals, deals, st.integers(1, 5), st.integers(1, 5))
def test_an_acceptance_binds_to_exactly_what_stands(
    stands: Deal, named: Deal, revision: int, other: int
) -> None:
    offer = put(stands, by="Ann", revision=revision)
    answer = accept(offer, "Ben", other, named.hash())
    if (revision, stands) == (other, named):
        assert not isinstance(answer, Fault)
    else:
        assert isinstance(answer, Fault)
        assert answer.label == "STALE"
        assert stands.hash()[:12] in answer.feedback

"""Deals, conditions and records drawn at random, and some made by hand."""

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from shapley_coop.deals.language.clauses import Clause, Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
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

AGENTS = ["Ann", "Ben", "Cyd"]
ACTIONS = ["pull", "wait"]
TERMS = Terms(AGENTS, {agent: list(ACTIONS) for agent in AGENTS}, turns=6, norms=("shapley",))

agents = st.sampled_from(AGENTS)
actions = st.sampled_from(ACTIONS)
amounts = st.fractions(0, 1000, max_denominator=1000)
events = st.builds(Event, agent=agents, action=actions)
turn_numbers = st.integers(1, 6)
plain_conditions: st.SearchStrategy[When] = st.one_of(
    st.just("always"),
    st.tuples(turn_numbers, turn_numbers).map(lambda t: Turns(turns=(min(t), max(t)))),
    st.builds(Every, every=st.integers(1, 4), start=turn_numbers),
    st.builds(Last, last=events),
    st.builds(Count, count=events, at_least=st.integers(1, 4)),
    st.builds(
        Earned,
        earned=st.sampled_from([*AGENTS, "everyone"]),
        at_least=st.fractions(-5, 20, max_denominator=10),
    ),
)
conditions: st.SearchStrategy[When] = st.recursive(
    plain_conditions,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: All(all=tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(any=tuple(parts))),
        inner.map(lambda part: Not(negated=part)),
    ),
    max_leaves=5,
)
fractions_of_one = st.lists(st.integers(0, 9), min_size=3, max_size=3).map(
    lambda w: {a: Fraction(x + 1, sum(w) + 3) for a, x in zip(AGENTS, w, strict=True)}
)
pays = st.builds(
    Pay,
    payer=agents,
    payee=st.sampled_from([*AGENTS, OTHERS]),
    amount=amounts.map(lambda x: x / 1000),
    basis=st.sampled_from(["once", "turn", "reward"]),
    when=conditions,
)
shares = st.builds(Share, fractions=fractions_of_one) | st.just(Share(norm="shapley"))
clauses: st.SearchStrategy[Clause] = st.one_of(
    st.builds(Do, agent=agents, action=actions, when=conditions),
    st.builds(Forbid, agent=agents, action=actions, when=conditions),
    pays,
    shares,
)
deals = st.lists(clauses, max_size=5).map(lambda parts: Deal(clauses=tuple(parts)))
rewards = st.integers(-10, 10) | st.decimals(-10, 10, places=2).map(float)


@st.composite
def records(draw: st.DrawFn) -> list[Turn]:
    """Up to six turns; sometimes an agent idles, sometimes there is a pot."""
    record: list[Turn] = []
    for number in range(1, draw(st.integers(0, 6)) + 1):
        turn: Turn = {
            "turn": number,
            "actions": draw(st.dictionaries(agents, actions)),
            "rewards": {agent: draw(rewards) for agent in AGENTS},
        }
        if draw(st.booleans()):
            turn["pot"] = draw(rewards)
        record.append(turn)
    return record


def turn(number: int, *did: str | None, pays: Sequence[float] = (0, 0, 0)) -> Turn:
    """A turn in which Ann, Ben and Cyd did these things; None is nothing."""
    actions = {a: x for a, x in zip(AGENTS, did, strict=False) if x is not None}
    return {"turn": number, "actions": actions, "rewards": dict(zip(AGENTS, pays, strict=True))}


DEAL = Deal(clauses=(Do(agent="Ann", action="pull"), Pay(payer="Ben", payee="Ann", amount=5.5)))


def deal(*parts: Clause) -> Deal:
    return Deal(clauses=parts)

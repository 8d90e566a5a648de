"""The waterfall: the steps that lead from 0, by way of an agent's rewards, to its payoff."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import MICRO, round_payoffs, to_micro
from shapley_coop.deals.contract import split_of
from shapley_coop.deals.settlement import payoffs
from shapley_coop.games.replay import own_rewards
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settlement import decide_payoffs

Micro = dict[str, int]
"""Agent → an amount in millionths."""

ALWAYS = ("own", "baseline", "improvement", "part")
"""The steps that are shown even if they are 0 for all agents."""

LATER = {
    "redistribution": "the last bargaining: as agreed after the play",
    "norm": "no agreement on the split: it is made by the norm",
}
"""Basis of the settlement after the play → the words for the settlement's step."""


def waterfall(evaluated: EvaluatedTable) -> list[dict[str, Any]]:
    """Return the steps from 0 to each agent's payoff: `step`, `words`, and `amounts` by agent.

    Amounts are in the game's unit. Counted in millionths, an agent's amounts sum to its payoff.
    """
    settled = evaluated.table["settlement"] or {}
    earned: Micro = settled["rewards"]
    own = {a: to_micro(x) for a, x in own_rewards(evaluated.record, evaluated.agents).items()}
    ended: Micro = settled["payoffs"]
    forfeits: Micro = settled.get("forfeits") or dict.fromkeys(ended, 0)
    basis, due = decide_payoffs(evaluated)
    before = _round(evaluated, evaluated.without_more())
    after = _round(evaluated, due)
    kept = _less(_less(ended, forfeits), after)
    steps = [
        ("own", "own rewards", own),
        ("pot", "its part of the pot, which nobody owns", _less(earned, own)),
        *_as_signed(evaluated, earned, before),
        ("bargaining", LATER.get(basis, "after the play"), _less(after, before)),
        ("constraints", "constraints of the run, such as a tax", kept),
        ("breach", "deposits forfeited for breaches", forfeits),
    ]
    return [
        {"step": step, "words": words, "amounts": {a: by[a] / MICRO for a in evaluated.agents}}
        for step, words, by in steps
        if step in ALWAYS or any(by[agent] for agent in evaluated.agents)
    ]


def _as_signed(
    evaluated: EvaluatedTable, earned: Micro, before: Micro
) -> list[tuple[str, str, Micro]]:
    """Return the steps that follow from the contract: a split of the total, then payments."""
    agreed = split_of(evaluated.contract)
    if agreed is None or not evaluated.signed.enforcement.executes:
        return [("payments", "payments under the contract", _less(before, earned))]
    split = _round(
        evaluated,
        payoffs(evaluated.earned, agreed, [], lambda norm, _: evaluated.payoffs_by(norm)),
    )
    alone = evaluated.attribution(agreed.norm).at_baseline if agreed.norm else None
    if alone is None:
        by = f"by the norm {agreed.norm}" if agreed.norm else "as agreed"
        parts = [("part", f"its part of the total, split {by}", split)]
    else:
        baseline = {agent: to_micro(x) for agent, x in alone.items()}
        told = f"its part of the improvement, by the norm {agreed.norm}"
        parts = [
            ("baseline", "its baseline", baseline),
            ("improvement", told, _less(split, baseline)),
        ]
    return [
        ("pooled", "put together to be split, as signed", {a: -x for a, x in earned.items()}),
        *parts,
        ("payments", "payments under the contract", _less(before, split)),
    ]


def _round(evaluated: EvaluatedTable, amounts: Mapping[str, Fraction]) -> Micro:
    """Return amounts rounded to millionths as in the settlement, so that they sum to the total."""
    rounded = round_payoffs(list(amounts.values()), to_micro(evaluated.total))
    return dict(zip(amounts, rounded, strict=True))


def _less(one: Micro, other: Micro) -> Micro:
    return {agent: one[agent] - x for agent, x in other.items()}

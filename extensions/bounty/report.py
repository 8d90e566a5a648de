"""The report on a git history: each contributor's earned value, amount and reasons.

All results are plain data. `settle_history` returns the report, which `tables` shows.
`delivered_params` returns the parameters of the game in which contributors bargain over a bounty.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.amounts import MICRO, Number, apportion, exact, plain, round_payoffs, to_micro
from shapley_coop.currencies import decimals_of
from shapley_coop.earned_value import WEIGHTS, Intervals
from shapley_coop.extensions.bounty.account import (
    reduced,
    shown_amount,
    weights_in_force,
)
from shapley_coop.extensions.bounty.tables import number
from shapley_coop.extensions.repository.contributions import Contribution, History
from shapley_coop.extensions.repository.rules import KINDS
from shapley_coop.extensions.repository.uncounted import in_words
from shapley_coop.extensions.wev.report import EarnedValue, wev

_WORDS = {
    "code": ("effective line of code", "effective lines of code"),
    "decisions": ("accepted decision", "accepted decisions"),
    "documents": ("document", "documents"),
    "fixes": ("mended line", "mended lines"),
}
_MOST_SHOWN = 3
_DECIMALS = 4


def _uncounted(history: History) -> dict[str, list[str]]:
    """Return contributor → descriptions of those pieces of its work that do not count."""
    made = {name: one.uncounted for name, one in history.contributions.items()}
    return {name: in_words(what) for name, what in made.items() if what}


def settle_history(
    history: History,
    bounty: Number | str = 100,
    currency: str = "",
    weights: Intervals = WEIGHTS,
    payoffs: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return the report on a history; contributors with a higher earned value come first.

    Args:
        history: the history to settle.
        bounty: the amount to divide; the contributors' amounts sum to it exactly.
        currency: an ISO 4217 code or empty; amounts are multiples of the smallest unit.
        weights: kind of work → lowest and highest percent of the bounty.
        payoffs: contributor → agreed amount in millionths; None if the division is by earned value.

    Raises:
        ValueError: no contribution counts, the currency is unknown, or the bounty is not an
            amount that can be paid.
    """
    if not (artefacts := _counts(history)):
        raise ValueError(f"{history.path}: nobody made anything that counts" + _why_nobody(history))
    in_force = weights_in_force(history, weights)
    values = wev(artefacts, weights=in_force)
    decimals = decimals_of(currency)
    total = payable(bounty, decimals)
    earned = _earned(values, total, decimals)
    amounts = earned if payoffs is None else _agreed(payoffs, earned, total, decimals)
    return {
        **_source(history),
        "bounty": plain(total),
        "currency": currency,
        "decimals": decimals,
        "basis": "agreed" if payoffs is not None else "earned value",
        "weights": {kind: [float(low), float(high)] for kind, (low, high) in in_force.items()},
        "notes": [*history.notes, *reduced(history, weights)],
        "uncounted": _uncounted(history),
        "contributors": _contributors(history, values, earned, amounts),
    }


def _source(history: History) -> dict[str, Any]:
    """Return the report's part that says which commits were read."""
    stated = ("commits", "merges", "by_bots", "excluded")
    read = {name: getattr(history, name) for name in stated}
    return {"repository": history.path, "range": _span(history), **read}


def _why_nobody(history: History) -> str:
    """Return a contributor whose work does not count, with the reasons; "" if there is none."""
    found = ((name, in_words(one.uncounted)) for name, one in history.contributions.items())
    return next((f"; {name}: {', '.join(told)}" for name, told in found if told), "")


def _contributors(
    history: History,
    values: Mapping[str, EarnedValue],
    earned: Mapping[str, str],
    amounts: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """Return contributor → its counts, earned value, amounts and reasons, in `earned`'s order."""
    made, done = _counts(history), history.contributions
    return {
        name: _worth(made[name], values[name])
        | {"earned": worth, "amount": amounts[name], "reasons": reasons(done[name])}
        for name, worth in earned.items()
    }


def _worth(made: Mapping[str, Fraction], found: EarnedValue) -> dict[str, Any]:
    counts = {kind: plain(n) for kind, n in made.items()}
    interval = [float(found.least), float(found.most)]
    return {"counts": counts, "interval": interval, "point": float(found.point)}


def delivered_params(
    history: History,
    bounty: Number | str = 100,
    currency: str = "",
    weights: Intervals = WEIGHTS,
) -> dict[str, Any]:
    """Return the parameters of the game `delivered`, in which the contributors divide the bounty.

    Raises:
        ValueError: the currency is unknown, or the bounty is not an amount that can be paid.
    """
    decimals = decimals_of(currency)
    total = payable(bounty, decimals)
    return {
        "artefacts": {
            name: {kind: plain(n) for kind, n in made.items() if n}
            for name, made in _counts(history).items()
        },
        "weights": {
            kind: [float(low), float(high)]
            for kind, (low, high) in weights_in_force(history, weights).items()
        },
        "bounty": int(total) if total.denominator == 1 else float(total),
        "currency": currency,
        "decimals": decimals,
        "work": f"{history.commits} commits of {_name(history)}, {_span(history)}",
        "made": {
            name: "; ".join(reasons(history.contributions[name])) for name in history.artefacts()
        },
    }


def payable(bounty: Number | str, decimals: int) -> Fraction:
    """Return a bounty as an exact amount.

    Raises:
        ValueError: the bounty is not above 0, exceeds 10⁹, or has too many decimals.
    """
    total = exact(bounty, "the bounty")
    if not 0 < total <= 10**9:
        raise ValueError(f"the bounty is {bounty}: an amount above 0, at most 10⁹, is needed")
    if (total * 10**decimals).denominator != 1:
        raise ValueError(f"the bounty {bounty} has more than {decimals} decimals: round it")
    return total


def reasons(one: Contribution) -> list[str]:
    """Return a text for each kind of work that is paid, with the largest commits of the kind."""
    found = []
    for kind in KINDS:
        if count := one.counts[kind]:
            by_commit = defaultdict[str, Fraction](Fraction)
            for shown in one.evidence[kind]:
                by_commit[shown.commit] += shown.amount
            largest = sorted(by_commit, key=lambda commit: -by_commit[commit])
            listed = ", ".join(f"{commit[:10]}" for commit in largest[:_MOST_SHOWN])
            more = len(largest) - _MOST_SHOWN
            rest = f" and {more} more" if more > 0 else ""
            found.append(f"{number(count)} {_WORDS[kind][count != 1]}: {listed}{rest}")
    return found


def _name(history: History) -> str:
    return Path(history.path).resolve().name


def _span(history: History) -> str:
    return f"{history.base[:12]}..{history.tip[:12]}" if history.base else history.tip[:12]


def _counts(history: History) -> dict[str, dict[str, Fraction]]:
    """Return contributor → kind → count, rounded to the decimals that are shown and paid."""
    return {
        name: {kind: round(n, _DECIMALS) for kind, n in made.items()}
        for name, made in history.artefacts().items()
    }


def _earned(values: Mapping[str, EarnedValue], total: Fraction, decimals: int) -> dict[str, str]:
    """Return contributor → its amount by earned value, the highest value first."""
    names = sorted(values, key=lambda name: (-values[name].point, name))
    units = apportion(int(total * 10**decimals), [values[name].point for name in names])
    return {name: shown_amount(n, decimals) for name, n in zip(names, units, strict=True)}


def _agreed(
    payoffs: Mapping[str, int], names: Iterable[str], total: Fraction, decimals: int
) -> dict[str, str]:
    """Return contributor → its agreed amount, in the order of `names`."""
    if set(payoffs) != set(names) or sum(payoffs.values()) != to_micro(total):
        raise ValueError("the payoffs are of other contributors, or do not sum to the bounty")
    return agreed_amounts({name: payoffs[name] for name in names}, total, decimals)


def agreed_amounts(payoffs: Mapping[str, int], total: Fraction, decimals: int) -> dict[str, str]:
    """Return agreed payoffs rounded to the currency's smallest unit; the sum stays the same.

    Args:
        payoffs: contributor → agreed amount in millionths.
        total: the sum of the payoffs.
        decimals: the number of decimals of the currency.
    """
    agreed = [Fraction(micro * 10**decimals, MICRO * MICRO) for micro in payoffs.values()]
    units = round_payoffs(agreed, int(total * 10**decimals))
    return {name: shown_amount(n, decimals) for name, n in zip(payoffs, units, strict=True)}

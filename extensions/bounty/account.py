"""The weights of kinds of work (code, fixes, …), and the account of what a bounty pays for."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import apportion, exact
from shapley_coop.earned_value import Intervals, Weights
from shapley_coop.extensions.repository.contributions import Contribution, History
from shapley_coop.extensions.repository.rules import KINDS

_DECIMALS = 6


def weights_in_force(history: History, weights: Intervals) -> Weights:
    """Return kind of work → weight interval in percent, reduced for kinds that have few lines.

    The rules limit the value of a line of a decision, document or fix, in lines of code
    (`line_worth`). The limit is computed from the midpoints w of the weight intervals:

        w_k = min(w_k, worth_k · w_code · lines_k / lines_code)

    Without the limit, a history's only fix would earn the whole weight of fixes, 15 to 25 percent.
    The weights do not change if there is no code, or if the rules say `weighed: false`.
    """
    lines = _lines(history)
    given = {kind: (exact(low), exact(high)) for kind, (low, high) in weights.items()}
    if not (history.rules.weighed and lines["code"] and "code" in given):
        return dict(weights)
    a_line = sum(given["code"]) / lines["code"]
    found: Weights = {}
    for kind, (low, high) in given.items():
        worth = history.rules.line_worth.get(kind)  # type: ignore[call-overload]
        most = low + high if worth is None else exact(worth) * a_line * lines[kind]
        part = min(Fraction(1), most / (low + high)) if low + high else Fraction(1)
        found[kind] = (_rounded(low * part), _rounded(high * part))
    return found


def reduced(history: History, weights: Intervals) -> list[str]:
    """Return a sentence for each kind of work whose weight the rules have reduced."""
    lines, now = _lines(history), weights_in_force(history, weights)
    told = []
    for kind in KINDS:
        if (
            lines[kind]
            and kind in now
            and sum(map(exact, now[kind])) < sum(map(exact, weights[kind]))
        ):
            (was_low, was_high), (low, high) = map(float, weights[kind]), map(float, now[kind])
            told.append(
                f"{kind} weigh {low:.3g}-{high:.3g} % and not {was_low:g}-"
                f"{was_high:g} %: {_count(lines[kind])} beside {_count(lines['code'])} of code"
            )
    return told


def account(history: History, report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the account's lines; a contributor's lines sum to the contributor's payment.

    Each line gives a contributor's work of one kind in one commit, and the amount that this work
    earned. If an agreed split changed a contributor's amount, one more line gives the change.

    Args:
        history: the history that the report settles.
        report: the report by `report.settle_history`.
    """
    lines: list[dict[str, Any]] = []
    decimals = report["decimals"]
    middles = {kind: sum(map(exact, ends)) for kind, ends in report["weights"].items()}
    made = {name: one["counts"] for name, one in report["contributors"].items()}
    wholes = {kind: sum((exact(c[kind]) for c in made.values()), Fraction(0)) for kind in KINDS}
    for name, one in report["contributors"].items():
        units = _units(one["earned"], decimals)
        worth = {
            (kind, commit): middles.get(kind, Fraction(0)) * amount / wholes[kind]
            for kind, commit, amount in _work(history.contributions[name])
            if wholes[kind]
        }
        counts = {(kind, commit): n for kind, commit, n in _work(history.contributions[name])}
        paid = apportion(units, list(worth.values())) if any(worth.values()) else []
        lines += [
            {
                "contributor": name,
                "kind": kind,
                "commit": commit,
                "count": f"{float(counts[kind, commit]):.4g}",
                "amount": shown_amount(n, decimals),
            }
            for (kind, commit), n in zip(worth, paid, strict=False)
        ]
        if change := _units(one["amount"], decimals) - units:
            lines.append(_agreed(name, change, decimals))
    return lines


def account_rows(lines: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the account as a table; the lines that pay a contributor nothing share one row."""
    found = [["contributor", "for", "commit", "count", "amount"]]
    left = defaultdict[str, int](int)
    for line in lines:
        if Fraction(line["amount"]):
            shown = (line["contributor"], line["kind"], line["commit"][:10], line["count"])
            found.append([*shown, line["amount"]])
        else:
            left[line["contributor"]] += 1
    for name, n in left.items():
        found.append([name, f"{n} more, each of less than the smallest amount", "", "", "0"])
    return found


def shown_amount(units: int, decimals: int) -> str:
    """Return a number of smallest units, such as cents, as a decimal text."""
    sign, whole = "-" if units < 0 else "", str(abs(units)).zfill(decimals + 1)
    return f"{sign}{whole[:-decimals]}.{whole[-decimals:]}" if decimals else f"{sign}{whole}"


def _agreed(name: str, change: int, decimals: int) -> dict[str, Any]:
    amount = shown_amount(change, decimals)
    return {"contributor": name, "kind": "agreed", "commit": "", "count": "", "amount": amount}


def _work(one: Contribution) -> list[tuple[str, str, Fraction]]:
    """Return a contributor's work as (kind, commit, count), by kind, then largest count first."""
    found = defaultdict[tuple[str, str], Fraction](Fraction)
    for kind in KINDS:
        for shown in one.evidence[kind]:
            found[kind, shown.commit] += shown.amount
    ranked = sorted(found.items(), key=lambda item: (KINDS.index(item[0][0]), -item[1]))
    return [(kind, commit, amount) for (kind, commit), amount in ranked]


def _lines(history: History) -> dict[str, Fraction]:
    """Return kind → number of lines by all contributors; of fixes only the lines that are paid."""
    people = history.contributions.values()
    return {
        kind: sum(
            (one.counts[kind] if kind == "fixes" else one.lines[kind] for one in people),
            Fraction(0),
        )
        for kind in KINDS
    }


def _units(amount: str, decimals: int) -> int:
    return int(Fraction(amount) * 10**decimals)


def _rounded(weight: Fraction) -> float:
    return float(round(weight, _DECIMALS))


def _count(lines: Fraction) -> str:
    return f"{float(lines):.4g} line{'s' * (lines != 1)}"

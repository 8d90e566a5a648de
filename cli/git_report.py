"""What a git history is worth to each contributor: earned value, amounts, and the reasons.

Everything here is plain data. `settle_history` makes the report, `delivered_params` the game in
which the contributors' seats bargain over it, and `markdown` the comment to paste.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.amounts import MICRO, Number, apportion, exact, plain, round_payoffs, to_micro
from shapley_coop.cli.settling_account import (
    account_rows,
    reduced,
    shown_amount,
    weights_in_force,
)
from shapley_coop.cli.settling_consent import consent_words
from shapley_coop.credit import wev
from shapley_coop.credit.wev import EarnedValue
from shapley_coop.currencies import decimals_of
from shapley_coop.earned_value import WEIGHTS, Intervals
from shapley_coop.escaping import visible
from shapley_coop.games.repository import KINDS, Contribution, History, in_words

_WORDS = {
    "code": ("effective line of code", "effective lines of code"),
    "decisions": ("accepted decision", "accepted decisions"),
    "documents": ("document", "documents"),
    "fixes": ("mended line", "mended lines"),
}
_MOST_SHOWN = 3
_DECIMALS = 4
_NUMBER = re.compile(r"[-–—0-9. %]*")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>&@:.-])")


def settle_history(
    history: History,
    bounty: Number | str = 100,
    currency: str = "",
    weights: Intervals = WEIGHTS,
    payoffs: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The report on a history, as JSON, the largest point first; amounts sum to the bounty exactly.

    Args:
        history: what was made.
        bounty: what there is to divide.
        currency: a code of ISO 4217, or empty; amounts are paid in its smallest unit.
        weights: kind → lowest and highest percent it is worth.
        payoffs: contributor → millionths, as they were agreed; None: the points decide.

    Raises:
        ValueError: nobody made anything that counts, there is no such currency, or the bounty is
            none that can be paid.
    """
    if not (artefacts := _counts(history)):
        raise ValueError(
            f"{history.path}: nobody made anything that counts in this range" + _why_nobody(history)
        )
    in_force = weights_in_force(history, weights)
    values = wev(artefacts, weights=in_force)
    names = sorted(values, key=lambda name: (-values[name].point, name))
    points, decimals = [values[name].point for name in names], decimals_of(currency)
    total = payable(bounty, decimals)
    earned = _amounts(names, points, total, None, decimals)
    amounts = _amounts(names, points, total, payoffs, decimals) if payoffs is not None else earned
    stated = ("commits", "merges", "by_bots", "excluded")
    return {
        "repository": history.path,
        "range": _span(history),
        **{name: getattr(history, name) for name in stated},
        "bounty": plain(total),
        "currency": currency,
        "decimals": decimals,
        "basis": "agreed" if payoffs is not None else "earned value",
        "weights": {kind: [float(low), float(high)] for kind, (low, high) in in_force.items()},
        "notes": [*history.notes, *reduced(history, weights)],
        "uncounted": {
            name: in_words(one.uncounted)
            for name, one in history.contributions.items()
            if one.uncounted
        },
        "contributors": {
            name: _worth(artefacts[name], values[name])
            | {"earned": worth, "amount": amount, "reasons": reasons(history.contributions[name])}
            for name, worth, amount in zip(names, earned, amounts, strict=True)
        },
    }


def _why_nobody(history: History) -> str:
    """Of the first of those who committed, why it counts for nothing."""
    found = ((name, in_words(one.uncounted)) for name, one in history.contributions.items())
    return next((f"; {name}: {', '.join(told)}" for name, told in found if told), "")


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
    """The parameters of the game `delivered` in which the contributors divide the bounty.

    Raises:
        ValueError: the bounty is none that can be paid.
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
    """A bounty as an exact amount.

    Raises:
        ValueError: it is not above 0, or finer than what is paid.
    """
    total = exact(bounty, "the bounty")
    if not 0 < total <= 10**9:
        raise ValueError(f"the bounty is {bounty}: an amount above 0, at most 10⁹, is needed")
    if (total * 10**decimals).denominator != 1:
        raise ValueError(f"the bounty {bounty} has more than {decimals} decimals: round it")
    return total


def reasons(one: Contribution) -> list[str]:
    """What a contributor is paid for, a line for each kind, with the commits that show it."""
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
            found.append(f"{_number(count)} {_WORDS[kind][count != 1]}: {listed}{rest}")
    return found


def rows(report: Mapping[str, Any]) -> list[list[str]]:
    """The report as a table: a row of headings, then one for each who committed."""
    found = [["contributor", *KINDS, "WEV", "interval", "amount"]]
    for name, one in report["contributors"].items():
        low, high = one["interval"]
        counts = [_number(Fraction(one["counts"][kind])) for kind in KINDS]
        worth = [f"{one['point']:.1f} %", f"{low:.1f}–{high:.1f} %", one["amount"]]
        found.append([name, *counts, *worth])
    nothing = ["0.0 %", "", shown_amount(0, report["decimals"])]
    return found + [[name, *["0"] * len(KINDS), *nothing] for name in _unpaid(report)]


def _unpaid(report: Mapping[str, Any]) -> list[str]:
    """Those who committed in the range and made nothing that counts."""
    return [name for name in report["uncounted"] if name not in report["contributors"]]


def why(report: Mapping[str, Any], earned: bool = True) -> dict[str, str]:
    """Who committed → for what it is paid, and what of its commits counts for nothing.

    Args:
        report: of `settle_history`.
        earned: whether to say for what it is paid.
    """
    found = {}
    for name in (*report["contributors"], *_unpaid(report)):
        paid = report["contributors"].get(name, {}).get("reasons", []) if earned else []
        nothing = ", ".join(report["uncounted"].get(name, ()))
        found[name] = "; ".join([*paid, *([f"nothing for {nothing}"] if nothing else [])])
    return {name: words for name, words in found.items() if words}


def markdown(report: Mapping[str, Any]) -> str:
    """The report as a comment that can be pasted: a table, the reasons, and what to know.

    Names come from the history and are shown as they are: they can form no markup, no link and
    no mention.
    """
    money = f"{report['bounty']} {report['currency']}".strip()
    heads, *body = rows(report)
    whys = [f"- {escaped(name)}: {words}" for name, words in why(report).items()]
    left_out = [f"merges: {report['merges']}", f"commits by bots: {report['by_bots']}"]
    left_out += [f"{reason} files: {n}" for reason, n in report["excluded"].items()]
    lines = [
        f"### {escaped(money)} for {report['commits']} commits ({report['range']})",
        "",
        " ".join(escaped(line) for line in consent_words(report)),
        "",
        *_table(heads, body),
        "",
        "**Why**",
        "",
        *whys,
        "",
        f"Left out: {', '.join(left_out)}.",
    ]
    if report.get("account"):
        heads, *body = account_rows(report["account"])
        lines += ["", f"**For what all of {escaped(money)} is paid**", "", *_table(heads, body)]
    if report.get("without"):
        heads, *body = without_rows(report["without"])
        found = report["without"]
        title = f"by {escaped(found['command'])}; all together {found['score']:g}"
        lines += ["", f"**Without a contributor's commits**, {title}", "", *_table(heads, body)]
    notes = [f"- {escaped(note)}" for note in report["notes"]]
    return "\n".join([*lines, *(["", "**Notes**", "", *notes] if notes else []), ""])


def without_rows(without: Mapping[str, Any]) -> list[list[str]]:
    """The counterfactual as a table: what the command says without each contributor's commits."""
    found = [["contributor", "score without", "missing without", "Shapley value", "why not played"]]
    for name, one in without["contributors"].items():
        numbers = (one["score"], one["missing"], one["value"])
        shown = ["—" if x is None else f"{x:g}" for x in numbers]
        found.append([name, *shown, one["why"]])
    return found


def _table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table of which the cells of names and of words show no markup."""
    return [
        "| " + " | ".join(heads) + " |",
        "| --- |" + " ---: |" * (len(heads) - 1),
        *("| " + " | ".join([escaped(row[0]), *map(_cell, row[1:])]) + " |" for row in body),
    ]


def _cell(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else escaped(text)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split()))).replace("\\@", "@\u200b")


def _name(history: History) -> str:
    return Path(history.path).resolve().name


def _span(history: History) -> str:
    return f"{history.base[:12]}..{history.tip[:12]}" if history.base else history.tip[:12]


def _counts(history: History) -> dict[str, dict[str, Fraction]]:
    """The counts as they are shown and paid: parts of documents to four decimals."""
    return {
        name: {kind: round(n, _DECIMALS) for kind, n in made.items()}
        for name, made in history.artefacts().items()
    }


def _amounts(
    names: Sequence[str],
    points: Sequence[Fraction],
    total: Fraction,
    payoffs: Mapping[str, int] | None,
    decimals: int,
) -> list[str]:
    units = int(total * 10**decimals)
    if payoffs is None:
        return [shown_amount(n, decimals) for n in apportion(units, points)]
    if set(payoffs) != set(names) or sum(payoffs.values()) != to_micro(total):
        raise ValueError(
            "the payoffs are not those of these contributors, or not all of the bounty"
        )
    ordered = {name: payoffs[name] for name in names}
    return list(agreed_amounts(ordered, total, decimals).values())


def agreed_amounts(payoffs: Mapping[str, int], total: Fraction, decimals: int) -> dict[str, str]:
    """What was agreed to the millionth as it is paid: each within one smallest amount of it.

    Args:
        payoffs: who gets how many millionths.
        total: what they come to.
        decimals: of the smallest amount.
    """
    agreed = [Fraction(micro * 10**decimals, MICRO * MICRO) for micro in payoffs.values()]
    units = round_payoffs(agreed, int(total * 10**decimals))
    return {name: shown_amount(n, decimals) for name, n in zip(payoffs, units, strict=True)}


def _number(count: Fraction) -> str:
    return str(int(count)) if count.denominator == 1 else f"{float(count):.2f}"

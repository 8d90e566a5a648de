"""The report on a git history in readable form: tables, reasons, and a comment to paste."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.escaping import visible
from shapley_coop.extensions.bounty.account import account_rows, shown_amount
from shapley_coop.extensions.bounty.consent import consent_words
from shapley_coop.extensions.repository.rules import KINDS

_NUMBER = re.compile(r"[-–—0-9. %]*")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>&@:.-])")


def rows(report: Mapping[str, Any]) -> list[list[str]]:
    """Return the report as a table: headings first, then a row for each person who committed."""
    found = [["contributor", *KINDS, "WEV", "interval", "amount"]]
    for name, one in report["contributors"].items():
        low, high = one["interval"]
        counts = [number(Fraction(one["counts"][kind])) for kind in KINDS]
        worth = [f"{one['point']:.1f} %", f"{low:.1f}–{high:.1f} %", one["amount"]]
        found.append([name, *counts, *worth])
    nothing = ["0.0 %", "", shown_amount(0, report["decimals"])]
    return found + [[name, *["0"] * len(KINDS), *nothing] for name in _unpaid(report)]


def _unpaid(report: Mapping[str, Any]) -> list[str]:
    """Return the people who committed but made nothing that counts."""
    return [name for name in report["uncounted"] if name not in report["contributors"]]


def why(report: Mapping[str, Any], earned: bool = True) -> dict[str, str]:
    """Return person → the reasons for the person's payment, and the person's unpaid work.

    Args:
        report: the report by `settle_history`.
        earned: whether to include the reasons for the payment.
    """
    found = {}
    for name in (*report["contributors"], *_unpaid(report)):
        paid = report["contributors"].get(name, {}).get("reasons", []) if earned else []
        nothing = ", ".join(report["uncounted"].get(name, ()))
        found[name] = "; ".join([*paid, *([f"nothing for {nothing}"] if nothing else [])])
    return {name: words for name, words in found.items() if words}


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as a Markdown comment to paste: a table, the reasons and the notes.

    Names come from the history, which anyone may have written. They are escaped, so that no name
    can form markup, a link or a mention.
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
    """Return a table of the scores without each contributor in turn (`counterfactual`)."""
    found = [["contributor", "score without", "missing without", "Shapley value", "why not played"]]
    for name, one in without["contributors"].items():
        numbers = (one["score"], one["missing"], one["value"])
        shown = ["—" if x is None else f"{x:g}" for x in numbers]
        found.append([name, *shown, one["why"]])
    return found


def _table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table; names and words in its cells are escaped."""
    return [
        "| " + " | ".join(heads) + " |",
        "| --- |" + " ---: |" * (len(heads) - 1),
        *("| " + " | ".join([escaped(row[0]), *map(_cell, row[1:])]) + " |" for row in body),
    ]


def _cell(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else escaped(text)


def escaped(text: str) -> str:
    """Return text escaped so that Markdown shows its characters unchanged."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split()))).replace("\\@", "@\u200b")


def number(count: Fraction) -> str:
    """Return a count as text: whole, or with two decimals."""
    return str(int(count)) if count.denominator == 1 else f"{float(count):.2f}"

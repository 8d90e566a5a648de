"""The README's picture: what three agents earned in play, and what they end with by their contract.

Drawn from a run's own data as SVG: what happened, the contract clause by clause, and for each agent
a bar before and a bar after, beside what other rules would have given it. Text takes the reader's
colours, in light and in dark.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from shapley_coop.extensions.reports.picture import COLOURS, Axis

WIDTH, LINE, BAR, LEFT, RIGHT = 460, 20, 22, 122, 250
"""The width at which a phone of 390 pixels shows 15 pixels of text as 12."""
COLUMNS = (282, 370, 444)
"""Where the numbers of the rules end: each other rule, and last the rule of the contract."""
WRAP = 54
PARTS = {2: "half", 3: "a third"}
SIGNS = {"kept": "✓", "broken": "✗", "idle": "="}
_STYLE = (
    "text{font:15px system-ui,sans-serif;fill:#1f2328}.small{font-size:13px;fill:#59636e}"
    ".head{font-weight:600}.line{stroke:#8c959f}.page{fill:#ffffff;stroke:#d1d9e0}"
    "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}"
    ".page{fill:#0d1117;stroke:#3d444d}}"
)


Amounts = Mapping[str, float]


def picture(bundle: Mapping[str, Any], others: Mapping[str, Amounts]) -> str:
    """Draw a run whose contract names a norm.

    Args:
        bundle: what `coop report RUN -o RUN.json` writes.
        others: what each agent would end with by two other rules, by the rule's name.
    """
    drawn = list(_lines(bundle["game"]["about"], 32))
    drawn += list(_contract(bundle, _below(drawn) + 30))
    drawn += list(_before_and_after(bundle["outcome"]["points"], others, _below(drawn) + 34))
    drawn += list(_sums(bundle["credit"]["worths"]["each"], bundle["agents"], _below(drawn) + 34))
    height = _below(drawn) + 20
    told = escape(_told(bundle), quote=True)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" role="img" aria-label="{told}">',
            f"<style>{_STYLE}</style>",
            f'<rect class="page" width="{WIDTH}" height="{height}" rx="8"/>',
            *(element for _, element in drawn),
            "</svg>\n",
        ]
    )


Drawn = tuple[int, str]
"""How far down an element reaches, and the element."""


def _below(drawn: Sequence[Drawn]) -> int:
    return max(bottom for bottom, _ in drawn)


def _text(x: int, y: int, text: str, style: str = "", anchor: str = "start") -> Drawn:
    kind = f' class="{style}"' if style else ""
    return y, f'<text{kind} x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _told(bundle: Mapping[str, Any]) -> str:
    return f"{bundle['game']['about']} {''.join(part['text'] for part in bundle['story'])}"


def _lines(text: str, top: int, style: str = "", left: int = 18) -> Iterator[Drawn]:
    for n, line in enumerate(textwrap.wrap(text, WRAP)):
        yield _text(left, top + n * LINE, line, style)


def _contract(bundle: Mapping[str, Any], top: int) -> Iterator[Drawn]:
    signed = ", ".join(bundle["contract"]["signatures"])
    yield _text(18, top, f"The contract that {signed} signed", "head")
    y = top + 4
    for clause in bundle["contract"]["clauses"]:
        last = clause["turns"][-1]
        yield _text(18, y + LINE, SIGNS[last["is"]])
        words = [*_lines(clause["text"], y + LINE, left=38)]
        yield from words
        y = _below(words)
        if last["is"] == "broken":
            yield _text(38, y := y + LINE, last["note"], "small")


def _before_and_after(
    points: Mapping[str, Amounts], others: Mapping[str, Amounts], top: int
) -> Iterator[Drawn]:
    earned, ended = points["earned"], points["ended"]
    yield _text(18, top, "EUR before and after", "head")
    for x, name in zip(COLUMNS, [*others, "Shapley"], strict=True):
        yield _text(x, top, name, "head" if name == "Shapley" else "small", "end")
    axis = Axis.around("", [*earned.values(), *ended.values()], include=[0])
    y = top + 8
    for colour, agent in zip(COLOURS, ended, strict=False):
        yield _text(18, y + BAR, agent, "head")
        yield from _bar(axis, y := y + BAR, earned[agent], "earned", colour, 0.4)
        yield from _bar(axis, y := y + BAR, ended[agent], "ends with", colour, 1)
        for x, amounts in zip(COLUMNS, [*others.values(), ended], strict=True):
            style = "head" if amounts is ended else "small"
            yield _text(x, y, f"{amounts[agent]:g}", style, "end")
        y += 8


def _sums(worths: Sequence[Mapping[str, Any]], agents: Sequence[str], top: int) -> Iterator[Drawn]:
    """Draw each Shapley value as a sum of parts of what coalitions add (Harsanyi's dividends)."""
    yield _text(18, top, "How Shapley divides what they added", "head")
    adds: dict[frozenset[str], float] = {}
    for one in worths:  # the smallest coalitions first
        group = frozenset(one["members"])
        adds[group] = one["worth"] - sum(more for part, more in adds.items() if part < group)
    for n, agent in enumerate(agents, start=1):
        words = [f"{adds[frozenset({agent})]:g} alone"]
        value = 0.0
        for group, more in adds.items():
            value += more / len(group) if agent in group else 0
            if agent in group and len(group) > 1 and more:
                part = PARTS.get(len(group), f"1/{len(group)}")
                words.append(f"{part} of {more:g} more with {', '.join(sorted(group - {agent}))}")
        yield _text(18, top + n * LINE, f"{agent} {value:g} = {' + '.join(words)}")


def _bar(
    axis: Axis, y: int, amount: float, words: str, colour: str, opacity: float
) -> Iterator[Drawn]:
    zero, end = axis.at(0, LEFT, RIGHT - 34), axis.at(amount, LEFT, RIGHT - 34)
    left, width = min(zero, end), max(1.5, abs(end - zero))
    yield _text(LEFT - 8, y, words, "small", "end")
    shape = f'x="{left:.1f}" y="{y - 13}" width="{width:.1f}" height="16"'
    yield y, f'<rect {shape} fill="{colour}" opacity="{opacity}"/>'
    yield _text(round(left + width) + 6, y, f"{amount:g}".replace("-", "−"), "small")

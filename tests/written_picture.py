"""The README's picture: one run as its page tells it, drawn from the run's own data as SVG.

What happened in a sentence, the contract clause by clause, and how each agent came from what it
earned to what it ended with. Text and lines take the reader's colours, in light and in dark.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from shapley_coop.amounts import to_micro
from shapley_coop.evals.reports.charts import COLOURS, Axis

WIDTH, LINE, BAR, LEFT, RIGHT = 760, 20, 26, 360, 736
SIGNS = {"kept": "✓", "broken": "✗", "idle": "="}
_STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2328}.small{font-size:12px;fill:#59636e}"
    ".head{font-weight:600}.line{stroke:#8c959f}.page{fill:#ffffff;stroke:#d1d9e0}"
    "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}"
    ".page{fill:#0d1117;stroke:#3d444d}}"
)


def picture(bundle: Mapping[str, Any]) -> str:
    """Draw a run.

    Args:
        bundle: what `coop report RUN -o RUN.json` writes.
    """
    drawn = list(_story(bundle, 34))
    drawn += list(_contract(bundle, drawn_to := _below(drawn) + 30))
    drawn += list(_waterfall(bundle, max(_below(drawn), drawn_to) + 30))
    height = _below(drawn) + 26
    told = escape("".join(part["text"] for part in bundle["story"]), quote=True)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="{told}">',
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


def _story(bundle: Mapping[str, Any], top: int) -> Iterator[Drawn]:
    yield _text(24, top, f"{bundle['run']} · {bundle['game']['name']} · {bundle['graph']}", "head")
    told = "".join(part["text"] for part in bundle["story"])
    for n, line in enumerate(textwrap.wrap(told, 102), start=1):
        yield _text(24, top + 4 + n * LINE, line)


def _contract(bundle: Mapping[str, Any], top: int) -> Iterator[Drawn]:
    signed = " and ".join(bundle["contract"]["signatures"])
    yield _text(24, top, f"The contract that {signed} signed", "head")
    for n, clause in enumerate(bundle["contract"]["clauses"], start=1):
        stood = clause["turns"][-1]
        y = top + 4 + n * LINE
        yield _text(24, y, f"{SIGNS[stood['is']]}  {clause['id']}. {clause['text']}")
        yield _text(RIGHT, y, stood["note"], "small", "end")


def _waterfall(bundle: Mapping[str, Any], top: int) -> Iterator[Drawn]:
    steps, ended = bundle["credit"]["waterfall"], bundle["outcome"]["points"]["ended"]
    yield _text(24, top, "From what each earned to what it was paid", "head")
    y = top + 8
    axis = Axis.around("", [x for agent in ended for x in _levels(steps, agent)], include=[0])
    for colour, agent in zip(COLOURS, ended, strict=False):
        y += LINE + 6
        yield _text(24, y, agent, "head")
        at = 0.0
        for step in steps:
            amount = step["amounts"][agent]
            yield from _bar(axis, y := y + BAR, at, amount, step["words"], colour)
            at += amount
        yield from _bar(axis, y := y + BAR, 0, ended[agent], "ends with", colour, strong=True)
        assert to_micro(at) == to_micro(ended[agent]), "the steps lead to the payoff"


def _levels(steps: Sequence[Mapping[str, Any]], agent: str) -> Iterator[float]:
    level = 0.0
    for step in steps:
        level += step["amounts"][agent]
        yield level


def _bar(
    axis: Axis, y: int, start: float, amount: float, words: str, colour: str, strong: bool = False
) -> Iterator[Drawn]:
    left, right = sorted(axis.at(x, LEFT, RIGHT - 60) for x in (start, start + amount))
    zero = axis.at(0, LEFT, RIGHT - 60)
    yield _text(40, y, words if len(words) < 52 else f"{words[:51]}…", "" if strong else "small")
    yield y, f'<path class="line" d="M{zero:.1f} {y - 17}V{y + 7}"/>'
    opacity = 1 if strong else 0.55
    yield (
        y,
        f'<rect x="{left:.1f}" y="{y - 12}" width="{max(1.5, right - left):.1f}" height="14" '
        f'fill="{colour}" opacity="{opacity}"/>',
    )
    sign = "" if strong else "+" if amount > 0 else ""
    yield _text(RIGHT, y, f"{sign}{amount:g}".replace("-", "−"), "" if strong else "small", "end")

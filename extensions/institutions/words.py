"""The mediator's rule in words, for letters that let agents delegate their moves."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shapley_coop.prompts import fill
from shapley_coop.prompts.words import few, plain

Facts = Mapping[str, Any]

_TEMPLATE = (Path(__file__).parent / "mediator.md").read_text(encoding="utf-8")


def in_words(view: Facts) -> dict[str, Any]:
    """Return the template's variable that holds the text about the mediator.

    Args:
        view: the letter's facts.
    """
    told = view["mediator"]
    words = fill(_TEMPLATE, mediator=rule_lines(told), delegate=plain(told["choose"]))
    return {"brought": words.rstrip()}


def rule_lines(mediator: Facts) -> list[str]:
    """Return a line for each set of agents that may delegate, with the mediator's actions for them.

    >>> told = {"rule": [{"delegating": ["Ann", "Ben"], "plays": {"Ann": "c", "Ben": "c"}},
    ...                  {"delegating": ["Ben"], "plays": {"Ben": "d"}}]}
    >>> rule_lines(told)
    ['If all delegate: Ann plays c, Ben plays c.', 'If Ben alone delegates: Ben plays d.']
    """
    rows = mediator.get("rule", [])
    lines = [_line(row, first=at == 0) for at, row in enumerate(rows)]
    return [lines[0], in_short] if len(rows) > FEW and (in_short := _in_short(rows)) else lines


FEW = 3
"""The most lines that are listed; if there are more, one line can replace all but the first."""


def _in_short(rows: Sequence[Facts]) -> str:
    """Return a short line on partial delegation if each delegator has one action; else "".

    >>> names = ["Ann", "Ben", "Cem"]
    >>> sets = [names, ["Ann", "Ben"], ["Ann", "Cem"], ["Ben", "Cem"], *([name] for name in names)]
    >>> rows = [{"delegating": who, "plays": dict.fromkeys(who, "d")} for who in sets]
    >>> _in_short(rows), _in_short(rows[:-1])
    ('If not all delegate: whoever delegates plays d.', '')
    """
    if len(rows) != 2 ** len(rows[0]["delegating"]) - 1:
        return ""  # the rule does not list all sets of delegating agents
    plays: dict[str, set[str]] = {}
    for row in rows[1:]:
        for agent, action in row["plays"].items():
            plays.setdefault(agent, set()).add(action)
    if any(len(actions) > 1 for actions in plays.values()):
        return ""
    each = {agent: next(iter(actions)) for agent, actions in plays.items()}
    if len(set(each.values())) == 1:
        return f"If not all delegate: whoever delegates plays {plain(next(iter(each.values())))}."
    told = ", ".join(f"{plain(agent)} plays {plain(x)}" for agent, x in each.items())
    return f"If not all delegate, of those who do: {told}."


def _line(row: Facts, first: bool) -> str:
    plays = ", ".join(f"{plain(agent)} plays {plain(x)}" for agent, x in row["plays"].items())
    if first:
        return f"If all delegate: {plays}."
    who = row["delegating"]
    said = f"{plain(who[0])} alone delegates" if len(who) == 1 else f"only {few(who)} delegate"
    return f"If {said}: {plays}."

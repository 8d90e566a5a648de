"""The mediator's rule in words, as letters give it where moves can be delegated."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.prompts.words import plain

Facts = Mapping[str, Any]


def rule_lines(mediator: Facts) -> list[str]:
    """What it plays for whom, a line for each set of agents who could delegate.

    >>> told = {"rule": [{"delegating": ["Ann", "Ben"], "plays": {"Ann": "c", "Ben": "c"}},
    ...                  {"delegating": ["Ben"], "plays": {"Ben": "d"}}]}
    >>> rule_lines(told)
    ['If all delegate: Ann does c, Ben does c.', 'If Ben alone delegates: Ben does d.']
    """
    return [_line(row, first=at == 0) for at, row in enumerate(mediator.get("rule", []))]


def _line(row: Facts, first: bool) -> str:
    who = [plain(agent) for agent in row["delegating"]]
    plays = ", ".join(f"{plain(agent)} does {plain(x)}" for agent, x in row["plays"].items())
    if first:
        return f"If all delegate: {plays}."
    said = f"{who[0]} alone delegates" if len(who) == 1 else f"only {' and '.join(who)} delegate"
    return f"If {said}: {plays}."

"""The public texts of an exchange: the rules in words, and the facts for programs."""

import json
import re
from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.exchange.domain.additive import Additive
from shapley_coop.extensions.exchange.domain.hands import hand
from shapley_coop.extensions.exchange.domain.market import WAIT
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.extensions.exchange.domain.registry import NAMING, compose
from shapley_coop.extensions.exchange.domain.scenario import Scenario, Tasks


def rules_of(scenario: Scenario, turns: int) -> str:
    """Return the rules: the tasks and their holders, the actions, and when utilities are paid.

    Args:
        turns: the most turns of a play.
    """
    return "\n".join([*_masks(scenario.tasks), "", worth_of(scenario, turns), "", _play(turns)])


def worth_of(scenario: Scenario, turns: int) -> str:
    """Return the text that says when utilities are paid and whether they are additive."""
    sums = any(isinstance(own, Additive) for own in scenario.utilities.values())
    return _TRADE.format(_SUM if sums else _NO_SUM, turns)


def task_line(mask: str, atom: Mapping[str, Any]) -> str:
    """Return a task's mask and words, with the action that does it if it has another name."""
    action = "" if atom["action"] == atom["says"] else _ACTION.format(atom["action"])
    return f"{mask}{action}: {atom['says']}"


def facts_of(tasks: Tasks) -> dict[str, Any]:
    """Return the atoms, initial holdings and descriptions of composites, as plain JSON.

    If the registry is too large to be listed, only initial sets and single atoms have descriptions,
    and a rule says how to name any other composite.
    """
    registry, listed = tasks.registry, tasks.registry.listed
    shown = range(1, 1 << tasks.n) if listed else sorted(_basic(tasks) & registry.written().keys())
    public: dict[str, Any] = {
        "agents": tasks.agents,
        "atoms": atoms_of(tasks),
        "initial": {agent: tasks.bits(mask) for agent, mask in tasks.initial.items()},
        "registry": {tasks.bits(mask): registry.describe(mask) for mask in shown},
    }
    return public if listed else {**public, "naming": NAMING}


def atoms_of(tasks: Tasks) -> list[dict[str, str]]:
    """Return each task's action and words."""
    return [{"action": atom.name, "says": atom.says} for atom in tasks.atoms]


def _masks(tasks: Tasks) -> list[str]:
    """Return the lines on tasks, on names of sets of tasks, and on initial holdings."""
    registry, says = tasks.registry, tasks.registry.says
    bits = [tasks.bits(1 << (tasks.n - 1 - i)) for i in range(tasks.n)]
    written, basic = sorted(registry.written().items()), _basic(tasks)
    shown = [(m, text) for m, text in written if registry.listed or m in basic]
    named = [f"- {tasks.bits(m)}: {text}" for m, text in shown if text != compose(says, m)]
    also = "These have one of their own instead" if registry.listed else "These also have"
    starts = ", ".join(f"{a} starts with {tasks.bits(m)}" for a, m in tasks.initial.items())
    return [
        f"**Task exchange**. There are {tasks.n} indivisible tasks. A mask names a set of "
        "them: 1 is included. In this order:",
        "",
        *[f"- {task_line(*each)}" for each in zip(bits, atoms_of(tasks), strict=True)],
        "",
        f"{starts}. A set is a composite task, and its exact description is its tasks' "
        'words above, in this order, joined by "; " and ended by a full stop.'
        + (f" {also}:" if named else ""),
        *(["", *named] if named else []),
    ]


def in_task_words(tasks: Tasks, text: str) -> str:
    """Return a text with tasks in words instead of bit masks and names of actions."""
    masks, listed, calls = _codes(tasks)
    for code, words in ((masks, listed), *_OPEN.items()):
        text = text.replace(code, words)
    text = _mask_pattern(tasks).sub(lambda found: _in_words(tasks, found), text)
    text = _proposed(tasks).sub(lambda found: _one_by_one(tasks, found), text)
    for name, says in calls:
        text = text.replace(_ACTION.format(name), "").replace(name, says)
    return text


_OPEN = {"- closed: no": "- the trade is open", "- closed: yes": "- the trade is closed"}
"""A line in the letters of models → the same line in the letters of people."""


def _codes(tasks: Tasks) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the rules' text on bit masks, the text that replaces it for people, and the calls."""
    held = {i: agent for agent, mask in tasks.initial.items() for i in members(mask, tasks.n)}
    listed = [f"- {_says(tasks, i)}, at first {held[i]}'s" for i in range(tasks.n)]
    told = [f"**Task exchange**. There are {tasks.n} indivisible tasks:", "", *listed]
    calls = [(name, _says(tasks, i)) for i, name in enumerate(tasks.names)]
    calls.sort(key=lambda call: -len(call[0]))  # a name may begin with another name
    return "\n".join(_masks(tasks)), "\n".join(told), calls


def _mask_pattern(tasks: Tasks) -> re.Pattern[str]:
    """Return a pattern for a set of tasks in bits, as letters write it after an agent's name."""
    agents = "|".join(map(re.escape, tasks.agents))
    return re.compile(
        rf"(?:(, )?\b({agents}) |(done: |now \(|^\| ))([01]{{{tasks.n}}})\b", re.MULTILINE
    )


def _proposed(tasks: Tasks) -> re.Pattern[str]:
    """Return a pattern for one agent's tasks in a proposal: a quoted description."""
    agents = "|".join(map(re.escape, tasks.agents))
    return re.compile(rf'((?:–|;) (?:{agents}): )("(?:[^"\\\n]|\\.)*")')


def _one_by_one(tasks: Tasks, found: re.Match[str]) -> str:
    """Return an agent's tasks in a proposal, one by one; unchanged if the registry lacks them."""
    try:
        mask = tasks.registry.mask_of(json.loads(found[2]))
    except ValueError:  # an agent's words that only look like a proposal
        mask = None
    return found[0] if mask is None else found[1] + _named(tasks, mask)


def _in_words(tasks: Tasks, found: re.Match[str]) -> str:
    comma, agent, before, bits = found.groups()
    told = _named(tasks, int(bits, 2))
    return f"{'; ' if comma else ''}{agent}: {told}" if agent else f"{before}{told}"


def _named(tasks: Tasks, mask: int) -> str:
    return ", ".join(_says(tasks, i) for i in members(mask, tasks.n)) or "nothing"


def _says(tasks: Tasks, i: int) -> str:
    return f"“{tasks.atoms[i].says.rstrip('.')}”"


_ACTION = " (`{}`)"

_TRADE = (
    "Tasks may change hands; whoever holds one does it, by a tool call of its own. "
    "What a set is worth differs from player to player and is private: a utility from "
    "0 to 1 (points, no money), {}. You are paid for the tasks that you hold and have done, once "
    "all are done or after turn {}."
)
_SUM, _NO_SUM = "the sum of what its tasks are worth", "not the sum of its parts"


def _play(turns: int) -> str:
    return (
        "In play, each turn a player does one of its own tasks (the action is its name), "
        f"hands one over (`{hand('TASK', 'AGENT')}`), or does `{WAIT}`. The first turn in "
        "which nothing is handed over closes the trade: from then on there is only work. "
        f"Nobody hands over its last task. At most {turns} turns are played."
    )


def _basic(tasks: Tasks) -> set[int]:
    """Return the masks of each agent's initial tasks, and of each atom alone."""
    return {*tasks.initial.values(), *(1 << bit for bit in range(tasks.n))}

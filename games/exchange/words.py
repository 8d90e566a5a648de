"""The public texts of an exchange: the rules in words, and the facts for programs."""

from typing import Any

from shapley_coop.games.exchange.additive import Additive
from shapley_coop.games.exchange.hands import hand
from shapley_coop.games.exchange.market import WAIT
from shapley_coop.games.exchange.registry import NAMING
from shapley_coop.games.exchange.scenario import Scenario, Tasks


def rules_of(scenario: Scenario, turns: int) -> str:
    """Return the rules: the tasks and their holders, the actions, and when utilities are paid.

    Args:
        turns: the most turns of a play.
    """
    return "\n".join([*_masks(scenario.tasks), "", worth_of(scenario), "", _play(turns)])


def worth_of(scenario: Scenario) -> str:
    """Return the text on utilities, which says only whether utilities are additive."""
    sums = any(isinstance(own, Additive) for own in scenario.utilities.values())
    return _TRADE.format(_SUM if sums else _NO_SUM)


def facts_of(tasks: Tasks) -> dict[str, Any]:
    """Return the atoms, initial holdings and descriptions of composites, as plain JSON.

    If the registry is too large to be listed, only initial sets and single atoms have descriptions,
    and a rule says how to name any other composite.
    """
    registry, listed = tasks.registry, tasks.registry.listed
    shown = range(1, 1 << tasks.n) if listed else sorted(_basic(tasks) & registry.written().keys())
    public: dict[str, Any] = {
        "agents": tasks.agents,
        "atoms": [{"action": atom.name, "says": atom.says} for atom in tasks.atoms],
        "initial": {agent: tasks.bits(mask) for agent, mask in tasks.initial.items()},
        "registry": {tasks.bits(mask): registry.describe(mask) for mask in shown},
    }
    return public if listed else {**public, "naming": NAMING}


def _masks(tasks: Tasks) -> list[str]:
    """Return the lines on tasks, on names of sets of tasks, and on initial holdings."""
    registry = tasks.registry
    bits = [tasks.bits(1 << (tasks.n - 1 - i)) for i in range(tasks.n)]
    shown, basic = sorted(registry.written().items()), _basic(tasks)
    named = [f"- {tasks.bits(m)}: {text}" for m, text in shown if registry.listed or m in basic]
    also = "These have one of their own instead" if registry.listed else "These also have"
    starts = ", ".join(f"{a} starts with {tasks.bits(m)}" for a, m in tasks.initial.items())
    return [
        f"**Task exchange**. There are {tasks.n} indivisible tasks. A mask names a set of "
        "them: 1 is included. In this order:",
        "",
        *[f"- {mask}: {atom.says}" for mask, atom in zip(bits, tasks.atoms, strict=True)],
        "",
        f"{starts}. A set is a composite task, and its exact description is its tasks' "
        'words above, in this order, joined by "; " and ended by a full stop.'
        + (f" {also}:" if named else ""),
        *(["", *named] if named else []),
    ]


_TRADE = (
    "Tasks may change hands; whoever holds one does it, by a tool call of its own. "
    "What a set is worth differs from player to player and is private: a number from "
    "0 to 1, {}. It counts when all work is done."
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

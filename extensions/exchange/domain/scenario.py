"""Scenarios: the tasks, the initial holdings, and each agent's private utilities.

`Tasks` is public. `Scenario` adds the private tables. The `repr` of a scenario leaves the tables
out, so that no log or error text shows them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.escaping import is_one_line
from shapley_coop.extensions.exchange.domain.additive import Additive, Utilities
from shapley_coop.extensions.exchange.domain.front import Front, pareto_front
from shapley_coop.extensions.exchange.domain.masks import Micros, full, members, to_bits
from shapley_coop.extensions.exchange.domain.registry import Registry
from shapley_coop.extensions.exchange.domain.tools import Tool
from shapley_coop.games.params import GameError

MAX_ATOMS = 16
"""The most tasks for which a table lists all sets; with more tasks, utilities are additive."""

Masks = dict[str, int]
"""Agent → the mask of the tasks that it holds."""


@dataclass(frozen=True)
class Atom:
    """One indivisible task: a call of one tool.

    Attributes:
        tool: the tool's id.
        arguments: parameter → value.
        says: the task in words; also the description of the composite of this atom alone.
    """

    tool: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    says: str = ""

    @property
    def name(self) -> str:
        """The call in one line, which a deal's clause `Do` gives as the action."""
        told = ", ".join(f"{key}={value}" for key, value in self.arguments.items())
        return f"{self.tool}({told})" if told else self.tool


@dataclass(frozen=True, eq=False)
class Tasks:
    """The public part of a scenario.

    Attributes:
        atoms: all atoms, most significant bit first.
        initial: agent → the mask of its initial tasks; a partition.
        registry: mask ↔ description.
        exact: whether proposals must name each agent's tasks as in the paper, without repairs.

    Raises:
        GameError: not every atom starts with exactly one agent, or two atoms are the same call.
    """

    atoms: tuple[Atom, ...]
    initial: Masks
    registry: Registry
    exact: bool = False

    def __post_init__(self) -> None:
        n, names = self.n, self.names
        if n < len(self.initial):
            raise GameError(f"{n} atoms for {len(self.initial)} agents: give at least one each")
        if len(set(names)) < n:
            twice = next(name for name in names if names.count(name) > 1)
            raise GameError(f"the atom {twice} is listed twice: give each atom its own words")
        if unfit := [name for name in names if set(name) & set("<>`") or not is_one_line(name)]:
            raise GameError(
                f"the atom {unfit[0]!r} has characters that letters escape: leave out < > `"
            )
        if not is_partition(self.initial, n):
            shown = ", ".join(f"{a} {to_bits(m, n)}" for a, m in self.initial.items())
            raise GameError(
                f"the initial tasks {shown} are not a partition: give each atom to one agent"
            )

    @property
    def n(self) -> int:
        """The number of atoms."""
        return len(self.atoms)

    @property
    def agents(self) -> list[str]:
        """The agents in speaking order."""
        return list(self.initial)

    @cached_property
    def names(self) -> list[str]:
        """The atoms' names."""
        return [atom.name for atom in self.atoms]

    def bits(self, mask: int) -> str:
        """Return a set of tasks (a bit mask) as text, such as "0110"."""
        return to_bits(mask, self.n)

    @cached_property
    def _bit(self) -> dict[str, int]:
        return {name: 1 << (self.n - 1 - i) for i, name in enumerate(self.names)}

    def named(self, names: Iterable[str]) -> int:
        """Return the named atoms as a bit mask; other names are ignored."""
        return sum({self._bit[name] for name in names if name in self._bit})

    def within(self, part: "Tasks", mask: int) -> int:
        """Convert a set of tasks from a bit mask over `part`'s tasks to one over all tasks."""
        return self.named(part.names[i] for i in members(mask, part.n))

    def among(self, holds: Masks) -> "Tasks":
        """Return the tasks that some agents hold, as a separate exchange.

        Args:
            holds: agent → the mask of its tasks, with the agents in speaking order.
        """
        every = members(sum(holds.values()), self.n)
        place = {position: 1 << (len(every) - 1 - k) for k, position in enumerate(every)}

        def inside(mask: int) -> int:
            return sum(place[position] for position in members(mask, self.n))

        outside = full(self.n) ^ sum(holds.values())
        written = {
            inside(mask): text
            for mask, text in self.registry.written().items()
            if not mask & outside
        }
        return replace(
            self,
            atoms=tuple(self.atoms[position] for position in every),
            initial={agent: inside(mask) for agent, mask in holds.items()},
            registry=Registry([self.atoms[position].says for position in every], written),
        )


def check_table(n: int) -> None:
    """Check that a table can give the utility of every set.

    Raises:
        GameError: there are too many tasks.
    """
    if n > MAX_ATOMS:
        raise GameError(
            f"{n} atoms have 2^{n} sets: give at most {MAX_ATOMS} atoms, or values, one for each "
            "task (generated: additive=true)"
        )


def is_partition(masks: Mapping[str, int], n: int) -> bool:
    """Return whether exactly one agent holds each atom, and every agent holds at least one."""
    held = list(masks.values())
    return all(held) and sum(held) == full(n) == reduce(or_, held, 0)


def table_of(utilities: Utilities) -> Micros:
    """Return the utilities of all sets of at most `MAX_ATOMS` tasks, indexed by mask."""
    return utilities.table() if isinstance(utilities, Additive) else utilities


@dataclass(frozen=True)
class Scenario:
    """The tasks, and each agent's private utilities and preferences.

    Attributes:
        name: the scenario's name.
        tasks: the public part.
        utilities: agent → its utilities by mask, in millionths of the agent's maximum.
        preferences: agent → its preferences in words; empty if unknown.
        origins: agent → mask → the origin of a utility ("printed", "calibrated", "given");
            utilities without an entry were generated.
        tools: the tools that the atoms call, by id; empty if every call succeeds.
    """

    name: str
    tasks: Tasks
    utilities: Mapping[str, Utilities] = field(repr=False)
    preferences: dict[str, str] = field(default_factory=dict, repr=False)
    origins: dict[str, dict[int, str]] = field(default_factory=dict, repr=False)
    tools: dict[str, Tool] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if set(self.utilities) != set(self.tasks.initial):
            raise GameError(f"utilities are needed for {', '.join(self.tasks.agents)}, each once")

    def micro(self, masks: Masks) -> list[int]:
        """Return each agent's utility of an allocation, in millionths, in the agents' order."""
        return [int(self.utilities[agent][masks[agent]]) for agent in self.tasks.agents]

    def utility(self, agent: str, mask: int) -> float:
        """Return an agent's utility of the set of tasks in a mask, in [0, 1]."""
        return int(self.utilities[agent][mask]) / MICRO

    def values(self, agent: str, tasks: Tasks | None = None) -> dict[str, float]:
        """Return each task's value for an agent, by the task's words; empty if not additive.

        Args:
            tasks: some of the scenario's tasks; by default all tasks.
        """
        own, told = self.utilities[agent], tasks or self.tasks
        if not isinstance(own, Additive):
            return {}
        at = members(self.tasks.named(told.names), self.tasks.n)
        worth = own.values[at].tolist()
        return {atom.says: x / MICRO for atom, x in zip(told.atoms, worth, strict=True)}

    @cached_property
    def front(self) -> Front:
        """The Pareto front over all partitions; computed once, exactly.

        Raises:
            GameError: there are too many tasks.
        """
        check_table(self.tasks.n)
        return pareto_front([table_of(self.utilities[agent]) for agent in self.tasks.agents])

    def show(self, secrets: bool = False) -> dict[str, Any]:
        """Return the scenario as plain JSON, masks as bit strings.

        Args:
            secrets: whether to include preferences, utilities, and the origins of utilities.
        """
        tasks = self.tasks
        shown: dict[str, Any] = {
            "name": self.name,
            "atoms": tasks.names,
            "agents": tasks.agents,
            "initial": {agent: tasks.bits(mask) for agent, mask in tasks.initial.items()},
            "registry": {
                tasks.bits(mask): tasks.registry.describe(mask) for mask in self._described()
            },
        }
        if secrets:
            shown["preferences"] = dict(self.preferences)
            tables = {a: u for a, u in self.utilities.items() if not isinstance(u, Additive)}
            shown["utilities"] = {
                agent: {tasks.bits(m): int(u) / MICRO for m, u in enumerate(table)}
                for agent, table in tables.items()
            }
            shown["values"] = {a: self.values(a) for a in tasks.agents if a not in tables}
            shown["origins"] = {
                agent: {tasks.bits(m): origin for m, origin in known.items()}
                for agent, known in self.origins.items()
            }
        return shown

    def _described(self) -> Iterable[int]:
        """Return the sets to describe: all, or single tasks and written sets if there are many."""
        n, written = self.tasks.n, self.tasks.registry.written()
        return range(1 << n) if n <= MAX_ATOMS else sorted({*written, *(1 << i for i in range(n))})

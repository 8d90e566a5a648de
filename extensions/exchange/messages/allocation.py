"""The rules for an allocation in a task exchange, in groups; each rule returns one fault label."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import reduce
from heapq import nlargest
from itertools import combinations
from operator import or_
from typing import Any

from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.wire import Message
from shapley_coop.extensions.exchange.domain.masks import full, members
from shapley_coop.extensions.exchange.domain.scenario import Tasks

MOST_UNKNOWN = 4
SUGGESTED, COMPARED = 64, 500
"""Limits of the search for the nearest description: registry size, and characters compared.
The cost of comparing two descriptions grows with the product of their lengths."""

ASKED = "Do you accept the proposal? Answer <ACCEPT> alone, or <REJECT> with your own <PROPOSAL>."
"""The question sent to an agent that did not answer a pending proposal."""


@dataclass(frozen=True)
class Draft:
    """A parsed message together with the facts that the rules check it against.

    Attributes:
        message: the parsed message.
        tasks: the atoms, the agents and the registered descriptions.
        pending: the proposal that the message must answer (agent → tasks as bits), or None.
    """

    message: Message
    tasks: Tasks
    pending: Mapping[str, str] | None

    @property
    def listed(self) -> dict[str, list[Any]]:
        """Agent → descriptions. Valid only if `object_of_lists` found no fault."""
        return dict(self.message.proposal)

    def mask(self, agent: str) -> int:
        """Return the mask of the agent's tasks. Valid only if `check_registered` found no fault."""
        found = (mask_of(self.tasks, each) for each in self.listed[agent])
        return reduce(or_, (mask for mask in found if mask is not None), 0)

    def masks(self) -> dict[str, str]:
        """Return agent → the bit string of its atoms under the proposal."""
        return {agent: self.tasks.bits(self.mask(agent)) for agent in self.tasks.agents}


Rule = Callable[[Draft], Fault | None]


def mask_of(tasks: Tasks, described: Any) -> int | None:
    """Return the mask of a registered description, or None if there is none.

    Unless tasks are `exact`, a bit string has its mask, too, and so has a description whose final
    full stop is missing or extra, if exactly one registered description is alike.
    """
    found = tasks.registry.mask_of(described)
    if found is not None or tasks.exact or not isinstance(described, str):
        return found
    if len(described) == tasks.n and set(described) <= {"0", "1"}:
        return int(described, 2)
    bare = described.removesuffix(".")
    alike = {tasks.registry.mask_of(each) for each in (bare, f"{bare}.")} - {None}
    return alike.pop() if len(alike) == 1 else None


def proposes(draft: Draft) -> Fault | None:
    """Check that the message has a proposal, or return fault MPT."""
    if draft.message.proposal is not None:
        return None
    answer = f" Or: {ASKED}" if draft.pending else ""
    return Fault("MPT", f"You wrote no proposal: write {shape(draft.tasks.agents)}.{answer}")


def object_of_lists(draft: Draft) -> Fault | None:
    """Check that the proposal is one object whose values are lists, or return fault JSON."""
    proposal = draft.message.proposal
    if isinstance(proposal, dict) and all(isinstance(v, list) for v in proposal.values()):
        return None
    return Fault("JSON", f"Give each agent a list: write {shape(draft.tasks.agents)}.")


def known_agents(draft: Draft) -> Fault | None:
    """Check that the keys of the proposal are exactly the agents, or return fault NAME."""
    agents = ", ".join(draft.tasks.agents)
    strange = [name for name in draft.listed if name not in draft.tasks.initial]
    missing = [name for name in draft.tasks.agents if name not in draft.listed]
    return together(
        [
            *(
                Fault("NAME", f"{name[:64]!r} is no agent: give a list to each of {agents}.")
                for name in strange[:4]
            ),
            *(
                Fault("NAME", f"{name} is missing: give a list to each of {agents}.")
                for name in missing[:4]
            ),
        ]
    )


def answers(draft: Draft) -> Fault | None:
    """Check that proposals have no <ACCEPT>, counter-proposals a <REJECT>, or return fault ACK."""
    accepted = draft.message.accept is not None
    if draft.pending is None:
        if not accepted:
            return None
        return Fault("ACK", "Nothing is pending that you could accept: send your proposal alone.")
    if draft.message.reject is not None and not accepted:
        return None
    return Fault("ACK", f"A proposal is pending, and you do not answer it. {ASKED}")


def check_registered(draft: Draft) -> Fault | None:
    """Check that every description is registered, byte for byte, or return fault UNK."""
    unknown = [
        (agent, description)
        for agent in draft.tasks.agents
        for description in draft.listed.get(agent, [])
        if mask_of(draft.tasks, description) is None
    ]
    return together(
        Fault(
            "UNK",
            f"Unknown task for {agent}: {str(description)[:COMPARED]!r} is not in the "
            f"registry. Copy a description exactly.{_nearest(draft.tasks, description)}",
        )
        for agent, description in unknown[:MOST_UNKNOWN]
    )


def one_each(draft: Draft) -> Fault | None:
    """If tasks are `exact`, check that no agent has several descriptions, or return fault MDA."""
    tasks = draft.tasks
    return together(
        Fault("MDA", f"Several tasks for {agent}: give one, {name_task(tasks, draft.mask(agent))}.")
        for agent, listed in draft.listed.items()
        if tasks.exact and len(listed) > 1
    )


def nobody_empty(draft: Draft) -> Fault | None:
    """Check that every agent has at least one atomic task, or return fault EMP."""
    return together(
        Fault(
            "EMP",
            f"{agent} would have no task (mask={draft.tasks.bits(0)}): everyone keeps at least "
            "one.",
        )
        for agent in draft.tasks.agents
        if not draft.mask(agent)
    )


def disjoint(draft: Draft) -> Fault | None:
    """Check that no atomic task is assigned twice, or return fault OVL."""
    pairs = combinations([(agent, draft.mask(agent)) for agent in draft.tasks.agents], 2)
    return together(
        Fault(
            "OVL",
            f"Overlap: {name_task(draft.tasks, mine)} for {one} and "
            f"{name_task(draft.tasks, theirs)} for {other} share atomic task(s): "
            f"{_atoms(draft.tasks, mine & theirs)}.",
        )
        for (one, mine), (other, theirs) in pairs
        if mine & theirs
    )


def complete(draft: Draft) -> Fault | None:
    """Check that every atomic task is assigned, or return fault MAT."""
    given = reduce(or_, (draft.mask(agent) for agent in draft.tasks.agents))
    if left := full(draft.tasks.n) & ~given:
        return Fault(
            "MAT",
            f"Missing atomic task(s): {_atoms(draft.tasks, left)} "
            f"(mask={draft.tasks.bits(left)}) go to nobody: assign every task.",
        )
    return None


RULES: tuple[tuple[Rule, ...], ...] = (
    (proposes,),
    (object_of_lists,),
    (known_agents, answers, check_registered),
    (one_each, nobody_empty, disjoint, complete),
)
"""The rules for a proposal, in groups. All faults of a group are reported together.

A group is checked only if the group before it found no fault."""


def _nearest(tasks: Tasks, description: Any) -> str:
    if tasks.registry.size > SUGGESTED or not isinstance(description, str):
        return ""
    said = description[:COMPARED]
    matcher = SequenceMatcher(b=said)

    def alike(registered: str) -> float:
        matcher.set_seq1(registered)
        return matcher.quick_ratio()

    every = [tasks.registry.describe(mask) for mask in range(tasks.registry.size)]
    # Comparing the sets of characters is cheap, and finds candidates for the slow exact comparison.
    close = get_close_matches(said, nlargest(3, every, key=alike), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def name_task(tasks: Tasks, mask: int) -> str:
    """Return a text with the description and the mask of a composite task."""
    return f"{tasks.registry.describe(mask)!r} (mask={tasks.bits(mask)})"


def _atoms(tasks: Tasks, mask: int) -> list[str]:
    """Return the description of each single task whose bit is set in a mask."""
    n = tasks.n
    return [tasks.registry.describe(1 << (n - 1 - i)) for i in members(mask, n)]


def shape(agents: Iterable[str]) -> str:
    """Return the form of a proposal: an object with a list for each agent."""
    listed = ", ".join(f'"{agent}": ["…"]' for agent in agents)
    return f"<PROPOSAL>{{{listed}}}</PROPOSAL>"

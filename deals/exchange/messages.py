"""Validating one message of a task exchange: labels in a fixed order, with targeted feedback.

=====  ==========================================================================================
label  refuses (the first that applies)
=====  ==========================================================================================
MPT    no opening <PROPOSAL>, where a proposal is needed
MET    no closing </PROPOSAL>
JSON   not one object of lists
NAME   an unknown agent, or one that is missing
ACK    a pending proposal that is not answered by <ACCEPT> or <REJECT>, or by both at once
UNK    a description that is not byte for byte a registered one
MDA    more than one description for one agent; the feedback names the merged one
EMP    an agent without any task
OVL    two agents share an atom; the feedback names both descriptions, both masks, the atoms
MAT    an atom is not assigned; the feedback names it
=====  ==========================================================================================

Utility-aware exchange, B.2, and three of our own: JSON, NAME, ACK. What the wire itself refuses in
a message that has both tags keeps the wire's label (SIZE, TEXT, TAG, DUP, LONG).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from functools import reduce
from heapq import nlargest
from itertools import combinations
from operator import or_
from typing import Any, Literal

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.games.exchange.masks import full, members
from shapley_coop.games.exchange.scenario import Tasks

LABELS = ("MPT", "MET", "JSON", "NAME", "ACK", "UNK", "MDA", "EMP", "OVL", "MAT")
"""In the order in which they are tried."""

SUGGESTED, COMPARED = 64, 500
"""Most descriptions among which the nearest is suggested, and most characters compared of each:
the cost grows with the product of the lengths."""

Act = Literal["propose", "accept", "reject"]


@dataclass(frozen=True)
class Verdict:
    """The verdict on a message.

    Attributes:
        label: why it is refused; None when it is valid.
        feedback: for its author alone; empty when it is valid.
        masks: agent → bit string: of the allocation proposed or accepted, or of the refused one
            as far as every description in it is known.
        act: what a valid message does; a rejection carries a counter-proposal.
    """

    label: str | None
    feedback: str
    masks: dict[str, str]
    act: Act | None = None

    def record(self) -> dict[str, Any]:
        """The verdict as plain JSON."""
        return {"label": self.label, "feedback": self.feedback, "masks": self.masks}


@dataclass(frozen=True)
class Draft:
    """A message that could be read, and what it is checked against.

    Attributes:
        message: what it says.
        tasks: the atoms, the agents and the registry.
        sender: whose message it is; set by the graph and never read from the text.
        pending: the allocation that the sender has to answer, if there is one.
    """

    message: Message
    tasks: Tasks
    sender: str
    pending: Mapping[str, str] | None

    @property
    def listed(self) -> dict[str, list[Any]]:
        """Agent → descriptions; only once it is known to be an object of lists."""
        return dict(self.message.proposal)

    def mask(self, agent: str) -> int:
        """All that the agent would have; only once every description is known."""
        found = (self.tasks.registry.mask_of(each) for each in self.listed[agent])
        return reduce(or_, (mask for mask in found if mask is not None), 0)

    def masks(self) -> dict[str, str]:
        """Agent → all that it would have, as a bit string."""
        return {agent: self.tasks.bits(self.mask(agent)) for agent in self.tasks.agents}


Rule = Callable[[Draft], Fault | None]


def check_message(
    text: str, tasks: Tasks, sender: str, pending: Mapping[str, str] | None = None
) -> Verdict:
    """Label one message. Whatever text arrives, the answer is a verdict.

    Args:
        text: the message as it was written.
        tasks: the public part of the scenario.
        sender: whose message it is.
        pending: agent → bit string of somebody else's proposal that the sender has to answer.

    Raises:
        ValueError: the sender takes no part.
    """
    if sender not in tasks.initial:
        raise ValueError(f"{sender!r} takes no part: the agents are {', '.join(tasks.agents)}")
    message = scan(text)
    if isinstance(message, Fault):
        fault = _tags_first(text, message)
        return Verdict(fault.label, fault.feedback, {})
    if long := too_long(message):
        return Verdict(long.label, long.feedback, {})
    if message.proposal is None and "<PROPOSAL>" in text:
        message = replace(message, proposal=[])  # null is a proposal, though no object
    if pending is not None and accepts(message):
        return Verdict(None, "", dict(pending), "accept")
    draft = Draft(message, tasks, sender, pending)
    for rule in RULES:
        if refused := rule(draft):
            known = LABELS.index(refused.label) > LABELS.index("UNK")
            return Verdict(refused.label, refused.feedback, draft.masks() if known else {})
    return Verdict(None, "", draft.masks(), "propose" if pending is None else "reject")


def accepts(message: Message) -> bool:
    """Whether a message accepts and has no other answer."""
    return message.accept is not None and message.reject is None and message.proposal is None


def proposes(draft: Draft) -> Fault | None:
    """MPT: there is a proposal."""
    if draft.message.proposal is not None:
        return None
    answer = " Or accept what is pending by <ACCEPT> alone." if draft.pending else ""
    return Fault(
        "MPT",
        "No <PROPOSAL> tag: put the allocation between <PROPOSAL> and </PROPOSAL> as JSON, "
        f"{_shape(draft.tasks)}.{answer}",
    )


def object_of_lists(draft: Draft) -> Fault | None:
    """JSON: one object whose values are lists."""
    proposal = draft.message.proposal
    if isinstance(proposal, dict) and all(isinstance(v, list) for v in proposal.values()):
        return None
    return Fault("JSON", f"The proposal is not an object of lists: write {_shape(draft.tasks)}.")


def known_agents(draft: Draft) -> Fault | None:
    """NAME: exactly the agents are named."""
    agents = ", ".join(draft.tasks.agents)
    if strange := [name for name in draft.listed if name not in draft.tasks.initial]:
        return Fault("NAME", f"{strange[0][:64]!r} is no agent: give a list to each of {agents}.")
    if missing := [name for name in draft.tasks.agents if name not in draft.listed]:
        return Fault("NAME", f"{missing[0]} is missing: give a list to each of {agents}.")
    return None


def answers(draft: Draft) -> Fault | None:
    """ACK: a counter-proposal rejects what is pending; a first one answers nothing."""
    accepted = draft.message.accept is not None
    if draft.pending is None:
        if not accepted:
            return None
        return Fault("ACK", "Nothing is pending that you could accept: send your proposal alone.")
    if draft.message.reject is not None and not accepted:
        return None
    how = "<ACCEPT> alone, or with <REJECT> and your own <PROPOSAL>"
    return Fault("ACK", f"A proposal is pending: answer it with {how}.")


def registered(draft: Draft) -> Fault | None:
    """UNK: every description is registered, byte for byte."""
    for agent in draft.tasks.agents:
        for description in draft.listed[agent]:
            if draft.tasks.registry.mask_of(description) is None:
                return Fault(
                    "UNK",
                    f"Unknown task for {agent}: {str(description)[:COMPARED]!r} is not in the "
                    f"registry. Copy a description exactly.{_nearest(draft.tasks, description)}",
                )
    return None


def one_each(draft: Draft) -> Fault | None:
    """MDA: one description for each agent; descriptions are not merged silently."""
    for agent in draft.tasks.agents:
        if len(draft.listed[agent]) > 1:
            merged = draft.mask(agent)
            return Fault(
                "MDA",
                f"{agent} has {len(draft.listed[agent])} descriptions: give the one that merges "
                f"them, {_named(draft.tasks, merged)}.",
            )
    return None


def nobody_empty(draft: Draft) -> Fault | None:
    """EMP: every agent has at least one atom."""
    for agent in draft.tasks.agents:
        if not draft.mask(agent):
            empty = f"{agent} would have no task (mask={draft.tasks.bits(0)})"
            return Fault("EMP", f"{empty}: everyone keeps at least one.")
    return None


def disjoint(draft: Draft) -> Fault | None:
    """OVL: no atom is assigned twice."""
    for one, other in combinations(draft.tasks.agents, 2):
        mine, theirs = draft.mask(one), draft.mask(other)
        if mine & theirs:
            return Fault(
                "OVL",
                f"Overlap: {_named(draft.tasks, mine)} for {one} and "
                f"{_named(draft.tasks, theirs)} for {other} share atomic task(s): "
                f"{_atoms(draft.tasks, mine & theirs)}.",
            )
    return None


def complete(draft: Draft) -> Fault | None:
    """MAT: every atom is assigned."""
    given = reduce(or_, (draft.mask(agent) for agent in draft.tasks.agents))
    if left := full(draft.tasks.n) & ~given:
        return Fault(
            "MAT",
            f"Missing atomic task(s): {_atoms(draft.tasks, left)} "
            f"(mask={draft.tasks.bits(left)}) go to nobody: assign every task.",
        )
    return None


RULES: tuple[Rule, ...] = (
    proposes,
    object_of_lists,
    known_agents,
    answers,
    registered,
    one_each,
    nobody_empty,
    disjoint,
    complete,
)
"""What a proposal has to pass, in this order; the scanner has found tags and JSON by then."""


def _tags_first(text: Any, fault: Fault) -> Fault:
    """A missing tag is reported before other faults that the scanner finds."""
    if not isinstance(text, str) or "<ACCEPT>" in text:
        return fault
    if "<PROPOSAL>" not in text:
        return Fault("MPT", "No <PROPOSAL> tag: put the allocation between the two tags as JSON.")
    if "</PROPOSAL>" not in text:
        return Fault("MET", "<PROPOSAL> is never closed: add </PROPOSAL>.")
    return fault


def _nearest(tasks: Tasks, description: Any) -> str:
    if len(tasks.registry) > SUGGESTED or not isinstance(description, str):
        return ""
    said = description[:COMPARED]
    matcher = SequenceMatcher(b=said)

    def alike(registered: str) -> float:
        matcher.set_seq1(registered)
        return matcher.quick_ratio()

    every = [tasks.registry.describe(mask) for mask in range(len(tasks.registry))]
    # Comparing the characters as sets is cheap and finds the candidates for the slow comparison.
    close = get_close_matches(said, nlargest(3, every, key=alike), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _named(tasks: Tasks, mask: int) -> str:
    return f"{tasks.registry.describe(mask)!r} (mask={tasks.bits(mask)})"


def _atoms(tasks: Tasks, mask: int) -> list[str]:
    """The atoms of a mask by the descriptions under which each alone is registered."""
    n = tasks.n
    return [tasks.registry.describe(1 << (n - 1 - i)) for i in members(mask, n)]


def _shape(tasks: Tasks) -> str:
    return "{" + ", ".join(f'"{agent}": ["…"]' for agent in tasks.agents) + "}"

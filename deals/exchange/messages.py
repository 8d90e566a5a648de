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
EMP    an agent without any task
OVL    two agents share an atom; the feedback names both descriptions, both masks, the atoms
MAT    an atom is not assigned; the feedback names it
=====  ==========================================================================================

Several descriptions or masks for one agent are read as the composite of all (the paper refuses
them as MDA), one without a list as a list; the author and all others are told.

Utility-aware exchange, B.2, and three of our own: JSON, NAME, ACK. What the wire itself refuses in
a message that has both tags keeps the wire's label (SIZE, TEXT, TAG, DUP, LONG).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from functools import reduce
from heapq import nlargest
from itertools import combinations
from operator import or_
from typing import Any, Literal

from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.hedges import hedged
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.games.exchange.masks import full, members
from shapley_coop.games.exchange.scenario import Tasks

LABELS = ("MPT", "MET", "JSON", "NAME", "ACK", "UNK", "MDA", "EMP", "OVL", "MAT")
"""In the order in which they are tried; MDA, several descriptions for one agent, is in old runs."""

MOST_UNKNOWN = 4
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
        repairs: what was read as something else than it was written as, in words.
    """

    label: str | None
    feedback: str
    masks: dict[str, str]
    act: Act | None = None
    repairs: tuple[str, ...] = ()

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
        found = (mask_of(self.tasks, each) for each in self.listed[agent])
        return reduce(or_, (mask for mask in found if mask is not None), 0)

    def masks(self) -> dict[str, str]:
        """Agent → all that it would have, as a bit string."""
        return {agent: self.tasks.bits(self.mask(agent)) for agent in self.tasks.agents}


Rule = Callable[[Draft], Fault | None]


def mask_of(tasks: Tasks, described: Any) -> int | None:
    """The tasks that a description names byte for byte, or a mask as letters write it."""
    if isinstance(described, str) and len(described) == tasks.n and set(described) <= {"0", "1"}:
        return int(described, 2)
    return tasks.registry.mask_of(described)


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
    message = _message(text, tasks)
    if isinstance(message, Fault):
        fault = _tags_first(text, message)
        return Verdict(fault.label, fault.feedback, {})
    if long := too_long(message):
        return Verdict(long.label, long.feedback, {})
    if message.proposal is None and "<PROPOSAL>" in text:
        message = replace(message, proposal=[])  # null is a proposal, though no object
    if pending is not None and accepts(message):
        if hedged(message.accept or ""):
            return Verdict("ACK", f"You wrote “{(message.accept or '')[:80]}”. {_ASKED}", {})
        return Verdict(None, "", dict(pending), "accept", message.repairs)
    message, merged = _as_lists(message)
    draft = Draft(message, tasks, sender, pending)
    for group in RULES:
        if refused := together(rule(draft) for rule in group):
            known = LABELS.index(refused.label) > LABELS.index("UNK")
            return Verdict(refused.label, refused.feedback, draft.masks() if known else {})
    merged += [
        f"read {agent}'s {len(listed)} tasks as one: {_named(tasks, draft.mask(agent))}"
        for agent, listed in draft.listed.items()
        if len(listed) > 1
    ]
    act: Act = "propose" if pending is None else "reject"
    return Verdict(None, "", draft.masks(), act, (*message.repairs, *merged))


def _message(text: str, tasks: Tasks) -> Message | Fault:
    """The message; quotation marks that a registered description holds may lack their escape."""
    message = scan(text)
    if not isinstance(message, Fault) or message.label != "JSON":
        return message
    escaped = text
    for description in tasks.registry.quoting():
        escaped = escaped.replace(f'"{description}"', json.dumps(description, ensure_ascii=False))
    return message if escaped == text else scan(escaped)


def _as_lists(message: Message) -> tuple[Message, list[str]]:
    """The same with a list for each agent, where one description stands without one."""
    proposal = message.proposal
    if not isinstance(proposal, dict) or not any(isinstance(v, str) for v in proposal.values()):
        return message, []
    listed = {agent: [v] if isinstance(v, str) else v for agent, v in proposal.items()}
    return replace(message, proposal=listed), ["read one description as a list of one"]


def accepts(message: Message) -> bool:
    """Whether a message accepts and has no other answer."""
    return message.accept is not None and message.reject is None and message.proposal is None


def proposes(draft: Draft) -> Fault | None:
    """MPT: there is a proposal."""
    if draft.message.proposal is not None:
        return None
    answer = f" Or: {_ASKED}" if draft.pending else ""
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
    """ACK: a counter-proposal rejects what is pending; a first one answers nothing."""
    accepted = draft.message.accept is not None
    if draft.pending is None:
        if not accepted:
            return None
        return Fault("ACK", "Nothing is pending that you could accept: send your proposal alone.")
    if draft.message.reject is not None and not accepted:
        return None
    return Fault("ACK", f"A proposal is pending, and you do not answer it. {_ASKED}")


def registered(draft: Draft) -> Fault | None:
    """UNK: every description is registered, byte for byte."""
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


def nobody_empty(draft: Draft) -> Fault | None:
    """EMP: every agent has at least one atom."""
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
    """OVL: no atom is assigned twice."""
    pairs = combinations([(agent, draft.mask(agent)) for agent in draft.tasks.agents], 2)
    return together(
        Fault(
            "OVL",
            f"Overlap: {_named(draft.tasks, mine)} for {one} and "
            f"{_named(draft.tasks, theirs)} for {other} share atomic task(s): "
            f"{_atoms(draft.tasks, mine & theirs)}.",
        )
        for (one, mine), (other, theirs) in pairs
        if mine & theirs
    )


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


RULES: tuple[tuple[Rule, ...], ...] = (
    (proposes,),
    (object_of_lists,),
    (known_agents, answers, registered),
    (nobody_empty, disjoint, complete),
)
"""What a proposal has to pass, group by group; all faults of a group are told at once.

A group is only looked at where the one before has nothing against it."""

_ASKED = (
    "Do you accept the proposal? Answer <ACCEPT> alone, or <REJECT> with a <PROPOSAL> of your own."
)


def _tags_first(text: Any, fault: Fault) -> Fault:
    """A missing tag is reported before other faults that the scanner finds."""
    if not isinstance(text, str) or fault.label == "MET":
        return fault
    if any(f"<{tag}>" in text for tag in ("ACCEPT", "PROPOSAL")):
        return fault
    return Fault("MPT", "No <PROPOSAL> tag: put the allocation between the two tags as JSON.")


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

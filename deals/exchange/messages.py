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
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from shapley_coop.deals.exchange.allocation import ASKED, RULES, Draft, name_task
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.hedges import hedged
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.games.exchange.scenario import Tasks

LABELS = ("MPT", "MET", "JSON", "NAME", "ACK", "UNK", "MDA", "EMP", "OVL", "MAT")
"""In the order in which they are tried; MDA is the paper's: here they are merged."""

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
        """Return the verdict as plain JSON."""
        return {"label": self.label, "feedback": self.feedback, "masks": self.masks}


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
    said = without_thoughts(text)
    if isinstance(said, Fault):
        return Verdict(said.label, said.feedback, {})
    text = said
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
            return Verdict("ACK", f"You wrote “{(message.accept or '')[:80]}”. {ASKED}", {})
        return Verdict(None, "", dict(pending), "accept", message.repairs)
    message, merged = _as_lists(message)
    draft = Draft(message, tasks, sender, pending)
    for group in RULES:
        if refused := together(rule(draft) for rule in group):
            known = LABELS.index(refused.label) > LABELS.index("UNK")
            return Verdict(refused.label, refused.feedback, draft.masks() if known else {})
    merged += [
        f"read {agent}'s {len(listed)} tasks as one: {name_task(tasks, draft.mask(agent))}"
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
    """Return the same with a list for each agent, where one description stands without one."""
    proposal = message.proposal
    if not isinstance(proposal, dict) or not any(isinstance(v, str) for v in proposal.values()):
        return message, []
    listed = {agent: [v] if isinstance(v, str) else v for agent, v in proposal.items()}
    return replace(message, proposal=listed), ["read one description as a list of one"]


def accepts(message: Message) -> bool:
    """Return whether a message accepts and has no other answer."""
    return message.accept is not None and message.reject is None and message.proposal is None


def _tags_first(text: Any, fault: Fault) -> Fault:
    """A missing tag is reported before other faults that the scanner finds."""
    if not isinstance(text, str) or fault.label == "MET":
        return fault
    if any(f"<{tag}>" in text for tag in ("ACCEPT", "PROPOSAL")):
        return fault
    return Fault("MPT", "No <PROPOSAL> tag: put the allocation between the two tags as JSON.")

"""The validation of one message of a task exchange: labels in a fixed order, with feedback.

=====  ==========================================================================================
label  refuses (the first that applies)
=====  ==========================================================================================
MPT    no opening <PROPOSAL> although a proposal is needed
MET    no closing </PROPOSAL>
JSON   the proposal is not one object of lists
NAME   an unknown agent, or a missing agent
ACK    a pending proposal is answered by neither <ACCEPT> nor <REJECT>, or by both
UNK    a description that is not equal, byte for byte, to a registered one
MDA    several descriptions for one agent, if the tasks are `exact`
EMP    an agent without any task
OVL    two agents share an atom; the feedback names both descriptions, both masks and atoms
MAT    an atom is not assigned; the feedback names it
=====  ==========================================================================================

By default several descriptions or masks for one agent are read as one set, a string as a list of
one, and a description without its final full stop as the whole; all agents learn of it. If the
tasks are `exact`, no proposal is repaired, as in the paper.

The paper on utility-aware exchange (appendix B.2) has all labels except JSON, NAME and ACK. Faults
found by `wire` in a message with a tag keep the labels of `wire` (SIZE, TEXT, TAG, DUP, LONG).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.hedges import agreeing
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import Message, scan, too_long
from shapley_coop.extensions.exchange.domain.scenario import Tasks
from shapley_coop.extensions.exchange.messages.allocation import (
    ASKED,
    RULES,
    Draft,
    mask_of,
    name_task,
)
from shapley_coop.extensions.exchange.messages.written import as_written

LABELS = ("MPT", "MET", "JSON", "NAME", "ACK", "UNK", "MDA", "EMP", "OVL", "MAT")
"""The labels in the order of the checks."""

Act = Literal["propose", "accept", "reject"]


@dataclass(frozen=True)
class Verdict:
    """The verdict on one message of a task exchange.

    Attributes:
        label: the reason for the refusal; None if the message is valid.
        feedback: words for the author alone; "" if the message is valid.
        masks: agent → its tasks, as bits, in the allocation proposed or accepted. A refused
            allocation is included only if all its descriptions are known; otherwise `masks` is {}.
        act: what a valid message does; a counter-proposal counts as "reject".
        repairs: the repairs of the message's form made in reading it, in words.
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
    """Validate one message and return the verdict; no text makes this function raise.

    Args:
        text: the raw text of the message.
        tasks: the public part of the scenario.
        sender: the author of the message.
        pending: another agent's proposal that the sender must answer: agent → tasks as bits.

    Raises:
        ValueError: the sender is not an agent of the scenario.
    """
    if sender not in tasks.initial:
        raise ValueError(f"{sender!r} does not take part: the agents are {', '.join(tasks.agents)}")
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
        message = replace(message, proposal=[])  # JSON null is a proposal, but a malformed one
    if pending is not None and accepts(message):
        return _accepted(message, pending)
    return _proposed(message, tasks, pending)


def _accepted(message: Message, pending: Mapping[str, str]) -> Verdict:
    """Return the verdict on the acceptance of another agent's proposal."""
    if not agreeing(message.accept or ""):
        return Verdict("ACK", f"You wrote “{(message.accept or '')[:80]}”. {ASKED}", {})
    return Verdict(None, "", dict(pending), "accept", message.repairs)


def _proposed(message: Message, tasks: Tasks, pending: Mapping[str, str] | None) -> Verdict:
    """Return the verdict on a proposal, or on a counterproposal to the pending one."""
    message, merged = (message, []) if tasks.exact else _as_lists(message)
    draft = Draft(message, tasks, pending)
    for group in RULES:
        if refused := together(rule(draft) for rule in group):
            known = LABELS.index(refused.label) > LABELS.index("UNK")
            return Verdict(refused.label, refused.feedback, draft.masks() if known else {})
    merged += [
        f"read {each!r} as {name_task(tasks, mask_of(tasks, each) or 0)}"
        for listed in draft.listed.values()
        for each in listed
        if tasks.registry.mask_of(each) is None and set(each) - {"0", "1"}
    ]
    merged += [
        f"read {agent}'s {len(listed)} tasks as one: {name_task(tasks, draft.mask(agent))}"
        for agent, listed in draft.listed.items()
        if len(listed) > 1
    ]
    act: Act = "propose" if pending is None else "reject"
    return Verdict(None, "", draft.masks(), act, (*message.repairs, *merged))


def _message(text: str, tasks: Tasks) -> Message | Fault:
    """Parse the message; if needed, escape the quotation marks inside registered descriptions."""
    if tasks.exact:
        return _exactly(text)
    message = scan(text)
    if not isinstance(message, Fault) or message.label != "JSON":
        return message
    escaped = text
    for description in tasks.registry.quoting():
        escaped = escaped.replace(f'"{description}"', json.dumps(description, ensure_ascii=False))
    return message if escaped == text else scan(escaped)


def _exactly(text: str) -> Message | Fault:
    """Parse the message strictly: tags only as the protocol writes them, and only valid JSON."""
    message, public = scan(text), as_written(text, repair=False)
    inside, closing, _ = public.partition("<PROPOSAL>")[2].partition("</PROPOSAL>")
    if "<PROPOSAL>" in public and not closing:
        return Fault("MET", "<PROPOSAL> is never closed: write </PROPOSAL> after the JSON.")
    if isinstance(message, Fault):
        return message
    if not closing and (message.proposal is not None or "<ACCEPT>" not in public):
        return Fault("MPT", "No <PROPOSAL> tag: write it exactly so, before the allocation.")
    try:
        json.loads(inside or "{}")
    except ValueError as error:
        return Fault("JSON", f"Between the tags is no valid JSON: {error}.")
    return message if "<REJECT>" in public else replace(message, reject=None)


def _as_lists(message: Message) -> tuple[Message, list[str]]:
    """Return the message with every bare description put into a list, and the repairs in words."""
    proposal = message.proposal
    if not isinstance(proposal, dict) or not any(isinstance(v, str) for v in proposal.values()):
        return message, []
    listed = {agent: [v] if isinstance(v, str) else v for agent, v in proposal.items()}
    return replace(message, proposal=listed), ["read one description as a list of one"]


def accepts(message: Message) -> bool:
    """Return whether a message accepts and neither rejects nor proposes."""
    return message.accept is not None and message.reject is None and message.proposal is None


def rejects(message: Message) -> bool:
    """Return whether a message rejects and neither accepts nor proposes."""
    return message.reject is not None and message.accept is message.proposal is None


def _tags_first(text: Any, fault: Fault) -> Fault:
    """Return an MPT fault if the text has neither <ACCEPT> nor <PROPOSAL>, else the given fault."""
    if not isinstance(text, str) or fault.label == "MET":
        return fault
    if any(f"<{tag}>" in text for tag in ("ACCEPT", "PROPOSAL")):
        return fault
    return Fault("MPT", "No <PROPOSAL> tag: put the allocation between the two tags as JSON.")

"""Checks that an agent accepts without a condition, and that it means the current offer."""

import re
from dataclasses import replace
from typing import Any, Literal

from shapley_coop.deals.language.deal import Deal, Offer
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.hedges import agreeing, denied, hedged, split_reason, written_lines
from shapley_coop.deals.language.meant import find_meant, unwrap
from shapley_coop.deals.language.reading import Reading, read_proposal
from shapley_coop.deals.language.wire import Message

_SHORTEST_HASH = 8
_NUMBERED = re.compile(
    r"\b(?:offer|revision|proposal|number|no\.?)\s{0,3}#?\s{0,3}(\d{1,9})\b|#(\d+)", re.I
)
_ACCEPTANCE = re.compile(r"\baccept", re.IGNORECASE)
_DECISION = re.compile(r"\b(?:accept|reject|veto)", re.IGNORECASE)
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,64}\b")


def accepts_another(message: Message, offer: Offer | None) -> Fault | None:
    """Return a fault unless a message accepts the current offer without a condition.

    An acceptance means the offer in the author's letter. A revision or a hash in the acceptance
    must be that offer's. A condition is a fault; other words are ignored. A proposal beside the
    acceptance is one, too, unless it repeats the offer.
    """
    if message.proposal is not None and not _repeats(message.proposal, offer):
        return Fault("ACK", "You cannot accept and propose at once: do one of the two.")
    if offer is None:
        return Fault("VOID", "There is no offer that you could accept.")
    words = message.accept or ""
    if not agreeing(words) and (hedged(words) or not _named_offers(words)):
        return Fault("ACK", f"You wrote “{words[:80]}” into <ACCEPT>. {ask_back(offer)}")
    for named in _named_offers(words):
        is_hash = len(named) >= _SHORTEST_HASH and offer["hash"].startswith(named)
        if named != str(offer["revision"]) and not is_hash:
            return Fault(
                "STALE",
                f"You accept {named[:80]}, but the offer is number {offer['revision']}, "
                f"hash {offer['hash'][:12]}: write <ACCEPT> alone to accept it.",
            )
    return None


def _repeats(raw: Any, offer: Offer | None) -> bool:
    """Return whether a proposal holds nothing but what the offer holds."""
    found = read_proposal(raw) if offer else None
    if offer is None or not isinstance(found, Reading):
        return False
    said, deal = found.deal, Deal.of(offer["deal"])
    return said.clauses in ((), deal.clauses) and said.drops in ((), deal.drops)


def in_a_word(message: Message) -> Message:
    """Return the message with its last line read as a tag, if that line is an untagged decision.

    Earlier lines must not name a decision, or no acceptance if the last line rejects. If they
    contain a condition, an acceptance counts only with a label such as "Decision:".

    >>> in_a_word(Message(outside="**ACCEPT**")).accept
    ''
    >>> in_a_word(Message(outside="ACCEPT – if you pay")).accept is None
    True
    >>> in_a_word(Message(outside="ACCEPT: it is fair")).accept
    'it is fair'
    >>> in_a_word(Message(outside="I accept offer 2.")).accept
    'offer 2'
    >>> in_a_word(Message(outside="I propose nothing.\\n\\nDecision: REJECT")).reject
    ''
    >>> in_a_word(Message(outside="3 is my floor, so I reject.\\nREJECT")).reject
    ''
    >>> in_a_word(Message(outside="It is too little for me.\\n<LEAVE>")).action
    'leave'
    """
    decided = (message.accept, message.reject, message.proposal, message.action, message.claim)
    if any(part is not None for part in decided):
        return message
    if (found := _last_line(message.outside)) is None:
        return message
    word, reason = found
    decision = DECISIONS[word]
    # A reason to accept may name an offer, which is checked later; a reason to reject is private.
    changes: dict[str, Any] = {decision: reason if decision == "accept" else ""}
    tag = f"<{decision.upper()}>"
    if decision == "leave":
        changes, tag = {"action": decision}, f"<ACTION>{decision}</ACTION>"
    return replace(message, **changes, repairs=(*message.repairs, f"read {word.upper()} as {tag}"))


Decision = Literal["accept", "reject", "leave"]
DECISIONS: dict[str, Decision] = {
    "accept": "accept",
    "sign": "accept",
    "reject": "reject",
    "veto": "reject",
    "leave": "leave",
    "opt out": "leave",
}
"""Word → its decision about an offer."""

_AFTER_DECISION = re.compile(r"\s+-{1,2}\s+|\s*[–—]\s*|[\s*`_]{0,6}:\s+")
"""The marks between a decision and its reason."""

_LABEL = re.compile(r"^(?:(?:my|final) )?(?:decision|answer|vote)[\s*`_]{0,6}[:=]", re.IGNORECASE)
_DECIDED = re.compile(
    r"(?:i(?: will|['’]ll)? )?(?P<word>[a-z]{4,6}|opt out)"
    r"(?: (?P<named>(?:(?:the|this|your) )?(?:(?:offer|proposal|contract|deal)(?: \d{1,9})?|it)))?",
    re.IGNORECASE,
)
"""A decision, perhaps as a sentence: "I accept", "I will sign this contract"."""


def _last_line(outside: str) -> tuple[str, str] | None:
    """Return the decision in the last line and the reason after it; None if that is unclear."""
    *before, last = written_lines(outside) or [""]
    last = unwrap(last)
    bare, said = _LABEL.sub("", last, count=1), "\n".join(before)
    choice, reason = split_reason(bare, _AFTER_DECISION)
    decided = _DECIDED.fullmatch(unwrap(choice))
    word = find_meant(decided["word"], DECISIONS) if decided else None
    if decided is None or word is None:
        return None
    accepts = DECISIONS[word] == "accept"
    if (_DECISION if accepts else _ACCEPTANCE).search(f"{said}\n{reason}"):
        return None
    in_doubt = accepts and ((bare == last and hedged(said)) or not agreeing(reason))
    words = " ".join(filter(None, [decided["named"], reason]))
    return None if in_doubt or denied(reason) else (word, words)


def quote_unknown_decision(message: Message) -> str:
    """Return a sentence that quotes an answer's unknown decision, or "" without such a decision.

    >>> quote_unknown_decision(Message(outside="Decision: perhaps"))
    'You decided “perhaps”. '
    """
    last = ["", *written_lines(message.outside)][-1]
    found = _LABEL.match(last) if message.accept is None and message.reject is None else None
    said = last[found.end() :].strip() if found else ""
    return f"You decided “{said[:80]}”. " if said and not find_meant(said, DECISIONS) else ""


def ask_back(offer: Offer | None) -> str:
    """Return the question that asks for a clear decision on the offer.

    >>> ask_back(None)
    'Do you accept the offer? Answer <ACCEPT> or <REJECT>.'
    """
    which = f"offer {offer['revision']}" if offer else "the offer"
    return f"Do you accept {which}? Answer <ACCEPT> or <REJECT>."


def _named_offers(words: str) -> list[str]:
    """Return the revisions and hashes of offers that an acceptance names."""
    parts = words.split()
    if parts and len(parts) <= 2 and any(char.isdigit() for char in parts[0]):
        return [part.strip("#(),") for part in parts]
    numbers = [found[1] or found[2] for found in _NUMBERED.finditer(words)]
    return [*numbers, *_HASH.findall(words)]

"""Readers of a task exchange's messages: delivered text, utility estimates, and the deal."""

import json
import re
from collections.abc import Mapping
from itertools import permutations
from math import isfinite
from typing import Any

from shapley_coop.deals.language.clauses import AnyClause, Do, Give
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.elements import PRIVATE, TAG_LIKE
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.when import Turns
from shapley_coop.deals.language.wire import MAX_MESSAGE, Message, scan
from shapley_coop.extensions.exchange.domain.masks import from_bits, members
from shapley_coop.extensions.exchange.domain.scenario import Tasks

_MOST_OBJECTS = 32
_BARE = ("ACCEPT", "REJECT")


def as_written(text: str, repair: bool = True) -> str:
    """Return the delivered part of a message: its public elements, unchanged, one a line.

    With `repair`, a repaired message is delivered in its repaired form. Text outside the elements,
    or after a bare <ACCEPT> or <REJECT>, is private. In a message that is not repaired, an unclosed
    element extends to the next tag or to the end. If the end of the model's thoughts is unclear,
    nothing is delivered. Cost: linear in the text, which is cut at `MAX_MESSAGE` characters.
    """
    message = scan(text)
    if repair and isinstance(message, Message) and message.repairs:
        return _as_read(message)
    said = without_thoughts(text[:MAX_MESSAGE])
    return "" if isinstance(said, Fault) else _elements(said)


def _as_read(message: Message) -> str:
    """Return the public elements of a parsed message, each written in its standard form."""
    parts = [
        f"<{tag}>{said}</{tag}>" if said else f"<{tag}>"
        for tag, said in (("ACCEPT", message.accept), ("REJECT", message.reject))
        if said is not None
    ]
    if message.speech is not None:
        parts.append(f"<s>{message.speech}</s>")
    if message.proposal is not None:
        parts.append(f"<PROPOSAL>{json.dumps(message.proposal, ensure_ascii=False)}</PROPOSAL>")
    return "\n".join(parts)


def _elements(text: str) -> str:
    """Return the public elements unchanged; of a bare <ACCEPT> or <REJECT>, only the tag."""
    kept, tag, start = [], "", 0
    tags = [found for found in TAG_LIKE.finditer(text) if found.group(3).strip() in ("", "/")]
    closed = {_name(found) for found in tags if found.group(1)}
    for found in tags:
        closing, name = found.group(1), _name(found)
        if tag in PRIVATE and not (closing and name == tag):
            continue
        if tag and tag not in PRIVATE:
            kept.append(text[start : found.end() if closing and name == tag else found.start()])
        bare = name in _BARE and not closing and name not in closed
        if bare:
            kept.append(found.group())
        tag, start = ("", 0) if closing or bare else (name, found.start())
    if tag and tag not in PRIVATE:
        kept.append(text[start:])
    return "\n".join(element.strip() for element in kept)


def _name(found: re.Match[str]) -> str:
    return found.group(2) if found.group(2) == "s" else found.group(2).upper()


def estimates(consider: str | None) -> dict[str, float]:
    """Return the other agents' utilities as estimated in the text of a CONSIDER element.

    The estimates are JSON anywhere in the text: `{"estimates": {"Bob": 0.6}}`. Values that are
    not numbers in [0, 1] are left out.
    """
    decoder, text = json.JSONDecoder(), consider or ""
    for match in list(re.finditer(r"\{", text))[:_MOST_OBJECTS]:
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        told = found.get("estimates") if isinstance(found, dict) else None
        if isinstance(told, Mapping):
            return {str(a): float(x) for a, x in told.items() if _is_utility(x)}
    return {}


def as_deal(tasks: Tasks, masks: Mapping[str, str]) -> Deal:
    """Return an allocation as a deal: gifts of tasks at turn 1, then a `Do` for each task."""
    n, after = tasks.n, {agent: from_bits(masks[agent], tasks.n) for agent in tasks.agents}
    clauses: list[AnyClause] = [
        Give(giver=one, receiver=other, good=tasks.names[i], quantity=1, when=_at(1))
        for one, other in permutations(tasks.agents, 2)
        for i in members(tasks.initial[one] & after[other], n)
    ]
    clauses += [
        Do(agent=agent, action=tasks.names[i], when=_at(turn))
        for agent in tasks.agents
        for turn, i in enumerate(members(after[agent], n), start=2)
    ]
    return Deal(clauses=tuple(clauses))


def _at(turn: int) -> Turns:
    return Turns(turns=(turn, turn))


def _is_utility(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and isfinite(value) and 0 <= value <= 1

"""From an exchange's messages: what is delivered, the estimates in them, and the deal."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Turns
from shapley_coop.deals.language.wire import MAX_MESSAGE, Message, scan
from shapley_coop.games.exchange.masks import from_bits, members
from shapley_coop.games.exchange.scenario import Tasks

_TAG = re.compile(r"<(/?)(s|CONSIDER|PROPOSAL|ACCEPT|REJECT)>")
_MOST_OBJECTS = 32


def as_written(text: str) -> str:
    """What is delivered of a message: every element but CONSIDER, byte for byte, a line each.

    Text outside the elements is private. Nothing is checked: an element that is never closed goes
    on to the next tag or the end. Linear in the text, which is cut at `MAX_MESSAGE` characters.
    """
    kept, tag, start = [], "", 0
    text = text[:MAX_MESSAGE]
    for match in _TAG.finditer(text):
        closing, name = match.groups()
        if tag == "CONSIDER" and not (closing and name == tag):
            continue
        if tag and tag != "CONSIDER":
            kept.append(text[start : match.end() if closing and name == tag else match.start()])
        tag, start = ("", 0) if closing else (name, match.start())
    if tag and tag != "CONSIDER":
        kept.append(text[start:])
    return "\n".join(element.strip() for element in kept)


def said_in(delivered: str) -> Message:
    """The elements of a delivered message as far as they can be read; empty where they cannot."""
    message = scan(delivered)
    return message if isinstance(message, Message) else Message()


def estimates(consider: str | None) -> dict[str, float]:
    """An agent's estimates of what its proposal is worth to the others, from its CONSIDER.

    It is asked for as JSON, `{"estimates": {"Bob": 0.6}}`, anywhere in the text; numbers outside
    [0, 1] and everything else are left out.
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


def as_deal(tasks: Tasks, masks: Mapping[str, str], from_turn: int = 1) -> Deal:
    """An allocation as a deal: each atom held becomes a `Do` of its owner, one a turn."""
    return Deal(
        clauses=tuple(
            Do(agent=agent, action=tasks.names[i], when=Turns(turns=(turn, turn)))
            for agent in tasks.agents
            for turn, i in enumerate(members(from_bits(masks[agent], tasks.n), tasks.n), from_turn)
        )
    )


def _is_utility(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and isfinite(value) and 0 <= value <= 1

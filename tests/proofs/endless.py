"""Agents that would never stop: stallers, babblers and token bombs."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from tests.proofs.arenas import ARENAS, unfair_split
from tests.proofs.hostile import Asked

CHARACTERS_PER_TOKEN = 4
BOMB = 60_000
"""Characters of a bomb: as long as a message may be, nearly."""

ARENA = {arena.workflow: arena for arena in ARENAS}

Behaviour = Callable[[Asked, Random, str], str]
"""(what is asked, dice, workflow) → what is said."""


def sound(asked: Asked, rng: Random, workflow: str) -> str:
    """Say what an embedded agent would say."""
    return asked.sound


def stall(asked: Asked, rng: Random, workflow: str) -> str:
    """Reject everything, and counter with an unacceptable proposal."""
    other = next(agent for agent in asked.facts["agents"] if agent != asked.agent)
    arena = ARENA.get(workflow)
    if arena is None or asked.act not in (*arena.acts, "propose_split", "answer_split"):
        return asked.sound
    unfair = unfair_split if asked.act.endswith("_split") else arena.unfair
    answers = asked.act.startswith("answer") or "pending" in asked.facts
    content = json.dumps(unfair(rng, asked.agent, other))
    return f"{'<REJECT>' * answers}<s>Or rather:</s><PROPOSAL>{content}</PROPOSAL>"


def decline(asked: Asked, rng: Random, workflow: str) -> str:
    """Propose nothing and accept nothing."""
    bargaining = ("propose", "answer", "contract_")
    return "<s>Let me think.</s><REJECT>" if asked.act.startswith(bargaining) else asked.sound


def babble(asked: Asked, rng: Random, workflow: str) -> str:
    """Answer nonsense to every letter."""
    return rng.choice(["", "Well…", "<s>Hm", "<ACTION>fly</ACTION>", "<PROPOSAL>{}</PROPOSAL>"])


def break_off(asked: Asked, rng: Random, workflow: str) -> str:
    """Agree to everything and keep nothing of it, so that it is bargained over again."""
    if asked.act.startswith(("answer", "contract_answer", "contract_sign")):
        return "<ACCEPT>"
    if asked.act == "act":
        return f"<ACTION>{asked.facts['legal'][0]}</ACTION>"
    return asked.sound


def bomb(asked: Asked, rng: Random, workflow: str) -> str:
    """Send messages of the greatest length, which all agents have to read."""
    return asked.sound.replace("<s>", f"<s>{'blah ' * (BOMB // 5)}", 1)


def burst(asked: Asked, rng: Random, workflow: str) -> str:
    """Say more than a message can hold."""
    return "blah " * (2 * BOMB // 5)


BEHAVIOURS: dict[str, Behaviour] = {
    "staller": stall,
    "decliner": decline,
    "babbler": babble,
    "breaker": break_off,
    "token bomb": bomb,
    "oversized bomb": burst,
}


def metered(asked: Asked, text: str, most: int) -> AIMessage:
    """An answer with its usage, cut at so many tokens, as an endpoint cuts it; 0 is no limit."""
    cut = most and len(text) > most * CHARACTERS_PER_TOKEN
    text = text[: most * CHARACTERS_PER_TOKEN] if cut else text
    shown, said = len(asked.letter) // CHARACTERS_PER_TOKEN, len(text) // CHARACTERS_PER_TOKEN
    usage = UsageMetadata(input_tokens=shown, output_tokens=said, total_tokens=shown + said)
    ended: dict[str, Any] = {"finish_reason": "length" if cut else "stop"}
    return AIMessage(text, usage_metadata=usage, response_metadata=ended)

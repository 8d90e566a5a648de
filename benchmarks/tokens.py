"""The tokens billed for an agreement, by a model of a provider's prefix cache over real letters.

The cache works in blocks. A block of a prompt is cached if it and all blocks before it equal those
of an earlier prompt, and if the cached prefix is long enough. Calls of one wave are sent at the
same moment, so they find only blocks of earlier waves.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import count, islice, takewhile
from typing import Any

from benchmarks.figures import Figure
from benchmarks.seats import haggler, scratch, scripted_reply, waves
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

BLOCK, LEAST = 128, 1024
"""Tokens of a cache block, and the fewest tokens of a cached prefix, as at large providers."""

PER_TOKEN = 4
"""Characters per token, by a rule of thumb, since letters are not tokenised here."""

CACHED = 0.1
"""The price of a cached input token; other input tokens cost 1."""

Wave = list[str]


def tokens(agents: int = 10, rounds: int = 30, speech: int = 160) -> list[Figure]:
    """Measure the input tokens billed for a deal that is signed in the last round of talk.

    Args:
        agents: the number of heroes of a raid.
        rounds: the number of rounds of talk; every agent speaks once a round.
        speech: the characters of a public message.
    """
    talk = asyncio.run(_letters(agents, rounds, speech, recall=0))
    short = asyncio.run(_letters(agents, rounds, speech, recall=10))
    number = count(1)
    naive = [[f"Message {next(number)}.\n{letter}" for letter in wave] for wave in talk]
    what = f"tokens billed, {agents} agents × {rounds} turns"
    ours = "what is long past in sum, one call of a wave sent ahead"
    return [
        Figure(f"{what}, {ours}", billed(ahead(short)) / 1e3, "k", 150, 210),
        Figure(f"{what}, the whole history behind a counter", billed(naive) / 1e3, "k"),
    ]


def billed(talk: Iterable[Wave]) -> float:
    """Return the billed tokens of all letters, in full-price tokens, with one cache for all."""
    known: set[int] = set()
    total = 0.0
    for wave in talk:
        split = [[*_blocks(letter)] for letter in wave]
        for letter, blocks in zip(wave, split, strict=True):
            hit = BLOCK * sum(1 for _ in takewhile(known.__contains__, blocks))
            total += len(letter) // PER_TOKEN - (hit * (1 - CACHED) if hit >= LEAST else 0)
        known.update(*split)
    return total


def ahead(talk: Iterable[Wave]) -> Iterator[Wave]:
    """Yield the waves with the first call of each as a wave before the others."""
    for wave in talk:
        yield wave[:1]
        yield wave[1:]


def _blocks(letter: str) -> Iterator[int]:
    """Yield a hash of each whole block, which covers the block and everything before it."""
    before, size = 0, BLOCK * PER_TOKEN
    for start in range(0, len(letter) - size + 1, size):
        before = hash((before, letter[start : start + size]))
        yield before


async def _letters(agents: int, rounds: int, speech: int, recall: int) -> list[Wave]:
    """Play a real negotiation, and return its letters wave by wave.

    With `recall`, at least so many of the latest events are told one by one, and older ones in sum.
    """
    # The boss falls at the first blow, so that nearly all letters belong to the talk.
    params = {"heroes": agents, "boss_hp": 1}
    first: dict[str, Any] = {"kind": "do", "action": "Taunt"}
    clauses = [
        {**first, "agent": f"Hero{n}", "when": {"every": agents, "start": n}} for n in range(1, 4)
    ]
    room = RunConfig(game="raid_battle", params=params, rounds=rounds, recall=recall)
    with scratch(), scripted_reply(haggler(clauses, "Fireball", speech)):
        async with clients():
            outcome = await play("negotiation", room)
        assert outcome["status"] == "agreed", "the deal that is haggled over is sound"
        letters = (entry.letter_text for entry in home().journal.entries(outcome["episode"]))
        return [[*islice(letters, width)] for width in waves(agents, rounds)]

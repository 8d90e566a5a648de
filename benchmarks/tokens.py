"""The tokens billed for an agreement, by a model of a provider's prefix cache over real letters.

The cache works in blocks. A block of a prompt is cached if it and all blocks before it equal those
of an earlier prompt, and if the cached prefix is long enough. Calls of one wave are sent at the
same moment, so they find only blocks of earlier waves.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from benchmarks.seats import haggler, scratch, scripted_reply, waves
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import as_text
from shapley_coop.state.run_config import RunConfig

BLOCK, LEAST = 128, 1024
"""Tokens of a cache block, and the fewest tokens of a cached prefix, as at large providers."""

PER_TOKEN = 4
"""Characters per token, by a rule of thumb, since letters are not tokenised here."""

CACHED = 0.1
"""The price of a cached input token; other input tokens cost 1."""

NAIVE, WHOLE, IN_SUM = (
    "naive: the whole history, behind a counter",
    "ours, the whole history",
    "ours, what is long past in sum (recall={})",
)

WARM = "one call of a wave sent ahead (warm_cache)"

Wave = list[str]


@dataclass(frozen=True)
class Bill:
    """The input tokens of some prompts: all, and those read from the cache."""

    total: int
    cached: int

    @property
    def anew(self) -> int:
        """The tokens that were not in the cache."""
        return self.total - self.cached

    @property
    def billed(self) -> float:
        """The billed tokens: full price for uncached ones, and a tenth for cached ones."""
        return self.anew + self.cached * CACHED


def tokens(agents: int = 10, rounds: int = 30, speech: int = 160, recall: int = 10) -> Found:
    """Measure the input tokens of a negotiation that agrees in the last of many rounds.

    Args:
        agents: the number of heroes of a raid.
        rounds: the number of rounds of talk; every agent speaks once a round.
        speech: the characters of a public message.
        recall: the least number of latest events told one by one if older ones are summarised.
    """
    talk = asyncio.run(_letters(agents, rounds, speech, recall=0))
    short = asyncio.run(_letters(agents, rounds, speech, recall))
    number = count(1)
    naive = [[f"Message {next(number)}.\n{letter}" for letter in wave] for wave in talk]
    found = {
        NAIVE: bill(naive),
        WHOLE: bill(talk),
        f"{WHOLE}, {WARM}": bill(ahead(talk)),
        IN_SUM.format(recall): bill(short),
        f"{IN_SUM.format(recall)}, {WARM}": bill(ahead(short)),
    }
    rows: list[list[Cell]] = [
        [name, b.billed / found[NAIVE].billed, b.billed / 1e3, b.total / 1e3, b.anew / 1e3]
        for name, b in found.items()
    ]
    goal = f"tokens billed, {agents} agents × {rounds} turns"
    return Found(
        f"{agents} agents, {rounds} rounds of talk of {speech} characters a message, agreed in the "
        f"last: {sum(map(len, talk))} letters, and the same agreement with every prompt.",
        ("prompt", "billed / naive", "billed, k", "input, k", "read anew, k"),
        rows,
        [Goal(goal, 150, found[f"{IN_SUM.format(recall)}, {WARM}"].billed / 1e3, "k", must=210)],
        [
            f"Modelled: blocks of {BLOCK} tokens, prefixes from {LEAST} tokens on, {PER_TOKEN} "
            f"characters a token, cached input at {CACHED:g} of the price; a wave's parallel calls "
            "find only what earlier waves left.",
            "A warm cache takes a call more for each wave of several: they wait for the first.",
            f"Telling what is long past in sum costs the cache each time it is done; here it pays "
            f"from {pays_from(talk, short) or 'no'} letters on.",
        ],
    )


def bill(talk: Iterable[Wave]) -> Bill:
    """Return the bill for all letters, with one cache for all agents."""
    return list(bills(talk))[-1]


def bills(talk: Iterable[Wave]) -> Iterator[Bill]:
    """Yield the bill for all letters so far, after each wave."""
    known: set[int] = set()
    total = cached = 0
    for wave in talk:
        left: set[int] = set()
        for letter in wave:
            blocks = list(_blocks(letter))
            hit = next((n for n, block in enumerate(blocks) if block not in known), len(blocks))
            total += len(letter) // PER_TOKEN
            cached += hit * BLOCK if hit * BLOCK >= LEAST else 0
            left.update(blocks)
        known |= left
        yield Bill(total, cached)


def ahead(talk: Iterable[Wave]) -> Iterator[Wave]:
    """Yield the waves with the first call of each as a wave before the others."""
    for wave in talk:
        yield wave[:1]
        if wave[1:]:
            yield wave[1:]


def pays_from(whole: list[Wave], short: list[Wave]) -> int | None:
    """Return the number of letters from which summaries stay cheaper; None if they never are."""
    cheaper = [b.billed < a.billed for a, b in zip(bills(whole), bills(short), strict=True)]
    if not cheaper[-1]:
        return None
    dearer = [n for n, yes in enumerate(cheaper) if not yes]
    return sum(map(len, whole[: dearer[-1] + 2 if dearer else 1]))


def _blocks(letter: str) -> Iterator[int]:
    """Yield a hash of each whole block, which covers the block and everything before it."""
    before, size = 0, BLOCK * PER_TOKEN
    for start in range(0, len(letter) - size + 1, size):
        before = hash((before, letter[start : start + size]))
        yield before


async def _letters(agents: int, rounds: int, speech: int, recall: int) -> list[Wave]:
    """Play a real negotiation, and return its letters wave by wave."""
    sent: list[str] = []
    # The boss falls at the first blow, so that nearly all letters belong to the talk.
    params = {"heroes": agents, "boss_hp": 1}
    first: dict[str, Any] = {"kind": "do", "action": "Taunt"}
    clauses = [
        {**first, "agent": f"Hero{n}", "when": {"every": agents, "start": n}} for n in range(1, 4)
    ]
    script = haggler(clauses, "Fireball", speech)
    with scratch(), scripted_reply(script, heard=lambda messages: sent.append(as_text(messages))):
        async with clients():
            room = RunConfig(game="raid_battle", params=params, rounds=rounds, recall=recall)
            outcome = await play("negotiation", room)
    assert outcome["status"] == "agreed", "the deal that is haggled over is sound"
    return list(_in_waves(sent, waves(agents, rounds)))


def _in_waves(letters: list[str], widths: list[int]) -> Iterator[Wave]:
    remaining = iter(letters)
    for width in widths:
        yield list(islice(remaining, width))
    assert next(remaining, None) is None, "every letter belongs to a wave"

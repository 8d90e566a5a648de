"""The lengths of letters in whole runs of embedded agents."""

import asyncio
from collections.abc import Mapping
from typing import Any

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.seats.records import Entry
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

PER_TOKEN = 4
"""Characters per token, by a rule of thumb, since letters are not tokenised here."""

RUNS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("shapley_coop", "raid_battle", {}),
    ("llm_only", "prisoners_dilemma", {"rounds": 3}),
    ("negotiation", "escape_room", {}),
    ("short_term", "escape_room", {}),
    ("shapley_coop", "escape_room", {}),
    ("contracts", "prisoners_dilemma", {"rounds": 3}),
    ("settlement", "delivered", {}),
    ("task_exchange", "task_exchange", {}),
    ("task_exchange_baseline", "task_exchange", {}),
    ("shapley_coop", "software_company", {}),
    ("shapley_coop", "public_goods", {}),
)
"""Workflow, game and parameters; seats are embedded, the seed is 3."""

LIMITS = {
    ("raid_battle", "act"): 2_500,
    ("task_exchange", "exchange"): 7_000,
    ("software_company", "act"): 8_000,
}
"""(game, act) → the most characters that the longest letter should have."""


def letters(most: int = len(RUNS)) -> Found:
    """Measure the lengths of letters in whole runs.

    Args:
        most: the number of runs of `RUNS` to play.
    """
    rows: list[list[Cell]] = []
    goals = []
    for graph, game, params in RUNS[:most]:
        entries = asyncio.run(written(graph, game, params))
        longest = {act: max(map(len, found)) for act, found in by_act(entries).items()}
        whole = sum(len(entry.letter_text) for entry in entries) / PER_TOKEN
        longest_act = max(longest, key=longest.__getitem__)
        told = f"{longest_act} {longest[longest_act] / PER_TOKEN:.0f}"
        rows.append([f"{graph}, {game}", whole / len(entries), whole, told])
        goals += [
            Goal(f"{graph}, {game}: {act}, characters of the longest", limit, longest[act])
            for act in longest
            if (limit := LIMITS.get((game, act)))
        ]
    return Found(
        f"Tokens of letters, {PER_TOKEN} characters each, in runs of embedded agents.",
        ("run", "a letter", "the whole run", "the longest"),
        rows,
        goals,
    )


def by_act(entries: list[Entry]) -> dict[str, list[str]]:
    """Return act → the letters that ask for it, sorted by act."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        found.setdefault(entry.act, []).append(entry.letter_text)
    return dict(sorted(found.items()))


async def written(graph: str, game: str, params: Mapping[str, Any]) -> list[Entry]:
    """Play one run, and return all its letters with their answers."""
    with scratch():
        async with clients():
            outcome = await play(graph, RunConfig(game=game, params=dict(params), seed=3))
        return list(home().journal.entries(outcome["episode"]))

"""How long letters are, by workflow and by what they ask for, beside what they were.

What they were is kept in `letters_before.json`: the same runs at commit 512cc62, when letters
showed their facts as JSON.
"""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.seats.records import Entry
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

PER_TOKEN = 4
"""Characters: a rule of thumb, as nothing is tokenised here."""

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
"""Game and act → characters that the longest letter should have at most."""

ALL = "all"
_BEFORE = Path(__file__).with_name("letters_before.json")


def letters(most: int = len(RUNS)) -> Found:
    """Tokens of letters, now and before.

    Args:
        most: how many of the runs are measured.
    """
    before = json.loads(_BEFORE.read_text(encoding="utf-8"))
    rows: list[list[Cell]] = []
    goals = []
    for graph, game, params in RUNS[:most]:
        entries = asyncio.run(written(graph, game, params))
        was = before[f"{graph}, {game}"]
        for act, found in by_act(entries).items():
            longest = max(map(len, found))
            mean = sum(map(len, found)) / len(found) / PER_TOKEN
            old = was.get(act, [0, None, None])[1]
            name = f"{graph}, {game}: {act}"
            rows.append([name, mean / old if old else None, mean, old, longest / PER_TOKEN])
            if limit := LIMITS.get((game, act)):
                goals.append(Goal(f"{name}, characters of the longest", limit, longest))
        whole, old = sum(len(e.letter_text) for e in entries) / PER_TOKEN, was[ALL][1]
        rows.append([f"**{graph}, {game}: the whole run**", whole / old, whole, old, None])
    return Found(
        f"Tokens of a letter, {PER_TOKEN} characters each, in runs of embedded agents.",
        ("letters", "now / before", "tokens, mean", "before", "longest"),
        rows,
        goals,
        ["Before: commit 512cc62. A whole run has as many letters as it had talk and turns."],
    )


def by_act(entries: list[Entry]) -> dict[str, list[str]]:
    """Act → the letters that asked for it."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        found.setdefault(entry.act, []).append(entry.letter_text)
    return dict(sorted(found.items()))


async def written(graph: str, game: str, params: Mapping[str, Any]) -> list[Entry]:
    """Every letter of one run, with its answer."""
    with scratch():
        async with clients():
            outcome = await play(graph, RunConfig(game=game, params=dict(params), seed=3))
        return list(home().journal.entries(outcome["episode"]))

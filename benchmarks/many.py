"""Runs with many embedded agents: the lengths of letters, and the tokens of an agreement.

How embedded agents play says nothing about language models. Only the growth is measured.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, exponent
from benchmarks.seats import scratch
from shapley_coop.games.dice import dice
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

RUNS = (
    ("llm_only", "public_goods"),
    ("negotiation", "public_goods"),
    ("short_term", "public_goods"),
    ("llm_only", "raid_battle"),
    ("negotiation", "raid_battle"),
    ("call_market", "trade"),
    ("pairwise_exchange", "task_exchange"),
)
"""Workflow and game of the runs whose letters are measured."""


def many(sizes: tuple[int, int] = (10, 1000), runs: int = len(RUNS)) -> list[Figure]:
    """Measure the longest letter of a run of a thousand agents beside that of a run of ten.

    Args:
        sizes: the smaller and the larger number of agents.
        runs: the number of entries of `RUNS` to measure.
    """
    few, most = sizes
    return [
        Figure(
            f"{graph}, {game}, {most} agents: longest letter / that of {few}",
            asyncio.run(_longest(graph, game, most)) / asyncio.run(_longest(graph, game, few)),
            goal=1.1,
            floor=1.5,
        )
        for graph, game in RUNS[:runs]
    ]


async def _longest(graph: str, game: str, n: int) -> int:
    """Return the characters of the longest letter of a run that is no second request."""
    with scratch() as folder:
        room = RunConfig(game=game, params=_params(game, n, folder), seed=1)
        async with clients():
            outcome = await play(graph, room)
        entries = home().journal.entries(outcome["episode"])
        return max(len(entry.letter_text) for entry in entries if entry.attempt == 1)


def _params(game: str, n: int, folder: Path) -> dict[str, Any]:
    match game:
        case "public_goods":
            return {"agents": n, "rounds": 1}
        case "raid_battle":
            return {"heroes": n, "rounds": 2}
        case "trade":
            return {"market": _market(folder / "market.json", n)}
    talk = {"meetings": 2, "talk": 4}
    return {"agents": n, "atoms": 2 * n, "scenario": "generated", "additive": True, **talk}


def _market(file: Path, n: int) -> str:
    """Write a market of one good, of which every other agent owns four units; return its path."""
    draw = dice(1, 0, "market")
    agents: dict[str, Any] = {}
    for k in range(n):
        worths = sorted(draw.integers(1, 21, size=4).tolist(), reverse=True)
        agents[f"Agent{k}"] = {"holds": {"wood": 4 * (k % 2)}, "worth": {"wood": worths}}
    file.write_text(json.dumps({"agents": agents}), encoding="utf-8")
    return str(file)


def delegates(
    sizes: tuple[int, ...] = (12, 100, 1000),
    seeds: int = 3,
    games: Sequence[str] = ("public_goods", "volunteers"),
) -> list[Figure]:
    """Measure the tokens of an agreement by delegates, and of one over which all agents bargain.

    Args:
        sizes: the numbers of agents; all bargain at the first only.
        seeds: the number of runs of each game up to 100 agents; above there is one.
        games: the games, played for one turn.
    """
    figures: list[Figure] = []
    for game in games:
        costs = {n: _agreement("delegates", game, n, seeds if n <= 100 else 1) for n in sizes}
        all_bargain = _agreement("shapley_coop", game, sizes[0], seeds)
        what = f"tokens of an agreement, {game}"
        figures += [
            Figure(f"{what}: exponent against agents", exponent(costs), goal=1.0, floor=1.2),
            *(Figure(f"{what}, {n} agents", cost / 1e3, "k") for n, cost in costs.items()),
            Figure(f"{what}, {sizes[0]} agents, all bargain", all_bargain / 1e3, "k"),
        ]
    return figures


def _agreement(graph: str, game: str, n: int, seeds: int) -> float:
    """Return the input and output tokens of some runs for each deal that was signed in them."""
    params = {"agents": [f"P{i}" for i in range(1, n + 1)], "rounds": 1}
    with scratch():
        ended = [
            asyncio.run(play(graph, RunConfig(game=game, params=params, seed=seed)))
            for seed in range(seeds)
        ]
    used = [outcome["usage"] for outcome in ended]
    spent = sum(use["input_tokens"] + use["output_tokens"] for use in used)
    return spent / sum(outcome["contract"] is not None for outcome in ended)

"""The ablation's runs: some at once, and told in the order of their seeds."""

import asyncio
from typing import Any

import pytest

from shapley_coop.evals.papers import conditions
from shapley_coop.evals.papers.conditions import AT_ONCE, CONDITIONS, run_conditions
from shapley_coop.state import RunConfig


async def test_runs_wait_for_their_models_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, most, ended = 0, 0, 0

    async def play(graph: str, room: RunConfig) -> dict[str, Any]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(9 - room.seed % 9):  # later seeds are faster
            await asyncio.sleep(0)
        under_way -= 1
        return {"graph": graph, "seed": room.seed}

    def done() -> None:
        nonlocal ended
        ended += 1

    monkeypatch.setattr(conditions, "play", play)
    results = await run_conditions(RunConfig(), range(9), done)
    assert most == AT_ONCE
    assert ended == 9 * len(CONDITIONS)
    assert results == {
        graph: [{"graph": graph, "seed": seed} for seed in range(9)] for graph in CONDITIONS
    }

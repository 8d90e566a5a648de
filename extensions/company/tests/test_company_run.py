"""The whole path, offline: a company talks, builds, is checked, splits, and is paid."""

from fractions import Fraction
from pathlib import Path

import pytest

from shapley_coop.extensions.company.tree import materialise
from shapley_coop.games.sandbox import SandboxMissing
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import WORLD


async def test_a_company_builds_its_program_agrees_on_the_split_and_is_paid_exactly(
    boxed: None, tmp_path: Path
) -> None:
    room = RunConfig(game="software_company", params={"bounty": 500}, seed=3)
    result = await play("shapley_coop", room, run="built")
    assert result["status"] == "agreed"
    assert result["simulated"]
    table = await table_of(home().runs.get("built"))
    assert all(one["passed"] for one in table["position"]["checks"])
    assert all(" " not in x for turn in table["record"] for x in turn["actions"].values())
    balances = home().ledger.balances(result["episode"])
    assert -balances[WORLD] == 500_000_000
    assert sum(n for who, n in balances.items() if who != WORLD) == 500_000_000
    shapley = {a: Fraction(x) for a, x in table["settlement"]["credit"]["shapley"].items()}
    for agent, paid in table["settlement"]["payoffs"].items():
        assert abs(paid - shapley[agent] * 10**6) < 1
    assert materialise(table["record"], tmp_path / "workspace")


async def test_without_a_sandbox_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shapley_coop.games.sandbox.offered", lambda kind: {})
    with pytest.raises(SandboxMissing, match="install the extension sandbox"):
        await play("llm_only", RunConfig(game="software_company"))

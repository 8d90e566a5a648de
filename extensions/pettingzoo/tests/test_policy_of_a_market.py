"""A trained policy plays its environment, and no market of ours."""

import sys
import types
from pathlib import Path

import pytest

from extensions.markets.tests.test_market_of_many import room
from shapley_coop.extensions.pettingzoo.policies import Policy
from shapley_coop.graphs.preparing import prepare
from shapley_coop.permissions import permit_program
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home


def test_a_trained_policy_is_refused_before_the_run_begins(tmp_path: Path, monkeypatch) -> None:
    bots = types.ModuleType("bots_for_markets")
    bots.first_free = Policy(lambda observation, mask: mask.argmax())
    monkeypatch.setitem(sys.modules, "bots_for_markets", bots)
    monkeypatch.setattr("shapley_coop.permissions._programs", set())
    permit_program(seat := "python:bots_for_markets:first_free")
    config = RunConfig(game="trade", params=room(tmp_path, 40), seats={"*": seat})
    with pytest.raises(ValueError, match=f"^{seat}: a policy needs a pettingzoo: .* seat embedded"):
        prepare("call_market", config)
    assert not home().runs.list()

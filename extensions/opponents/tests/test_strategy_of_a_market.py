"""A strategy of two refuses a game of many."""

from pathlib import Path

import pytest

from extensions.markets.tests.test_market_of_many import room
from shapley_coop.extensions.opponents.classical import tit_for_tat
from shapley_coop.games import load


def test_a_strategy_of_two_refuses_a_market_of_many_in_one_line(tmp_path: Path) -> None:
    game = load("trade", room(tmp_path, 300))
    with pytest.raises(
        ValueError, match=r"^it needs a two-agent game .* this game is of 300: adapt"
    ):
        tit_for_tat.check_actions(game.actions)

"""Payoffs of symmetric games are exact until each is rounded to a millionth, once."""

from fractions import Fraction

import numpy as np
import pytest

from shapley_coop.amounts import exact, to_micro
from shapley_coop.games import load
from shapley_coop.games.turns import realised_total
from tests.credit.credit_plays import joint


@pytest.mark.parametrize("n", [3, 6, 7, 9, 11])
@pytest.mark.parametrize("levels", [1, 3])
def test_where_all_give_everybody_has_what_is_due_to_the_millionth(n: int, levels: int) -> None:
    """20 from each of n agents, times 1.6, shared by n: 32, whatever n is."""
    game = load("public_goods", {"agents": n, "levels": levels, "rounds": 1})
    after = game.step(game.start(), dict.fromkeys(game.agents, "give"))
    assert set(after.rewards.values()) == {32}


@pytest.mark.parametrize("n", [3, 6, 7])
def test_every_payoff_is_the_nearest_millionth_to_the_exact_one(n: int) -> None:
    game = load("public_goods", {"agents": n, "rounds": 1})
    for givers in range(n + 1):
        acts = {a: "give" if k < givers else "keep" for k, a in enumerate(game.agents)}
        rewards = game.step(game.start(), acts).rewards
        shared = Fraction(32, n) * givers
        due = {a: shared if acts[a] == "give" else 20 + shared for a in game.agents}
        assert {a: exact(x) for a, x in rewards.items()} == {
            a: Fraction(to_micro(x), 10**6) for a, x in due.items()
        }


@pytest.mark.parametrize(("n", "levels"), [(6, 1), (6, 2), (7, 3), (18, 1), (19, 2)])
@pytest.mark.parametrize("absent", ["keep", "away"])
def test_the_replay_of_everybody_is_the_realised_total(n: int, levels: int, absent: str) -> None:
    game = load("public_goods", {"agents": n, "levels": levels, "rounds": 2, "absent": absent})
    done = [list(game.actions[a])[k % (levels + 1)] for k, a in enumerate(game.agents)]
    record = joint(game, *done, times=2)
    replays = game.analysis.replays_of(record)
    everyone = [[True] * n]
    assert Fraction(int(replays.totals(np.array(everyone))[0]), replays.unit) == realised_total(
        record
    )
    assert sum(exact(x) for turn in record for x in turn["rewards"].values()) == (
        realised_total(record)
    )


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_the_best_of_all_and_what_is_sure_are_read_off_the_same_payoffs(levels: int) -> None:
    game = load("public_goods", {"agents": 6, "levels": levels, "rounds": 1})
    counts = game.payoffs.counts  # type: ignore[attr-defined]
    assert (counts.best_total, counts.habit) == (192, "keep")
    assert [counts.secure(size) for size in (1, 6)] == [20, 192]

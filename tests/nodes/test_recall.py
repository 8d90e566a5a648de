"""What is long past is told in sum: once for everybody, by code, and seldom told anew."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.graphs.running import play
from shapley_coop.state.history import recall_lines, summary
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

TURNS = [
    {"turn": n, "did": {"A": "x" if n % 2 else "y"}, "earned": {"A": 0.1, "B": -1}}
    for n in range(1, 101)
]


@given(st.integers(0, 40), st.integers(0, 100))
def test_the_latest_events_are_told_one_by_one(recall: int, happened: int) -> None:
    told = recall_lines(TURNS[:happened], recall)
    if not recall:
        assert told == TURNS[:happened]
        return
    kept = [line for line in told if "did" in line]
    assert kept == TURNS[happened - len(kept) : happened]
    assert min(recall, happened) <= len(kept) < 2 * recall
    in_sum = sum(line.get("in_sum", 0) for line in told)
    assert in_sum + len(kept) == happened


def test_a_history_grows_at_its_end_and_is_told_anew_once_in_so_many_events() -> None:
    told = [recall_lines(TURNS[:n], 10) for n in range(101)]
    anew = [n for n, (now, then) in enumerate(pairwise(told), 1) if then[: len(now)] != now]
    assert anew == list(range(20, 101, 10))


def test_a_summary_says_who_did_and_earned_and_said_what() -> None:
    said = [{"id": "m1", "by": "B", "does": "propose"}, {"id": "m2", "by": "A", "does": "accept"}]
    shock = {"turn": 101, "did": {}, "earned": {}, "pot": 3, "effects": [{"effect": "storm"}]}
    assert summary([*said, *TURNS, shock]) == {
        "in_sum": 103,
        "turns": [1, 101],
        "done": {"A": {"x": 50, "y": 50}},
        "earned": {"A": "10", "B": "-100"},
        "pot": "3",
        "said": {"B": {"propose": 1}, "A": {"accept": 1}},
        "effects": {"storm": 1},
    }


async def histories(**room: Any) -> list[list[dict[str, Any]]]:
    given = {"game": "prisoners_dilemma", "params": {"rounds": 30}, **room}
    outcome = await play("negotiation", RunConfig.model_validate(given))
    assert outcome["turns_played"] == 30
    return [e.facts["history"] for e in home().journal.entries(outcome["episode"])]


async def test_letters_of_a_long_game_stay_short_and_are_alike_for_all() -> None:
    whole, short = await histories(), await histories(recall=5)
    assert max(map(len, whole)) > 30
    assert max(map(len, short)) <= 10
    latest = [told for told in short if told and told[-1].get("turn") == 29]
    assert len(latest) >= 2
    assert all(told == latest[0] for told in latest)

"""What a run may cost: it ends by its budget, typed, and settles what was earned until then."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.graphs.running import play
from shapley_coop.state.asking import CHARS_PER_TOKEN
from shapley_coop.state.budget import Budget, BudgetTracker
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop, one_line, valid

GRAPHS = ("llm_only", "negotiation", "short_term", "shapley_coop", "contracts")
MATRIX = {"game": "prisoners_dilemma", "seed": 1}


def limited(**limits: Any) -> RunConfig:
    return RunConfig(**MATRIX, budget=Budget(**limits))


def by_agent(outcome: dict[str, Any]) -> dict[str, int]:
    """Agent → calls, over all phases."""
    calls = dict.fromkeys(outcome["agents"], 0)
    for phase in outcome["spending"].values():
        for agent, count in phase.items():
            calls[agent] = calls.get(agent, 0) + count["calls"]
    return calls


@pytest.mark.parametrize(
    ("graph", "calls"), [("shapley_coop", 1), *((graph, 3) for graph in GRAPHS), ("contracts", 8)]
)
async def test_no_call_is_made_beyond_the_limit_and_the_end_is_typed(
    graph: str, calls: int
) -> None:
    outcome = valid(await play(graph, limited(calls=calls)))
    assert outcome["usage"]["calls"] == calls
    assert outcome["status"] == "budget"


@brought_by("exchange")
async def test_a_task_exchange_without_budget_ends_and_is_no_error() -> None:
    room = RunConfig(game="task_exchange", budget=Budget(calls=4))
    outcome = valid(await play("task_exchange", room))
    assert (outcome["usage"]["calls"], outcome["status"]) == (4, "budget")


async def test_tokens_are_overspent_by_one_answer_at_most() -> None:
    free = await play("shapley_coop", RunConfig(**MATRIX))
    letters = [e.letter_text for e in home().journal.entries(free["episode"])]
    longest = max(map(len, letters)) / CHARS_PER_TOKEN
    for limit in (3_000, 9_000):
        outcome = await play("shapley_coop", limited(tokens=limit))
        used = outcome["usage"]
        total = used["input_tokens"] + used["output_tokens"]
        assert outcome["status"] == "budget"
        assert total <= limit + 2 * longest


async def test_time_is_a_limit_as_well() -> None:
    outcome = await play("shapley_coop", limited(seconds=1e-9))
    # Those who think at once are asked before anything has been spent.
    assert (outcome["usage"]["calls"], outcome["status"]) == (2, "budget")


async def test_an_agent_that_has_used_up_its_part_passes_alone_and_says_why() -> None:
    outcome = valid(await play("negotiation", limited(agent_calls=3)))
    assert max(by_agent(outcome).values()) == 3
    # The game goes on to its end: nobody's own limit is the run's.
    assert outcome["status"] != "budget"
    assert outcome["turns_played"] > 3


FUND = {"game": "public_goods", "params": {"rounds": 5}}


@pytest.mark.parametrize("calls", [5, 6, 7])
async def test_a_turn_for_which_the_budget_does_not_last_is_not_played(calls: int) -> None:
    outcome = valid(await play("llm_only", RunConfig(**FUND, budget=Budget(calls=calls))))
    once = await play("llm_only", RunConfig(**FUND, budget=Budget(calls=4)))
    assert (outcome["status"], outcome["usage"]["calls"]) == ("budget", calls)
    assert outcome["turns_played"] == 1
    assert outcome["payoffs"] == once["payoffs"]  # where an agent sits makes no difference
    assert [one["passes"] for one in outcome["conduct"].values()] == [[], [], [], []]


async def test_a_run_ends_where_expected_tokens_leave_nobody_to_ask_for_the_others() -> None:
    seats = {"*": {"model": "embedded:rational", "max_tokens": 5_000}}
    room = RunConfig(**FUND, seats=seats, budget=Budget(tokens=4_000))
    outcome = valid(await play("llm_only", room))
    used = outcome["usage"]
    assert used["input_tokens"] + used["output_tokens"] < 4_000  # the first answer was short
    assert (outcome["status"], outcome["turns_played"]) == ("budget", 0)


def test_a_contract_is_settled_as_it_stood_before_that_turn(coop: Coop) -> None:
    command = ("run", "prisoners_dilemma", "--seed", "1", "--json")
    bargained = coop(*command).result["spending"]["negotiation"].values()
    calls = sum(count["calls"] for count in bargained) + 3
    ended = coop(*command, "--budget", f"calls={calls}", "--name", "short").result
    assert (ended["status"], ended["turns_played"]) == ("budget", 1)
    assert not any(one["breaches"] for one in ended["conduct"].values())
    assert coop("verify", "short").code == 0


async def test_without_limits_a_run_is_what_it_was() -> None:
    outcome = await play("shapley_coop", RunConfig(**MATRIX))
    roomy = await play("shapley_coop", limited(calls=10_000, agent_tokens=10**9))
    same = ("status", "payoffs", "transfers", "usage", "spending", "talk", "contract")
    for one in (outcome, roomy):  # letters of a run with limits say so, which costs tokens
        one["usage"].pop("input_tokens")
        for phase in one["spending"].values():
            for spent in phase.values():
                spent.pop("input_tokens")
    assert {key: roomy[key] for key in same} == {key: outcome[key] for key in same}


async def test_what_each_agent_spent_in_each_phase_sums_to_what_all_spent() -> None:
    outcome = await play("shapley_coop", RunConfig(**MATRIX))
    assert set(outcome["spending"]) == {"negotiation", "action", "settlement"}
    assert sum(by_agent(outcome).values()) == outcome["usage"]["calls"]


def test_a_budget_is_given_on_the_command_line(coop: Coop) -> None:
    ended = coop("run", "prisoners_dilemma", "--budget", "calls=6,agent_calls=3", "--json")
    assert ended.result["status"] == "budget"
    assert ended.result["usage"]["calls"] == 6


@pytest.mark.parametrize("wrong", ["calls", "calls=-1", "dollars=3", "calls=many"])
def test_a_wrong_budget_is_one_line(coop: Coop, wrong: str) -> None:
    assert "budget" in one_line(coop("run", "escape_room", "--budget", wrong), 2)


@given(
    calls=st.integers(0, 9),
    agent_calls=st.integers(0, 5),
    asked=st.lists(st.sampled_from("AB"), max_size=30),
)
def test_a_purse_never_admits_more_than_its_limits(
    calls: int, agent_calls: int, asked: list[str]
) -> None:
    purse = BudgetTracker(Budget(calls=calls, agent_calls=agent_calls), {})
    admitted = []
    for agent in asked:
        if purse.admits(agent):
            purse.reserve(agent, 1)
            admitted.append(agent)
    assert not calls or len(admitted) <= calls
    assert not agent_calls or max(map(admitted.count, "AB")) <= agent_calls
    if not calls and not agent_calls:
        assert admitted == asked

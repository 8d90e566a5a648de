"""Embedded agents in whole runs: what they do follows from the payoffs."""

import json
from fractions import Fraction
from itertools import permutations
from statistics import fmean
from typing import Any

from shapley_coop.games import Game, load
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from tests.games.made_games import TUG

SEEDS = range(3)


async def outcomes(graph: str, seeds: Any = SEEDS, **room: Any) -> list[dict[str, Any]]:
    return [await play(graph, RunConfig(seed=seed, **room)) for seed in seeds]


async def table(outcome: dict[str, Any]) -> Table:
    return await table_of(home().runs.get(outcome["run"]))


def shapley(game: Game, record: Any) -> dict[str, Fraction]:
    """Over all orders in which the grand coalition can form, the mean of what each adds."""
    orders = list(permutations(game.agents))
    values = dict.fromkeys(game.agents, Fraction(0))
    for order in orders:
        for n, agent in enumerate(order):
            with_it, without = frozenset(order[: n + 1]), frozenset(order[:n])
            added = game.analysis.worth(record, with_it) - game.analysis.worth(record, without)
            values[agent] += added / len(orders)
    return values


# Behaviour follows the payoffs


async def test_with_another_prize_the_fair_split_is_another() -> None:
    for params, fair in (({}, 4.5), ({"prize": 20}, 9.5), ({"prize": 6, "cost": 2}, 2)):
        for outcome in await outcomes("shapley_coop", params=params):
            assert outcome["status"] == "agreed"
            assert outcome["payoffs"] == {"Alice": fair, "Bob": fair}


async def test_a_room_not_worth_escaping_is_not_bargained_over() -> None:
    """With a prize below what the lever costs, waiting apart is as good as it gets."""
    for outcome in await outcomes("shapley_coop", params={"prize": -1}):
        assert outcome["payoffs"] == {"Alice": -1, "Bob": -1}
        assert outcome["transfers"] == []


def permuted(game: Game, agents: list[str], names: dict[str, str]) -> dict[str, Any]:
    """The same game with agents in another order, actions renamed and in another order."""
    facts_ = game.facts()
    return {
        "name": "The same",
        "agents": agents,
        "actions": {a: [names[x] for x in reversed(facts_["actions"][a])] for a in agents},
        "payoffs": [
            {
                "play": [names[cell["play"][a]] for a in agents],
                "pays": [cell["pays"][a] for a in agents],
            }
            for cell in reversed(facts_["payoffs"])
        ],
        "rounds": facts_["turns"],
        "absent": game.params.absent,
    }


async def test_the_same_payoffs_in_another_order_under_other_names_come_to_the_same() -> None:
    game = load("escape_room", {"prize": 12})
    same = permuted(game, ["Bob", "Alice"], {"door": "heron", "lever": "otter"})
    for outcome in await outcomes("shapley_coop", game=same):
        assert outcome["payoffs"] == {"Bob": 5.5, "Alice": 5.5}
        assert set(outcome["contract"]["text"].split()) >= {"heron", "otter"}


async def test_a_norm_that_pays_less_than_no_deal_is_turned_down_where_the_letter_says_so() -> None:
    """Ann pulls the value to herself: only what she does differs from the baseline."""
    pays = {("close", "rest"): [0, 0], ("close", "help"): [0, -1]}
    pays |= {("open", "rest"): [1, 10], ("open", "help"): [6, 7]}
    valley = {
        "name": "valley",
        "agents": ["Ann", "Ben"],
        "actions": {"Ann": ["close", "open"], "Ben": ["rest", "help"]},
        "payoffs": [{"play": [*play], "pays": each} for play, each in pays.items()],
        "absent": {"Ann": "close", "Ben": "rest"},
    }
    for outcome in await outcomes("shapley_coop", game=valley):
        assert outcome["payoffs"]["Ben"] >= 10, "what it has without a deal"
        assert outcome["payoffs"]["Ann"] >= 1
    for outcome in await outcomes("shapley_coop", game="volunteers"):
        assert min(outcome["payoffs"].values()) > 0, "by the norm one would have all"


async def test_of_equally_good_plans_the_most_even_one_is_proposed() -> None:
    rope = {**TUG, "absent": "pull"}
    for outcome in await outcomes("shapley_coop", game=rope):
        assert outcome["rewards"] == {"Ann": 1, "Ben": 1}


async def test_three_agents_open_the_door_for_two() -> None:
    params = {"agents": ["Ann", "Ben", "Cyd"]}
    for outcome in await outcomes("shapley_coop", params=params):
        assert outcome["credit"]["worth_of_all"] == 19
        assert sorted(outcome["payoffs"].values()) == [4.5, 4.5, 10]


async def test_a_repeated_dilemma_is_played_together_to_its_end() -> None:
    for outcome in await outcomes("shapley_coop", game="prisoners_dilemma", seeds=range(2)):
        assert outcome["turns_played"] == 10
        assert outcome["payoffs"] == {"Alice": 10, "Bob": 10}
        assert outcome["breaches"] == []
    for outcome in await outcomes("llm_only", game="prisoners_dilemma", seeds=range(2)):
        assert outcome["payoffs"] == {"Alice": 0, "Bob": 0}


async def test_what_is_worked_out_makes_the_difference_between_the_conditions() -> None:
    total, apart = {}, {}
    for graph in ("llm_only", "negotiation", "short_term", "shapley_coop"):
        came = [o["payoffs"] for o in await outcomes(graph, seeds=range(4))]
        total[graph] = fmean(sum(payoffs.values()) for payoffs in came)
        apart[graph] = fmean(abs(payoffs["Alice"] - payoffs["Bob"]) for payoffs in came)
    assert total["llm_only"] == -2
    assert total["llm_only"] <= total["negotiation"] <= total["short_term"]
    assert total["short_term"] == total["shapley_coop"] == 9
    assert apart["short_term"] > 1
    assert apart["shapley_coop"] < 1


async def test_characters_bargain_and_act_by_their_character() -> None:
    greedy = await outcomes(
        "short_term", seats={"Alice": "embedded:greedy", "*": "embedded:generous"}
    )
    generous = await outcomes(
        "short_term", seats={"Alice": "embedded:generous", "*": "embedded:greedy"}
    )
    mean = [fmean(o["payoffs"]["Alice"] for o in came) for came in (greedy, generous)]
    assert mean[0] > mean[1] + 1
    wild = await outcomes("llm_only", seeds=range(8), seats={"*": "embedded:random"})
    assert len({json.dumps(o["payoffs"], sort_keys=True) for o in wild}) > 1


# Values


# The same seed, the same run


async def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    def told(outcome: dict[str, Any]) -> str:
        own = {"run", "episode", "timing"}
        return json.dumps({k: v for k, v in outcome.items() if k not in own}, sort_keys=True)

    first, again = [await outcomes("short_term", seeds=range(3)) for _ in range(2)]
    assert [told(o) for o in first] == [told(o) for o in again]
    assert len({json.dumps(o["payoffs"], sort_keys=True) for o in first}) > 1


async def test_a_sloppy_agent_uses_the_retry_edges() -> None:
    came = await outcomes("shapley_coop", seeds=range(3), seats={"*": "embedded:sloppy"})
    refused = [
        count["refused"]
        for outcome in came
        for phase in (await table(outcome))["spent"].values()
        for count in phase["agents"].values()
    ]
    assert sum(refused) > 3

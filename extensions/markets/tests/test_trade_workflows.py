"""Every workflow plays the markets that the page says it does, and every character plays them."""

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from extensions.markets.tests.trading import JOB, LAMP, MODES, asked, sale
from shapley_coop import RunConfig, play
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.extensions.markets.course import course
from shapley_coop.extensions.markets.game import Trade
from shapley_coop.games import load
from shapley_coop.graphs import builder, names
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.embedded.bargaining import Agent
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import Choices, play_turn
from tests.brought import with_all_extensions
from tests.graphs.test_ability_to_pay import OFFER
from tests.root import ROOT

GRAPHS = ["llm_only", "negotiation", "negotiation_priced", "shapley_coop", "contracts"]


@pytest.mark.parametrize(
    ("graph", "stride"),
    [("negotiation", 7), *(pytest.param(g, 1, marks=pytest.mark.slow) for g in GRAPHS)],
)
async def test_every_character_plays_every_mode_and_nobody_signs_at_a_loss(
    graph: str, stride: int
) -> None:
    pairs = list(pairwise([*sorted(set(CHARACTERS) - {"impartial"}), "rational"]))
    for n, (one, other) in list(enumerate(pairs))[::stride]:
        mode = MODES[n % len(MODES)]
        seats = {"Alice": f"embedded:{one}", "Bob": f"embedded:{other}"}
        room = RunConfig(game="trade", params={"mode": mode}, seats=seats, seed=n)
        outcome = await play(graph, room)
        market = load("trade", {"mode": mode}, seed=n).market
        assert outcome["status"] in ("agreed", "no_deal")
        if graph == "llm_only" or outcome["breaches"]:
            continue
        for agent, name in (("Alice", one), ("Bob", other)):
            if not CHARACTERS[name].noise:  # who acts at random gives things away
                assert Fraction(str(outcome["payoffs"][agent])) >= market.alone(agent)


async def test_the_view_tells_the_gift_and_what_the_plan_would_have_come_to(tmp_path: Path) -> None:
    """A buyer that signed to keep still, so that the contract leaves no action open."""
    from shapley_coop.extensions.page.clauses import contract_view
    from shapley_coop.extensions.page.plan import plan_view

    file = tmp_path / "lamp.json"
    file.write_text(json.dumps(LAMP))
    keeps = [{"kind": "do", "agent": agent, "action": "keep"} for agent in ("Sam", "Bea")]
    turn = asked(file, OFFER)
    contract = sign(put(Deal.model_validate({"clauses": [*sale(50), *keeps]}), "Sam", 1), 1)
    table: Any = {**turn.table, "contract": contract}
    table |= play_turn(EvaluatedTable(table), Choices({"Sam": "keep", "Bea": "keep"}))
    evaluated = EvaluatedTable(table)
    shown, plan = contract_view(evaluated), plan_view(evaluated)
    assert shown is not None
    assert plan is not None
    assert shown["clauses"][0]["turns"][0]["note"] == "Sam gives Bea 1 lamp"
    assert plan["payoffs"] == {"Sam": 81.415926, "Bea": 10}


def table_of_the_page() -> dict[tuple[str, str], str]:
    """(graph, mode) → what the documentation says of it."""
    page = (ROOT / "docs" / "trade.md").read_text(encoding="utf-8")
    part = page.partition("## Which workflow plays which market")[2].partition("*Deals*")[0]
    head, _, *rows = (
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in part.strip().splitlines()
    )
    return {
        (row[0], mode): told for row in rows for mode, told in zip(head[1:], row[1:], strict=True)
    }


PAGE = table_of_the_page()


@with_all_extensions
def test_the_page_names_every_workflow_that_plays_trade() -> None:
    assert {graph for graph, _ in PAGE} == {
        n for n in names() if issubclass(Trade, builder(n).plays)
    }
    assert {mode for _, mode in PAGE} == set(MODES)


@pytest.mark.parametrize(
    ("graph", "mode"),
    [pytest.param(*at, marks=[] if at[0] == "negotiation" else pytest.mark.slow) for at in PAGE],
)
async def test_a_workflow_plays_a_market_as_the_page_says(graph: str, mode: str) -> None:
    """Of four seeds some are agreed on, all offers can be kept, and all that is signed is kept."""
    if graph not in names():
        pytest.skip(f"an extension brings {graph}")
    told = PAGE[graph, mode]
    agents = ["Ann", "Ben", "Cem", "Dee"] if graph == "delegates" else ["Ann", "Ben"]
    room = RunConfig(game="trade", params={"mode": mode, "agents": agents})
    if told == "refused":
        with pytest.raises(ValueError, match=r"for two agents|what agents own"):
            await play(graph, room)
        return
    kinds = set()
    for seed in range(4):
        outcome = await play(graph, room.model_copy(update={"seed": seed}))
        assert outcome["breaches"] == []
        for answers in outcome["happened"]["answers"].values():
            assert not {"CLASH", "TURN"} & answers["labels"].keys()
        kinds |= {clause["kind"] for clause in (outcome["contract"] or {"clauses": []})["clauses"]}
    expected = {"none": set(), "by hand": {"do"}}
    assert ("give" in kinds) if told in ("deals", "orders") else (kinds == expected[told])


@pytest.mark.parametrize("rounds", [1, 2])
async def test_a_deal_about_issues_is_kept_where_goods_go_by_hand(
    tmp_path: Path, rounds: int
) -> None:
    """With a turn for each issue, a deal is about both."""
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    params = {"market": str(file), "rounds": rounds}
    for seed in range(2):
        outcome = await play("negotiation", RunConfig(game="trade", params=params, seed=seed))
        assert (outcome["status"], outcome["breaches"]) == ("agreed", [])
        gifts = [c for c in outcome["contract"]["clauses"] if "give" in c["action"]]
        assert [gift["when"] for gift in gifts] == [{"turns": [n, n]} for n in range(1, rounds + 1)]


def test_a_trader_is_the_agent_with_its_seed() -> None:
    agent = Agent({"goods": ["tea"]}, seed=7)
    assert course(agent)["act"].__self__.seed == 7  # type: ignore[attr-defined]

"""A call market: sealed orders, one price for each good, and a contract of the trades.

    open → bid → clear ↺ → act → step ↺ → settle

Prices replace talk in markets of divisible goods (the k-double auction of Chatterjee and Samuelson,
1983). Every agent sends orders to buy and to sell, which no other agent sees. `clear` opens all
orders and sets for each good the price at which most units trade. Then it makes a contract whose
clauses move the goods and pay for them. This workflow adds bid and clear to `llm_only`. It plays
only markets in which agents own their goods.
"""

from dataclasses import replace

from langgraph.graph import END

from shapley_coop.deals.language.deal import MOST_CLAUSES
from shapley_coop.extensions.markets.clear import clear
from shapley_coop.extensions.markets.game import Trade
from shapley_coop.extensions.markets.order import QUESTION as ORDER
from shapley_coop.extensions.markets.table import MarketTable, cleared, cleared_in_words
from shapley_coop.games import Game
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step, whether_over
from shapley_coop.questions import act


def of_owners(game: Game) -> None:
    """Check that a call market can trade a market's goods.

    Raises:
        ValueError: the goods are a pool, or the trades could need more clauses than a deal has.
    """
    assert isinstance(game, Trade), "the workflow plays nothing else"
    if game.market.pool:
        raise ValueError(f"{game.market.name} divides a pool: a call market trades what agents own")
    most = 2 * len(game.goods) * (len(game.agents) - 1)
    if most > MOST_CLAUSES:
        raise ValueError(
            f"{len(game.agents)} agents and {len(game.goods)} goods could trade in {most} "
            f"clauses, but a deal has at most {MOST_CLAUSES}"
        )


PLAY = replace(
    act.QUESTION,
    shows=(*act.QUESTION.shows, cleared),
    words=(*act.QUESTION.words, cleared_in_words),
)
"""The question for an action; its letters also tell the goods' prices."""

page = WorkflowBuilder(
    "trade", plays=Trade, check_game=of_owners, state=MarketTable, start={"prices": {}}
)

page.add_edge("open", "bid")
page.asks("bid", ORDER, then=("clear", clear))
page.branch("clear", verdict_of, {"again": "bid", "traded": "act", "nothing": "act"})
page.asks("act", PLAY, then=("step", step))
page.branch("step", whether_over, {"again": "act", "play_on": "act", "over": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="call_market")

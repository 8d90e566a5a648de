"""The node that opens all orders, sets one price for each good, and signs the trades."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.deal import accept, put
from shapley_coop.extensions.markets.clearing import Cleared
from shapley_coop.extensions.markets.sealed import market_of, sent_in
from shapley_coop.extensions.markets.table import Price
from shapley_coop.state.additions import accept_additions as accepted_for
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.run_config import SUMMARISER
from shapley_coop.state.table import AgentOutput, Table


def clear(table: Table) -> dict[str, Any]:
    """Return the contract of all trades, whose clauses move the goods and pay for them.

    An order is its author's signature: it binds the author only to trade at the limit or at a
    better price. If the author's key is in this home, the key signs the contract too. An agent
    without orders has passed and is not a party. The orders stay sealed; all agents see the prices,
    the quantities and the trades.
    Verdicts: `traded`, and `nothing` (no limits cross).
    """
    evaluated = EvaluatedTable(table)
    orders = sent_in(evaluated)
    found, deal = market_of(evaluated, orders)
    passed = [Utterance(a, _passed(table, a)) for a in table["agents"] if not orders.get(a)]
    if not deal.clauses:
        talk = entries(table, "plan", passed)
        return {"sealed": None, "talk": talk, "prices": {}, "verdict": "nothing"}
    written: AgentOutput = {"act": "write", "text": "", "deal": deal.record()}
    offer, signed = put(deal, SUMMARISER, revision=1), [Utterance(SUMMARISER, written, puts=1)]
    for agent in (agent for agent in table["agents"] if orders.get(agent)):
        accepted = accept(offer, agent, offer["revision"], offer["hash"])
        assert isinstance(accepted, dict), "it names the offer that stands"
        offer, said = accepted, AgentOutput(act="accept", text="")
        if more := accepted_for(evaluated, agent, "plan", offer):
            said["more"] = more
        signed.append(Utterance(agent, said, about=1))
    return {
        "sealed": None,
        "talk": entries(table, "plan", [*passed, *signed]),
        "revision": 1,
        "contract": sign(offer, from_turn=evaluated.turn),
        "prices": _told(found),
        "verdict": "traded",
    }


def _passed(table: Table, agent: str) -> AgentOutput:
    """Return the public pass of an agent that sent no orders or whose orders were unreadable."""
    sealed = (table["sealed"] or {}).get(agent)
    return sealed if sealed and sealed["act"] == "pass" else {"act": "pass", "text": ""}


def _told(found: Mapping[str, Cleared]) -> dict[str, Price]:
    """Return good → its price and volume, as all agents see them, for the goods that trade."""
    return {
        good: {"price": plain(one.price), "volume": one.volume}
        for good, one in found.items()
        if one.price is not None
    }

"""What an agent's orders have to say to be sound."""

from datetime import UTC, datetime
from fractions import Fraction

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.deals.orders import SHAPE, beyond, read_orders
from shapley_coop.state.consent import reservation
from shapley_coop.state.home_files.mandates import mandate_of
from shapley_coop.state.mandates import OUTSIDE
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext, reading

NONE: AgentOutput = {"act": "act", "text": ""}
"""Orders are sealed like actions: the table learns only where they wait."""


@reading
def some_orders(turn: TurnContext, agent: str, message: Message) -> AgentOutput | Fault:
    """Orders that the agent can carry out, whatever trades; `<REJECT>` for none."""
    if message.accept is not None or message.action is not None:
        return Fault("VOID", "There is nothing to accept or to do yet: send orders, or <REJECT>.")
    if message.proposal is None:
        if message.reject is not None:
            return NONE
        return Fault("MPT", f"Put your orders into one <PROPOSAL>…</PROPOSAL>: {SHAPE}")
    game = turn.evaluated.game
    found = read_orders(message.proposal, agent, game.goods)
    if isinstance(found, Fault):
        return found
    holds = game.holdings(turn.table["position"])[agent]
    return beyond(found, holds, _purse(turn, agent)) or _not_allowed(turn, agent) or NONE


def _purse(turn: TurnContext, agent: str) -> Fraction | None:
    """The most that an agent can pay in all: what it has, and what its mandate allows."""
    name = turn.evaluated.config.mandates.get(agent)
    allowed = mandate_of(name).mandate.max_pay if name else None
    known = [x for x in (turn.evaluated.game.purse(agent), allowed) if x is not None]
    return min(known, default=None)


def _not_allowed(turn: TurnContext, agent: str) -> Fault | None:
    """Why an agent can send no orders at all, though these could be carried out."""
    config = turn.evaluated.config
    name = config.mandates.get(agent)
    if name and mandate_of(name).mandate.expired(datetime.now(UTC)):
        return Fault(OUTSIDE, "Your mandate has expired: send no orders, <REJECT>.")
    if reservation(turn, agent) is not None:
        return Fault(
            "RESERVE",
            "The least that you are to end with cannot be promised by orders: send none, <REJECT>.",
        )
    return None

"""The agreement of a pair as a deal: the giver, receiver, task and turn of each hand-over."""

from typing import Any

from shapley_coop.deals.language.clauses import Give
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import Turns
from shapley_coop.extensions.exchange.pairs.hands import handed_over
from shapley_coop.extensions.exchange.questions import exchange
from shapley_coop.extensions.exchange.talk import talk_in
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext


def check(turn: TurnContext, agent: str, said: exchange.Trade) -> AgentOutput | Fault:
    """Check a message as in `task_exchange`; the deal has exactly the hand-overs of `swap`."""
    found = exchange.check(turn, agent, said)
    if isinstance(found, Fault) or "deal" not in found:
        return found
    talk = talk_in(turn, agent)
    put: Any = said.allocation
    masks = {who: int(bits, 2) for who, bits in put.items()}
    joint = handed_over(talk.tasks.names, talk.tasks.initial, masks)
    given = [
        Give(giver=giver, receiver=taken[1], good=taken[0], quantity=1, when=Turns(turns=(at, at)))
        for at, actions in enumerate(joint, start=turn.evaluated.turn)
        for giver, action in actions.items()
        if (taken := talk.game.handed(action))
    ]
    return {**found, "deal": Deal(clauses=tuple(given)).record()}

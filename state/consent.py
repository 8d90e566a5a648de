"""Whether an agent can put its name to a deal: the deal can be kept, and gives it enough."""

from fractions import Fraction

from shapley_coop.deals import Deal, Fault, Pay, Share, Terms, short_of
from shapley_coop.deals.language.faults import together
from shapley_coop.deals.language.reading import Reading
from shapley_coop.state.storage.mandates import mandate_of
from shapley_coop.state.storage.secrets import reservation_of
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext


def terms_of(turn: TurnContext) -> Terms:
    """What deals are checked against here: the parties, their actions, what can be dropped."""
    evaluated = turn.evaluated
    money = [cid for cid, clause in evaluated.clauses.items() if isinstance(clause, Pay | Share)]
    game = evaluated.game
    return Terms(
        agents=game.agents,
        actions=game.actions,
        turns=game.turns,
        norms=turn.norms,
        droppable=money,
    )


def reservation(turn: TurnContext, agent: str) -> Fraction | None:
    """The least that the agent's user, or its principal's mandate, has it end with."""
    config = turn.evaluated.config
    told = reservation_of(config.secrets, agent)
    name = config.mandates.get(agent)
    least = mandate_of(name).mandate.min_end if name else None
    return max((x for x in (told, least) if x is not None), default=None)


def too_little(turn: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Why an agent cannot put its name to a deal; None if it can.

    A party could never pay what the deal asks of it, or the agent gets less than its reservation
    value.
    """
    least, evaluated = reservation(turn, agent), turn.evaluated
    if fault := evaluated.beyond_means(deal):
        return fault
    if least is None:
        return None
    if turn.topic.phase == "settlement":
        return short_of(least, evaluated.payoffs_under(deal)[agent])
    return evaluated.signed.below_reservation(deal, agent, least, turn.norms)


def uncertified(turn: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Why a contract cannot be kept, or gives an agent too little; None if it can be signed."""
    certificate = turn.evaluated.signed.certificate(deal, turn.norms)
    return together(certificate.faults) or too_little(turn, agent, deal)


def offering(said: AgentOutput, found: Reading) -> AgentOutput:
    """What was said with the deal that was read in it, and how that was repaired."""
    said = {**said, "deal": found.deal.record()}
    return {**said, "repairs": list(found.repairs)} if found.repairs else said

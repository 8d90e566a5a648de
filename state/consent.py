"""The check that an agent can sign a deal: that it can be kept, and gives the agent enough."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.contract import lasting_clauses
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.reading import Reading
from shapley_coop.deals.language.rules import Rule, all_faults
from shapley_coop.deals.language.terms import Terms
from shapley_coop.games import Game
from shapley_coop.state.ability_to_pay import could_pay, unable
from shapley_coop.state.additions import limits_of
from shapley_coop.state.home_files.secrets import reservation_of
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext


def terms_of(turn: TurnContext) -> Terms:
    """Return the facts that checks of deals need, such as agents, actions and turns."""
    evaluated = turn.evaluated
    money = tuple(lasting_clauses(evaluated.clauses))
    return _terms(evaluated.game, tuple(turn.norms), money, evaluated.turn)


@lru_cache(maxsize=256)  # cached: equal facts must be one object for the cache of `broken_rules`
def _terms(game: Game, norms: Sequence[str], money: Sequence[str], now: int) -> Terms:
    return Terms(
        agents=game.agents,
        actions=game.actions,
        turns=game.turns,
        norms=norms,
        droppable=money,
        goods=game.goods,
        currency=game.currency,
        now=now,
        open_turns=game.open_turns,
        also_called=game.also_called,
    )


def reservation(turn: TurnContext, agent: str) -> Fraction | None:
    """Return the least payoff that an agent accepts, from its secret or an extension, or None."""
    config = turn.evaluated.config
    told, least = reservation_of(config.secrets, agent), limits_of(config, agent).least_end
    return max((x for x in (told, least) if x is not None), default=None)


def cannot_sign(turn: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Return the fault that stops an agent from signing a deal, or None if there is no fault.

    Every workflow uses this check for offers, drafts, counter-offers, amendments and acceptances.
    The deal may break a rule, be impossible to keep, demand more than a party could pay or give,
    or leave the agent less than its reservation value. The check also uses two private facts of
    the agent: its purse and, with private worths, its payoff without a deal. Both facts can stop
    only the agent's own signature, and only the agent sees the fault.
    """
    fault = broken_rules(turn.topic.rules, deal, terms_of(turn))
    if turn.topic.certified:
        fault = fault or together(turn.evaluated.signed.certificate(deal, turn.norms).faults)
    return fault or _too_little(turn, agent, deal)


@lru_cache(maxsize=256)  # cached: agents repeat offers, and many agents answer one offer
def broken_rules(rules: tuple[Rule, ...], deal: Deal, terms: Terms) -> Fault | None:
    """Return one fault for all the rules that a deal violates, or None if it violates none."""
    return all_faults(rules, deal, terms)


def _too_little(turn: TurnContext, agent: str, deal: Deal) -> Fault | None:
    least, evaluated = reservation(turn, agent), turn.evaluated
    fault = unable(evaluated, deal)
    if fault or agent in OUTSIDERS:  # an outsider may draft a deal, but does not sign it
        return fault
    if fault := _beyond_purse(turn, agent, deal):
        return fault
    if fault := _worse_than_no_deal(turn, agent, deal):
        return fault
    if least is None:
        return None
    if turn.topic.phase == "settlement":
        return short_of(least, evaluated.payoffs_under(deal)[agent])
    return evaluated.below(deal, agent, least, turn.norms)


def _beyond_purse(turn: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Return the fault ABLE if a deal could make an agent pay more than its private purse."""
    purse = turn.evaluated.game.purse(agent)
    if purse is None:
        return None
    pays = could_pay(turn.evaluated, deal, agent, turn.topic.phase)
    if pays is None or pays <= purse:
        return None
    return Fault(
        "ABLE",
        f"This could make you pay {plain(pays)} in all, and you can pay at most {plain(purse)}: "
        "pay less.",
    )


def _worse_than_no_deal(turn: TurnContext, agent: str, deal: Deal) -> Fault | None:
    """Return the fault RESERVE if a deal is worth less to an agent than its goods without a deal.

    If the worth cannot be computed, the deal is not refused.
    """
    evaluated = turn.evaluated
    if turn.topic.phase == "settlement" or evaluated.over:
        return None
    alone = evaluated.game.reservation(evaluated.table["position"], agent)
    worth = evaluated.kept(deal, agent, turn.norms) if alone is not None else None
    if alone is None or worth is None:
        return None
    return short_of(alone, worth, without=True)


def put_offer(said: AgentOutput, found: Reading) -> AgentOutput:
    """Return an answer, adding the deal that was read from it and the parser's repairs."""
    said = {**said, "deal": found.deal.record()}
    return {**said, "repairs": list(found.repairs)} if found.repairs else said

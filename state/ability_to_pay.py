"""Whether all could pay, and hand over, what a deal asks of them at a table."""

from functools import partial

from shapley_coop.deals.analysis.ability_to_pay import Means, beyond_means, unpayable
from shapley_coop.deals.contract import agreed_from
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.goods import ungivable
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import payments
from shapley_coop.games import Game
from shapley_coop.remembered import Bounded
from shapley_coop.state.evaluated import EvaluatedTable

_known = Bounded[tuple[Game, Enforcement, Deal, bytes], Fault | None]()


def unable(evaluated: EvaluatedTable, deal: Deal) -> Fault | None:
    """ABLE: why somebody could never pay or hand over what a deal asks; None if all can."""
    asked = (evaluated.game, evaluated.enforcement, deal, evaluated.stands)
    try:  # agents of one character accept the same deals in every run
        return _known[asked]
    except KeyError:  # another thread may empty it in between
        fault = _known[asked] = _unable(evaluated, deal)
        return fault


def _unable(evaluated: EvaluatedTable, deal: Deal) -> Fault | None:
    now, game, position = evaluated.turn, evaluated.game, evaluated.table["position"]
    known = Means.of({**evaluated.means, "turns": game.turns})
    if evaluated.over:
        return unpayable(payments(deal, evaluated.record), evaluated.settled(), known)
    clauses = (*deal.clauses, *evaluated.clauses.values())
    if not any(clause.transfer or clause.gift for clause in clauses):
        return None
    agreed = agreed_from(deal, evaluated.contract, now)
    done = frozenset(f"standing {cid}" for cid in evaluated.signed.monitor.paid)
    if fault := ungivable(agreed, done, game.holdings(position)):
        return fault
    if known is None or (fault := beyond_means(agreed, known, now)):
        return fault if known else None
    from shapley_coop.deals.analysis.joint_payments import can_be_played, unaffordable_together
    from shapley_coop.deals.analysis.world import World

    playable = partial(can_be_played, game, position, now)
    return unaffordable_together(agreed, known, World.of(game, evaluated.record), playable)

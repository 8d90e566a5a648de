"""Whether each payer can pay what it promises."""

from collections.abc import Mapping
from fractions import Fraction

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.stage import StageGame
from shapley_coop.deals.language.clauses import Pay, Share
from shapley_coop.deals.language.condition import compiled_condition
from shapley_coop.deals.language.faults import Fault

NOTHING = Fraction(0)


def unaffordable(
    pays: Mapping[str, Pay], share: Share | None, stage: StageGame, now: int = 1
) -> Fault | None:
    """ABLE: a payer promises no more than the most it can have in the whole game.

    Conditional payments are checked one by one, unconditional ones as a sum. A share of a reward
    is not checked: the reward pays for it.

    Args:
        pays: clause id → a payment that stands from turn `now` on.
        share: how the total is split.
        stage: the game.
        now: the next turn.
    """
    fixed = {cid: pay for cid, pay in pays.items() if pay.basis != "reward"}
    for payer in dict.fromkeys(pay.payer for pay in fixed.values()):
        own = {cid: pay for cid, pay in fixed.items() if pay.payer == payer}
        certain = {cid: due for cid, pay in own.items() if (due := _certain(pay, stage, now))}
        promised = [([cid], pay.amount) for cid, pay in own.items()]
        promised.append((list(certain), sum(certain.values(), NOTHING)))
        received = (_at_most(pay, stage) for pay in pays.values() if pay.payee == payer)
        most = _at_best(payer, share, stage) + sum(received, NOTHING)
        for cids, amount in promised:
            if amount > most:
                return Fault(
                    "ABLE",
                    f"{' and '.join(cids)}: {payer} can never pay {plain(amount)}; in the whole "
                    f"game it can have at most {plain(most)}.",
                )
    return None


def _certain(pay: Pay, stage: StageGame, now: int) -> Fraction:
    """What falls due whatever the agents do; 0 where the condition depends on their actions."""
    condition = compiled_condition(pay.when, "after")
    if condition.start:
        return NOTHING
    times = sum(condition.holds((), turn) for turn in range(now, stage.turns + 1))
    return pay.amount * (min(times, 1) if pay.basis == "once" else times)


def _at_best(payer: str, share: Share | None, stage: StageGame) -> Fraction:
    """The most it can earn, or receive by the split."""
    most = max(stage.most(payer), NOTHING)
    if share and share.fractions:
        most = max(most, stage.turns * stage.best_total * share.fractions[payer])
    return most


def _at_most(pay: Pay, stage: StageGame) -> Fraction:
    match pay.basis:
        case "once":
            return pay.amount
        case "turn":
            return pay.amount * stage.turns
        case "reward":
            return pay.amount * max(stage.most(pay.payer), NOTHING)

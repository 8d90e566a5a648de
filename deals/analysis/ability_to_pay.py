"""Whether each payer can pay what it promises: what is certain is refused, the rest has a bound."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shapley_coop.amounts import exact, plain
from shapley_coop.deals.contract import Contract, in_force, split_of
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.effects import Split, Transfer, portions
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import Payment
from shapley_coop.games import Game

NOTHING = Fraction(0)


@dataclass(frozen=True)
class Means:
    """What agents can have at most at the end of the game, before anything is paid or split.

    Attributes:
        most: agent → its most, in the game's unit.
        together: the most of all together.
        turns: how many turns there are.
    """

    most: Mapping[str, Fraction]
    together: Fraction
    turns: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Means | None":
        """From a game's facts with its `means`; None where the game does not know them."""
        if not (means := facts.get("means")):
            return None
        most = {agent: exact(amount) for agent, amount in means["most"].items()}
        return cls(most, exact(means["together"]), int(facts["turns"]))


@lru_cache(maxsize=256)
def means_of(game: Game) -> dict[str, Any]:
    """A game's facts about what agents can have, as plain JSON; empty where it knows none."""
    ahead = game.analysis.ahead
    most, together = ahead.most(), ahead.together()
    if most is None or together is None:
        return {}
    told = {agent: plain(amount) for agent, amount in most.items()}
    return {"means": {"most": told, "together": plain(together)}}


def beyond_means(agreed: Contract, means: Means | None, now: int) -> Fault | None:
    """Why some payer could never pay what a contract asks of it; None where that is unknown."""
    if means is None:
        return None
    return unaffordable(in_force(agreed), split_of(agreed), means, now)


def unaffordable(
    clauses: Mapping[str, Clause], split: Split | None, means: Means, now: int = 1
) -> Fault | None:
    """ABLE: a payer promises no more than the most it can have in the whole game.

    Conditional payments are checked one by one, beside all that the payer might be paid;
    unconditional ones as a sum, beside what it is paid unconditionally and by shares of rewards. A
    share of its own reward is not checked: the reward pays for it.

    Args:
        clauses: those that stand from turn `now` on, by their ids.
        split: how the total is split.
        means: what the agents can have.
        now: the next turn.
    """
    pays = {cid: pay for cid, clause in clauses.items() if (pay := clause.transfer)}
    fixed = {cid: pay for cid, pay in pays.items() if pay.basis != "reward"}
    shares = [pay for pay in pays.values() if pay.basis == "reward"]
    for payer in payers(fixed.values(), means.most):
        parts = {cid: paid_by(payer, pay, means.most) for cid, pay in fixed.items()}
        due = {cid: part * _certain(clauses[cid], means, now) for cid, part in parts.items()}
        certain = {cid: amount for cid, amount in due.items() if amount}
        own = at_best(payer, split, means)
        most = own + most_received(payer, pays.values(), means)
        promised = [([cid], part * fixed[cid].amount, most) for cid, part in parts.items() if part]
        sure = (
            own + most_received(payer, shares, means) + _surely_received(payer, clauses, means, now)
        )
        promised.append(([*certain], sum(certain.values(), NOTHING), sure))
        for cids, amount, has in promised:
            if amount > has:
                return _never(" and ".join(cids), payer, amount, has)
    return None


def beyond_bound(agreed: Contract, means: Means) -> list[str]:
    """Return, for each payer that could owe more than it can have, a sentence that says so.

    The bound is a sum: as if all that may fall due did, at every turn. Payments that bar each
    other, or that the rules of the game bar, are in it all the same; what a payer brings about by
    what it does itself is in it once, since it can stop.
    """
    clauses = [clause for clause in in_force(agreed).values() if clause.transfer]
    pays = [pay for clause in clauses if (pay := clause.transfer)]
    told = []
    for payer in payers([pay for pay in pays if pay.basis != "reward"], means.most):
        most = at_best(payer, split_of(agreed), means) + most_received(payer, pays, means)
        owed = sum((_may_owe(payer, clause, means) for clause in clauses), NOTHING)
        if owed > most:
            told.append(
                f"{payer} could owe {plain(owed)} and has at most {plain(most)}: the first is a "
                "bound by sums, of all that others bring about at every turn, and once of what it "
                "brings about itself."
            )
    return told


def _may_owe(payer: str, clause: Clause, means: Means) -> Fraction:
    pay = clause.transfer
    if pay is None or pay.basis == "reward":  # the reward pays for it
        return NOTHING
    own = any(event.agent == payer for event in clause.events([*means.most]))
    return paid_by(payer, pay, means.most) * (pay.amount if own else at_most(pay, means))


def unpayable(
    due: Sequence[Payment], held: Mapping[str, Fraction], means: Means | None
) -> Fault | None:
    """ABLE, once the game is over: what is due of a payer is no more than it could have had.

    Whoever earned less than it could may still take over a part of others' losses. In a game that
    does not say what agents can have, nobody pays more than all that is at stake.

    Args:
        due: what the offer makes due.
        held: what each agent has without it.
        means: what the agents could have had; None where that is unknown.
    """
    stakes = sum(map(abs, held.values()), NOTHING)
    for payer in payers(due, held):
        parts = [(x, portions(x, held).get(payer, 0)) for x in due]
        amount = sum((-part * x.amount for x, part in parts if part < 0), NOTHING)
        most = max(means.most[payer] if means else stakes, held[payer], NOTHING)
        most += sum((part * x.amount for x, part in parts if part > 0), NOTHING)
        if amount > most:
            cids = dict.fromkeys(x.clause for x, part in parts if part < 0)
            return _never(" and ".join(cids), payer, amount, most)
    return None


def _never(cids: str, payer: str, amount: Fraction, most: Fraction) -> Fault:
    return Fault(
        "ABLE",
        f"{cids}: {payer} can never pay {plain(amount)}; in the whole game it can have at most "
        f"{plain(most)}.",
    )


def _certain(clause: Clause, means: Means, now: int) -> Fraction:
    """What falls due whatever the agents do; 0 where the condition depends on their actions."""
    condition, pay = clause.condition(), clause.transfer
    if condition.start or pay is None:
        return NOTHING
    times = sum(condition.holds((), turn) for turn in range(now, means.turns + 1))
    return pay.amount * (min(times, 1) if pay.basis == "once" else times)


def _surely_received(payee: str, clauses: Mapping[str, Clause], means: Means, now: int) -> Fraction:
    """Return what an agent is paid whatever the agents do."""
    pays = [(pay, one) for one in clauses.values() if (pay := one.transfer)]
    fixed = [(pay, one) for pay, one in pays if pay.basis != "reward"]
    parts = [(portions(pay, means.most).get(payee, 0), one) for pay, one in fixed]
    return sum((part * _certain(one, means, now) for part, one in parts if part > 0), NOTHING)


def payers(pays: Iterable[Transfer | Payment], agents: Collection[str]) -> list[str]:
    """Return who pays something, in order."""
    found = (a for pay in pays for a, part in portions(pay, agents).items() if part < 0)
    return list(dict.fromkeys(found))


def paid_by(payer: str, pay: Transfer | Payment, agents: Collection[str]) -> int | Fraction:
    """Return the part of a payment that an agent makes."""
    return max(0, -portions(pay, agents).get(payer, 0))


def most_received(payee: str, pays: Iterable[Transfer], means: Means) -> Fraction:
    """Return the most that an agent can be paid by payments, in the game's unit."""
    parts = ((pay, portions(pay, means.most).get(payee, 0)) for pay in pays)
    return sum((part * at_most(pay, means) for pay, part in parts if part > 0), NOTHING)


def at_best(payer: str, split: Split | None, means: Means) -> Fraction:
    """The most it can earn, or receive by the split, in the game's unit; a norm may give it all."""
    most = max(means.most[payer], NOTHING)
    if split:
        part = split.fractions[payer] if split.fractions else 1
        most = max(most, means.together * part)
    return most


def at_most(pay: Transfer, means: Means) -> Fraction:
    """Return the most that a payment can come to in the whole game, in its unit."""
    match pay.basis:
        case "once":
            return pay.amount
        case "turn":
            return pay.amount * means.turns
        case "reward":
            return pay.amount * max(means.most[pay.payer], NOTHING)

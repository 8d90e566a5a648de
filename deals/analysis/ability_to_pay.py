"""Checks of ability to pay: promises that can never be paid are refused, doubtful ones noted."""

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
    """Upper bounds of the agents' rewards over the whole game, before payments and split.

    Attributes:
        most: agent → the bound of its rewards, in the game's unit.
        together: the bound of the rewards of all agents together.
        turns: the number of turns.
    """

    most: Mapping[str, Fraction]
    together: Fraction
    turns: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Means | None":
        """Return the bounds in a game's facts (`means`), or None if the facts have no bounds."""
        if not (means := facts.get("means")):
            return None
        most = {agent: exact(amount) for agent, amount in means["most"].items()}
        return cls(most, exact(means["together"]), int(facts["turns"]))


@lru_cache(maxsize=256)
def means_of(game: Game) -> dict[str, Any]:
    """Return a game's bounds of rewards as the fact `means`, in plain JSON; {} without bounds."""
    ahead = game.analysis.ahead
    most, together = ahead.most(), ahead.together()
    if most is None or together is None:
        return {}
    told = {agent: plain(amount) for agent, amount in most.items()}
    return {"means": {"most": told, "together": plain(together)}}


def beyond_means(agreed: Contract, means: Means | None, now: int) -> Fault | None:
    """Return a fault if a payer could never pay its promises; None also if no bound is known.

    Under a split by a norm no bound is known: an agent's value may exceed the total, since another
    agent's value may be negative.
    """
    split = split_of(agreed)
    if means is None or (split and split.norm):
        return None
    return unaffordable(in_force(agreed), split, means, now)


def unaffordable(
    clauses: Mapping[str, Clause], split: Split | None, means: Means, now: int = 1
) -> Fault | None:
    """Return one ABLE fault that names every promise to pay more than the payer could ever have.

    Each payment must not exceed the payer's largest reward plus all payments that it might get. The
    payer's unconditional payments together must not exceed its largest reward plus its certain
    income and its shares of others' rewards. Payments of a fraction of a reward are not checked.

    Args:
        clauses: the clauses in force from turn `now` on, by id.
        split: the split of the total by fractions, or None.
        means: the bounds of the agents' rewards.
        now: the next turn.
    """
    pays = {cid: pay for cid, clause in clauses.items() if (pay := clause.transfer)}
    fixed = {cid: pay for cid, pay in pays.items() if pay.basis != "reward"}
    shares = [pay for pay in pays.values() if pay.basis == "reward"]
    found: dict[tuple[str, ...], str] = {}
    for payer in payers(fixed.values(), means.most):
        parts = {cid: paid_by(payer, pay, means.most) for cid, pay in fixed.items()}
        due = {cid: part * _certain(clauses[cid], means, now) for cid, part in parts.items()}
        certain = {cid: amount for cid, amount in due.items() if amount}
        own = at_best(payer, split, means)
        most = own + most_received(payer, pays.values(), means)
        promised: list[tuple[tuple[str, ...], Fraction, Fraction]] = [
            ((cid,), part * fixed[cid].amount, most) for cid, part in parts.items() if part
        ]
        sure = (
            own + most_received(payer, shares, means) + _surely_received(payer, clauses, means, now)
        )
        promised.append((tuple(certain), sum(certain.values(), NOTHING), sure))
        for cids, amount, has in promised:
            if amount > has:
                found.setdefault(cids, _never(cids, payer, amount, has))
    return Fault("ABLE", " ".join(found.values())) if found else None


def beyond_bound(agreed: Contract, means: Means) -> list[str]:
    """Return a note for each payer whose possible payments exceed the most that it could have.

    The bound sums all payments as if they fell due at every turn, even if their conditions or the
    rules of the game exclude each other. A payment that depends on the payer's own actions counts
    once: the payer can avoid the rest.
    """
    clauses = [clause for clause in in_force(agreed).values() if clause.transfer]
    pays = [pay for clause in clauses if (pay := clause.transfer)]
    split, told = split_of(agreed), []
    if split and split.norm:
        return []
    for payer in payers([pay for pay in pays if pay.basis != "reward"], means.most):
        most = at_best(payer, split, means) + most_received(payer, pays, means)
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
    if pay is None or pay.basis == "reward":  # the reward covers the payment
        return NOTHING
    own = any(event.agent == payer for event in clause.events([*means.most]))
    return paid_by(payer, pay, means.most) * (pay.amount if own else at_most(pay, means))


def unpayable(
    due: Sequence[Payment], held: Mapping[str, Fraction], means: Means | None
) -> Fault | None:
    """Return an ABLE fault if, after the game, a payer owes more than it could have had.

    The bound is the payer's largest possible reward, not its actual one, so that it may bear
    others' losses. If no bounds are known, the bound is the sum of the absolute values of `held`.

    Args:
        due: the payments that the offer makes due.
        held: each agent's payoff without the offer.
        means: the bounds of the agents' rewards, or None if they are unknown.
    """
    stakes = sum(map(abs, held.values()), NOTHING)
    for payer in payers(due, held):
        parts = [(x, portions(x, held).get(payer, 0)) for x in due]
        amount = sum((-part * x.amount for x, part in parts if part < 0), NOTHING)
        most = max(means.most[payer] if means else stakes, held[payer], NOTHING)
        most += sum((part * x.amount for x, part in parts if part > 0), NOTHING)
        if amount > most:
            cids = dict.fromkeys(x.clause for x, part in parts if part < 0)
            return Fault("ABLE", _never([*cids], payer, amount, most))
    return None


def _never(cids: Sequence[str], payer: str, amount: Fraction, most: Fraction) -> str:
    """Return feedback on clauses that promise too much together, with their sum and the limit."""
    together = " together" if len(cids) > 1 else ""
    return (
        f"{' and '.join(cids)}: {payer} can never pay {plain(amount)}; in the whole game it can "
        f"have at most {plain(most)}. Let it pay at most {plain(max(most, NOTHING))}{together}."
    )


def _certain(clause: Clause, means: Means, now: int) -> Fraction:
    """Return the amount that a clause makes due whatever the agents do; 0 if actions matter."""
    condition, pay = clause.condition(), clause.transfer
    if condition.start or pay is None:
        return NOTHING
    times = sum(condition.holds((), turn) for turn in range(now, means.turns + 1))
    return pay.amount * (min(times, 1) if pay.basis == "once" else times)


def _surely_received(payee: str, clauses: Mapping[str, Clause], means: Means, now: int) -> Fraction:
    """Return the sum of the payments that an agent gets whatever the agents do."""
    pays = [(pay, one) for one in clauses.values() if (pay := one.transfer)]
    fixed = [(pay, one) for pay, one in pays if pay.basis != "reward"]
    parts = [(portions(pay, means.most).get(payee, 0), one) for pay, one in fixed]
    return sum((part * _certain(one, means, now) for part, one in parts if part > 0), NOTHING)


def payers(pays: Iterable[Transfer | Payment], agents: Collection[str]) -> list[str]:
    """Return the agents that make at least one of the payments, without repetition."""
    found = (a for pay in pays for a, part in portions(pay, agents).items() if part < 0)
    return list(dict.fromkeys(found))


def paid_by(payer: str, pay: Transfer | Payment, agents: Collection[str]) -> int | Fraction:
    """Return the fraction of a payment that an agent pays, from 0 to 1."""
    return max(0, -portions(pay, agents).get(payer, 0))


def most_received(payee: str, pays: Iterable[Transfer], means: Means) -> Fraction:
    """Return the largest amount that an agent can get from the payments, in the game's unit."""
    parts = ((pay, portions(pay, means.most).get(payee, 0)) for pay in pays)
    return sum((part * at_most(pay, means) for pay, part in parts if part > 0), NOTHING)


def at_best(payer: str, split: Split | None, means: Means) -> Fraction:
    """Return the larger of the payer's largest reward and its largest share of the total."""
    most = max(means.most[payer], NOTHING)
    if split and split.fractions:
        most = max(most, means.together * split.fractions[payer])
    return most


def at_most(pay: Transfer, means: Means) -> Fraction:
    """Return the largest amount that a payment can move in the whole game, in the game's unit."""
    match pay.basis:
        case "once":
            return pay.amount
        case "turn":
            return pay.amount * means.turns
        case "reward":
            return pay.amount * max(means.most[pay.payer], NOTHING)

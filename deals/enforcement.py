"""The enforcement of contracts: none, by automatic payments, or by payments and deposits.

=========  ====================================================================================
mode       meaning
=========  ====================================================================================
notional   no money moves: payments due are recorded and left to the parties, as in the paper
enforced   the ledger makes every payment that falls due, and splits the total as agreed
escrow     as enforced; each party also pays a deposit at signing: at its first breach the deposit
           goes to those without a breach so far, or to all others if there are none; otherwise it
           is returned at the end
=========  ====================================================================================

Every move goes from one account to another, so the accounts always sum to zero.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, get_args

from shapley_coop.amounts import apportion, parse_exact
from shapley_coop.deals.monitor import Breach

Mode = Literal["notional", "enforced", "escrow"]

MEANS: dict[Mode, str] = {
    "notional": "nothing is enforced: payments are only noted",
    "enforced": "the ledger makes the payments",
    "escrow": "the ledger makes the payments, and deposits are at stake",
}
"""Mode → its meaning in words, for letters and pages."""

ESCROW = "escrow"
"""The ledger account that holds the deposits."""


@dataclass(frozen=True)
class Enforcement:
    """The enforcement of a contract: its mode and its deposit.

    Attributes:
        mode: notional, enforced or escrow.
        deposit: the amount that each party pays into escrow, in the game's unit. None: `certify`
            computes one (`incentives.sufficient_deposit`).
    """

    mode: Mode = "enforced"
    deposit: Fraction | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Enforcement":
        """Return the enforcement given by a run's settings `enforcement` and `deposit`.

        Raises:
            ValueError: the mode is unknown, or the deposit is not a number or is negative.
        """
        deposit = settings.get("deposit")
        mode: Mode = settings.get("enforcement") or "enforced"
        if mode not in get_args(Mode):
            raise ValueError(f"{mode!r} is not an enforcement: choose {', '.join(get_args(Mode))}")
        amount = None if deposit in (None, "", "auto") else parse_exact(deposit)
        if amount is not None and amount < 0:
            raise ValueError(f"a deposit of {amount}: it must be 0 or more")
        return cls(mode, amount)

    @property
    def executes(self) -> bool:
        """Whether the program makes the payments and gifts."""
        return self.mode != "notional"

    def held(self) -> Fraction:
        """Return the deposit that was set for escrow; 0 if none was set or in another mode."""
        return (self.deposit or Fraction(0)) if self.mode == "escrow" else Fraction(0)


class Move(NamedTuple):
    """A transfer from one account to another, in whole units of the ledger."""

    payer: str
    payee: str
    amount: int
    memo: str


@dataclass(frozen=True)
class Posting:
    """The moves of one ledger transaction; its idempotency key is (episode, kind, clause, turn)."""

    kind: str
    clause: str
    turn: int
    moves: tuple[Move, ...]


def injured_by(breaker: str, broken: frozenset[str], agents: Sequence[str]) -> list[str]:
    """Return who gets a forfeited deposit: the others that never breached, or else all others."""
    others = [agent for agent in agents if agent != breaker]
    return [agent for agent in others if agent not in broken] or others


def deposits(agents: Sequence[str], amount: int) -> list[Posting]:
    """Return the postings of the deposits at signing, one for each party.

    Args:
        agents: the parties.
        amount: the deposit of each party, in whole units of the ledger; 0 gives no postings.
    """
    return [
        Posting("deposit", f"d{n}", 0, (Move(agent, ESCROW, amount, "deposit"),))
        for n, agent in enumerate(agents, start=1)
        if amount
    ]


def releases(
    agents: Sequence[str], amount: int, breaches: Sequence[Breach], over: bool
) -> list[Posting]:
    """Return the postings that release deposits: forfeits at a first breach, returns at the end.

    Forfeit and return of a deposit have the same ledger key, so each deposit is released once.

    Args:
        agents: the parties.
        amount: each deposit, in whole units of the ledger.
        breaches: all breaches so far.
        over: whether the game is over.
    """
    first = {breach.agent: breach for breach in sorted(breaches, key=lambda b: -b.turn)}
    postings = []
    for n, agent in enumerate(agents, start=1):
        if not amount or (agent not in first and not over):
            continue
        if agent not in first:
            moves = [Move(ESCROW, agent, amount, "deposit returned")]
        else:
            breach = first[agent]
            broken = frozenset(b.agent for b in breaches if b.turn <= breach.turn)
            payees = injured_by(agent, broken, agents)
            parts = apportion(amount, [1] * len(payees))
            memo = f"deposit forfeited by {breach.clause}, turn {breach.turn}"
            moves = [
                Move(ESCROW, payee, part, memo)
                for payee, part in zip(payees, parts, strict=True)
                if part
            ]
        postings.append(Posting("release", f"d{n}", 0, tuple(moves)))
    return postings


def net(postings: Sequence[Posting], agents: Sequence[str]) -> dict[str, int]:
    """Return each agent's net gain from the postings, in whole units of the ledger."""
    moved = dict.fromkeys([*agents, ESCROW], 0)
    for posting in postings:
        for move in posting.moves:
            moved[move.payer] -= move.amount
            moved[move.payee] += move.amount
    return {agent: moved[agent] for agent in agents}

"""Gifts of goods under a contract: the gifts due, the shortfalls, and the check before signing.

The program executes a `Give` once: at the end of the first turn at which its condition holds, and
before the game computes the rewards of that turn. An agent can sign only if it holds enough of each
good for all its promises of that good together, whatever their conditions. If the agent later holds
less than a gift that falls due, it gives what it holds, and the shortfall is a breach.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shapley_coop.deals.compiled import Clauses, Memories, gifts_due
from shapley_coop.deals.contract import Contract, in_force
from shapley_coop.deals.language.faults import Fault
from shapley_coop.games import Turn
from shapley_coop.games.goods import GIVEN, Gift, Holdings, gifts_in


@dataclass(frozen=True)
class Handover:
    """The goods that one clause moves from giver to receiver at the end of one turn."""

    clause: str
    turn: int
    giver: str
    receiver: str
    good: str
    quantity: int

    def gift(self) -> Gift:
        """Return the handover as the `Gift` that is passed to the game."""
        told = asdict(self)
        del told["turn"]
        return told


def handovers(
    clauses: Clauses, memories: Memories, turn: int, paid: frozenset[str]
) -> list[Handover]:
    """Return the gifts that fall due at the end of a turn.

    Args:
        clauses: the compiled clauses of the contract.
        memories: the memories of the clauses after the turn.
        turn: the number of the turn.
        paid: the ids of clauses whose gift or payment fell due at an earlier turn.
    """
    due = gifts_due(clauses, memories, turn, paid)
    return [
        Handover(cid, turn, give.giver, give.receiver, give.good, give.quantity)
        for cid, give in due.items()
    ]


def shortfalls(turn: Turn) -> list[tuple[str, str, str]]:
    """Return (clause, giver, evidence) for each recorded gift that is smaller than promised."""
    return [
        (
            effect["clause"],
            effect["giver"],
            f"turn {turn['turn']}: {effect['giver']} held {effect['quantity']} {effect['good']}, "
            f"owed {effect['quantity'] + effect['short']}",
        )
        for effect in turn.get("effects", [])
        if effect.get("effect") == GIVEN and effect.get("short")
    ]


def ungivable(agreed: Contract, done: frozenset[str], holds: Holdings) -> Fault | None:
    """Return an ABLE fault if an agent promises more of a good than it holds.

    Args:
        agreed: the contract that would be in force.
        done: the ids of clauses whose gifts have been made already.
        holds: the quantity of each good that each agent holds now.
    """
    gives = {cid: gift for cid, clause in in_force(agreed).items() if (gift := clause.gift)}
    promised: Counter[tuple[str, str]] = Counter()
    clauses: dict[tuple[str, str], list[str]] = {}
    for cid, give in gives.items():
        if cid not in done:
            promised[give.giver, give.good] += give.quantity
            clauses.setdefault((give.giver, give.good), []).append(cid)
    for (giver, good), quantity in promised.items():
        held = holds.get(giver, {}).get(good, 0)
        if quantity > held:
            return Fault(
                "ABLE",
                f"{' and '.join(clauses[giver, good])}: {giver} cannot give {quantity} {good}: it "
                f"holds {held}.",
            )
    return None


def recorded_wrongly(due: Sequence[Handover], turn: Mapping[str, Any]) -> str:
    """Say which recorded gifts differ from the gifts due; "" if none differ."""
    asked, told = [handover.gift() for handover in due], gifts_in(turn)
    return "" if asked == told else f"turn {turn['turn']} hands over {told}, and {asked} was due"

"""Goods that a contract has change hands: what falls due, what fell short, who can give it.

A `Give` is executed by the program, once, at the end of the first turn at which its condition
holds and before the game pays for that turn. Whoever signs one holds what it promises: all that one
agent promises of a good, whatever the conditions, is at most what it holds when it signs. If it
hands that away before, what is left changes hands and the rest is a breach.
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
    """What one clause has change hands by the end of one turn."""

    clause: str
    turn: int
    giver: str
    receiver: str
    good: str
    quantity: int

    def gift(self) -> Gift:
        """As a game is told of it."""
        told = asdict(self)
        del told["turn"]
        return told


def handovers(
    clauses: Clauses, memories: Memories, turn: int, paid: frozenset[str]
) -> list[Handover]:
    """Return what falls due by a turn, by what is remembered with that turn.

    Args:
        clauses: the contract.
        memories: theirs, after the turn.
        turn: its number.
        paid: the ids of clauses that fell due before.
    """
    due = gifts_due(clauses, memories, turn, paid)
    return [
        Handover(cid, turn, give.giver, give.receiver, give.good, give.quantity)
        for cid, give in due.items()
    ]


def shortfalls(turn: Turn) -> list[tuple[str, str, str]]:
    """(clause, giver, evidence) of what could not be handed over in full by a recorded turn."""
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
    """ABLE: nobody promises more of a good than it holds.

    Args:
        agreed: what would be in force.
        done: the ids of clauses by which goods have changed hands already.
        holds: what everybody holds now.
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
    """Return how a recorded turn differs from what its contract had change hands; empty if not."""
    asked, told = [handover.gift() for handover in due], gifts_in(turn)
    return "" if asked == told else f"turn {turn['turn']} hands over {told}, and {asked} was due"

"""The seats of the summariser, who writes contracts, and of the judge; neither is a party."""

from shapley_coop.seats.seat import EMBEDDED, Seat
from shapley_coop.state.run_config import SUMMARISER
from shapley_coop.state.turn import TurnContext

IMPARTIAL = Seat(model=f"{EMBEDDED}:impartial")
"""The default seat of the summariser and of the judge: code, not a model."""


def seat_of(turn: TurnContext, who: str) -> Seat:
    """Return the seat of an agent or of an outsider.

    If the configuration has no summariser, code writes down agreed clauses. Code cannot read an
    offer in free words, so the proposer's model drafts its clauses, or else the first model at a
    seat. The model sees only the public talk, code compares its prose with its clauses, and all
    parties sign.
    """
    seats = turn.evaluated.config.seats
    if who in seats:
        return seats[who]
    offer = turn.evaluated.offer
    if who != SUMMARISER or offer is None or offer["deal"]["clauses"]:
        return IMPARTIAL
    return _drafter(turn, offer["by"])


def can_draft(turn: TurnContext, proposer: str) -> bool:
    """Return whether somebody can draft clauses from an agent's offer in free words."""
    return not _drafter(turn, proposer).simulated


def _drafter(turn: TurnContext, proposer: str) -> Seat:
    """Return the seat that drafts the clauses of an agent's offer in free words."""
    seats = turn.evaluated.config.seats
    if SUMMARISER in seats:
        return seats[SUMMARISER]
    first = [seats[a] for a in (proposer, *turn.evaluated.agents) if a in seats]
    return next((seat for seat in first if not (seat.human or seat.program)), IMPARTIAL)

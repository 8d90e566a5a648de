"""The seats of those who are no party: who writes a contract down, and who judges it."""

from shapley_coop.seats.seat import EMBEDDED, Seat
from shapley_coop.state.run_config import SUMMARISER
from shapley_coop.state.turn import TurnContext

IMPARTIAL = Seat(model=f"{EMBEDDED}:impartial")
"""The seat of the summariser and the judge where the run's configuration names none."""


def seat_of(turn: TurnContext, who: str) -> Seat:
    """Return the seat of an agent or of an outsider.

    Where the configuration seats no summariser, code writes down clauses that were agreed. Of words
    alone code understands only its own sentences, so a model drafts the clauses where one sits at
    the table: the model of whoever proposed the words, else of the first agent that has one. It is
    shown the public talk alone, code compares its prose with its clauses, and all parties sign.
    """
    seats = turn.evaluated.config.seats
    if who in seats:
        return seats[who]
    offer = turn.evaluated.offer
    if who != SUMMARISER or offer is None or offer["deal"]["clauses"]:
        return IMPARTIAL
    first = [seats[a] for a in (offer["by"], *turn.evaluated.agents) if a in seats]
    return next((seat for seat in first if not (seat.human or seat.program)), IMPARTIAL)

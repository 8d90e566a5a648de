"""The seats and models of a sweep's cells, and whether batches can ask them."""

from collections.abc import Iterable

from shapley_coop.evals.cell import Cell
from shapley_coop.seats.seat import Seat


def is_batched(model: str) -> bool:
    """Return whether sweeps can send calls of a model in batches: OpenAI-compatible models only."""
    return Seat(model=model).provider == "openai"


def models_of(cells: Iterable[Cell]) -> list[str]:
    """Return the models of all seats in the cells, each once."""
    return list(dict.fromkeys(seat.model for seat in seats_of(cells)))


def seats_of(cells: Iterable[Cell]) -> list[Seat]:
    """Return all seats in the cells, each once."""
    conditions = dict.fromkeys(cell.condition for cell in cells)
    each = (seat for condition in conditions for seat in condition.settings["seats"].values())
    return list(dict.fromkeys(map(Seat.model_validate, each)))

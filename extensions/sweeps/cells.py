"""The cells of a suite, one for each run: the product of axes × seeds × repetitions.

>>> from shapley_coop.extensions.sweeps.cells import expand
>>> from shapley_coop.extensions.sweeps.suite import Suite
>>> suite = Suite(name="two", base={"game": "escape_room"}, vary={"rounds": [1]}, seeds="0-1")
>>> [(cell.labels, cell.seed) for cell in expand(suite)]
[({'rounds': '1'}, 0), ({'rounds': '1'}, 1)]
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import product, starmap
from typing import Any

from pydantic import ValidationError

from shapley_coop.evals.cell import Cell, Condition
from shapley_coop.evals.seeds import MOST_SEEDS
from shapley_coop.extensions.sweeps.suite import Suite
from shapley_coop.graphs.catalogue import check_name
from shapley_coop.invalid import first_error
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import RunConfig

_GRAPH = "graph"
_MERGED = ("params", "seats")


def expand(suite: Suite) -> list[Cell]:
    """Return every cell of a suite, condition by condition.

    Raises:
        ValueError: seeds repeat, there are too many cells, or a condition's settings are wrong.
    """
    if len(set(suite.seeds)) < len(suite.seeds):
        raise ValueError(f"{suite.name}: a seed is given twice: use repetitions to play it again")
    cells: list[Cell] = []
    for condition in _conditions(suite):
        cells += starmap(partial(Cell, condition), product(suite.seeds, range(suite.repetitions)))
        if len(cells) > MOST_SEEDS:
            raise ValueError(f"{suite.name}: more than {MOST_SEEDS} cells: use fewer seeds")
    return cells


def models_of(cells: Iterable[Cell]) -> list[str]:
    """Return the models of all seats in the cells, each once."""
    return list(dict.fromkeys(seat.model for seat in seats_of(cells)))


def seats_of(cells: Iterable[Cell]) -> list[Seat]:
    """Return all seats in the cells, each once."""
    conditions = dict.fromkeys(cell.condition for cell in cells)
    each = (seat for condition in conditions for seat in condition.settings["seats"].values())
    return list(dict.fromkeys(map(Seat.model_validate, each)))


def _conditions(suite: Suite) -> Iterator[Condition]:
    """Yield the condition of every combination of the axes' labels."""
    axes = suite.axes
    for rank, labels in enumerate(product(*axes.values())):
        named = dict(zip(axes, labels, strict=True))
        settings = dict(suite.base)
        for axis, label in named.items():
            settings = _overlaid(settings, axes[axis][label])
        try:
            graph, config = read_settings(settings)
            room = config.resolve().model_dump(mode="json")
        except ValueError as error:
            shown = " ".join(f"{axis}={label}" for axis, label in named.items()) or "base"
            raise ValueError(f"suite {suite.name}, {shown}: {error}") from None
        yield Condition(suite.name, named, graph, room, rank)


def read_settings(settings: Mapping[str, Any]) -> tuple[str, RunConfig]:
    """Return the workflow and the configuration in a run's settings, without loading the game.

    Raises:
        ValueError: the workflow does not exist, or a setting is wrong.
    """
    graph = str(settings.get(_GRAPH, "shapley_coop"))
    check_name(graph)
    rest = {key: value for key, value in settings.items() if key != _GRAPH}
    try:
        return graph, RunConfig.model_validate(rest)
    except ValidationError as error:
        raise ValueError(str(first_error(error, RunConfig, beside=(_GRAPH,)))) from None


def _overlaid(settings: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings, overridden by `more`; parameters and seats are merged key by key."""
    merged = {key: {**settings.get(key, {}), **more[key]} for key in _MERGED if key in more}
    return {**settings, **more, **merged}

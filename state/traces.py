"""The metadata of a run's trace, by which the run can be found in LangSmith."""

from typing import Any

from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.seats.tracing import label_trace, tracing
from shapley_coop.state.settings import config_of, game_of, name_of
from shapley_coop.state.table import Table


def searched_by(settings: dict[str, Any]) -> dict[str, Any]:
    """Return a trace's metadata, such as game and agents, from the resolved settings."""
    config = config_of(settings)
    return {
        "game": name_of(config),
        "seed": config.seed,
        "agents": list(game_of(settings).agents),
        "protocol": PROTOCOL,
        "simulated": any(seat.simulated for seat in config.seats.values()),
    }


def label_root(table: Table) -> None:
    """Add the episode and the metadata to the current trace, if tracing is on."""
    if tracing():
        label_trace(table["episode"], **searched_by(table["settings"]))

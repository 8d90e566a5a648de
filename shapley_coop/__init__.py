"""Self-interested LLM agents that negotiate, sign contracts, act, and settle fairly.

>>> from shapley_coop import RunConfig, play_sync
>>> outcome = play_sync("shapley_coop", RunConfig(game="escape_room", seed=3))
>>> outcome["payoffs"]
{'Alice': 4.5, 'Bob': 4.5}

These names are public (`docs/python.md` has an example of each); no other module promises anything.
Each is imported when it is first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shapley_coop.deals import Deal, certify
    from shapley_coop.evals.attribution import attribute
    from shapley_coop.front import play_sync, shapley, workflow
    from shapley_coop.games import Game
    from shapley_coop.games import load as load_game
    from shapley_coop.graphs.running import Waiting, play
    from shapley_coop.seats import Seat, SeatError
    from shapley_coop.state import Budget, RunConfig

__all__ = [
    "Budget",
    "Deal",
    "Game",
    "RunConfig",
    "Seat",
    "SeatError",
    "Waiting",
    "attribute",
    "certify",
    "load_game",
    "play",
    "play_sync",
    "shapley",
    "workflow",
]

_HOMES = {
    "Budget": "state",
    "Deal": "deals",
    "Game": "games",
    "RunConfig": "state",
    "Seat": "seats",
    "SeatError": "seats",
    "Waiting": "graphs.running",
    "attribute": "evals.attribution",
    "certify": "deals",
    "load_game": "games:load",
    "play": "graphs.running",
    "play_sync": "front",
    "shapley": "front",
    "workflow": "front",
}
"""Public name → the module that has it, and after a colon its name there if it is another."""

if not TYPE_CHECKING:  # a type checker sees the imports above and refuses any other name

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first asked for (PEP 562)."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, _, there = _HOMES[name].partition(":")
        value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), there or name)
        return value


def __dir__() -> list[str]:
    """List the public names too, before they are imported."""
    return sorted({*globals(), *__all__})

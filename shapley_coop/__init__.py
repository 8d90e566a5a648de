"""Self-interested LLM agents that negotiate, sign contracts, act, and settle fairly.

>>> from shapley_coop import RunConfig, play_sync
>>> outcome = play_sync("shapley_coop", RunConfig(game="escape_room", seed=3))
>>> outcome["payoffs"]
{'Alice': 4.5, 'Bob': 4.5}

Only the names in `_PUBLIC` are public and stable; `docs/python.md` has an example of each. A name
is imported at its first use, so that importing the package is cheap.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if not (Path(__file__).parent / "graphs").is_dir():  # git wrote the symbolic link as a text file
    raise ImportError(
        "this clone lacks the symbolic links that make its folders one package: git config "
        "core.symlinks true, then git checkout -- shapley_coop"
    )

_PUBLIC = {
    "Budget": "state.budget",
    "Deal": "deals.language.deal",
    "Game": "games",
    "Outcome": "outcome",
    "RunConfig": "state.run_config",
    "Seat": "seats.seat",
    "SeatError": "seats.seat",
    "Waiting": "graphs.running",
    "certify": "deals.analysis.certificate",
    "load_game": "games:load",
    "play": "front",
    "play_sync": "front",
    "resume": "front",
    "resume_sync": "front",
    "shapley": "front",
    "workflow": "front",
}
"""Name → the module that defines it, with the name in that module if it differs."""

if TYPE_CHECKING:
    from shapley_coop.deals.analysis.certificate import certify
    from shapley_coop.deals.language.deal import Deal
    from shapley_coop.front import (
        play,
        play_sync,
        resume,
        resume_sync,
        shapley,
        workflow,
    )
    from shapley_coop.games import Game
    from shapley_coop.games import load as load_game
    from shapley_coop.graphs.running import Waiting
    from shapley_coop.outcome import Outcome
    from shapley_coop.seats.seat import Seat, SeatError
    from shapley_coop.state.budget import Budget
    from shapley_coop.state.run_config import RunConfig
else:

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used."""
        if name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, _, there = _PUBLIC[name].partition(":")
        return getattr(import_module(f"{__name__}.{module}"), there or name)


__all__ = [
    "Budget",
    "Deal",
    "Game",
    "Outcome",
    "RunConfig",
    "Seat",
    "SeatError",
    "Waiting",
    "certify",
    "load_game",
    "play",
    "play_sync",
    "resume",
    "resume_sync",
    "shapley",
    "workflow",
]


def __dir__() -> list[str]:
    """Return all names, including public ones that are not imported yet."""
    return sorted({*globals(), *__all__})

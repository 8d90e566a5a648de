"""Self-interested LLM agents that negotiate, sign contracts, act, and settle fairly.

>>> from shapley_coop import RunConfig, play_sync
>>> outcome = play_sync("shapley_coop", RunConfig(game="escape_room", seed=3))
>>> outcome["payoffs"]
{'Alice': 4.5, 'Bob': 4.5}

These names are public (`docs/python.md` has an example of each); no other module promises anything.
Each is imported when it is first used, so that importing the package costs nothing.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if not (Path(__file__).parent / "graphs").is_dir():  # git wrote its link as a text file
    raise ImportError(
        "this clone has no symbolic links, which make its folders one package: "
        "git config core.symlinks true, then git checkout -- shapley_coop"
    )

from shapley_coop.lazily import offered

if TYPE_CHECKING:  # which then refuses any other name
    from shapley_coop.deals import Deal, certify
    from shapley_coop.front import play_sync, shapley, workflow
    from shapley_coop.games import Game
    from shapley_coop.games import load as load_game
    from shapley_coop.graphs.running import Waiting, play
    from shapley_coop.seats import Seat, SeatError
    from shapley_coop.state import Budget, RunConfig
else:
    __getattr__ = offered(__name__, __file__)

__all__ = [
    "Budget",
    "Deal",
    "Game",
    "RunConfig",
    "Seat",
    "SeatError",
    "Waiting",
    "certify",
    "load_game",
    "play",
    "play_sync",
    "shapley",
    "workflow",
]


def __dir__() -> list[str]:
    """List the public names too, before they are imported."""
    return sorted({*globals(), *__all__})

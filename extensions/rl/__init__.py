"""An environment to train negotiators in; its names are imported at their first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shapley_coop.extension import Extension

if TYPE_CHECKING:
    from shapley_coop.extensions.rl.dataset import SPLITS, Episode, episodes
    from shapley_coop.extensions.rl.environment import Negotiation
    from shapley_coop.extensions.rl.rewards import WEIGHTS, score

__all__ = ["EXTENSION", "SPLITS", "WEIGHTS", "Episode", "Negotiation", "episodes", "score"]

EXTENSION = Extension(
    name="rl",
    about="An environment to train negotiators in, also for OpenEnv and verifiers.",
)
_PLACES = {
    **dict.fromkeys(("SPLITS", "Episode", "episodes"), "dataset"),
    **dict.fromkeys(("WEIGHTS", "score"), "rewards"),
    "Negotiation": "environment",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)

"""An environment in which learners negotiate, for `verifiers` and OpenEnv or by itself.

A learner answers the letters of one seat; the parts of its reward follow from the run's record.
All names are imported at their first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shapley_coop.extension import Extension

if TYPE_CHECKING:
    from shapley_coop.extensions.rl.environment import Negotiation, Seen
    from shapley_coop.extensions.rl.dataset import SPLITS, Episode, episodes
    from shapley_coop.extensions.rl.rewards import WEIGHTS, Score, score

__all__ = [
    "EXTENSION",
    "SPLITS",
    "WEIGHTS",
    "Episode",
    "Negotiation",
    "Score",
    "Seen",
    "episodes",
    "score",
]

EXTENSION = Extension(
    name="rl",
    about="An environment to train negotiators in, also for verifiers and OpenEnv.",
)
_PLACES = {
    **dict.fromkeys(("Negotiation", "Seen"), "environment"),
    **dict.fromkeys(("Episode", "SPLITS", "episodes"), "dataset"),
    **dict.fromkeys(("Score", "WEIGHTS", "score"), "rewards"),
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)

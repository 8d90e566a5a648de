"""Making an environment from the name of its factory: `package.module:factory`."""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel

from shapley_coop.games.params import GameError


def made(factory: str, settings: Mapping[str, Any]) -> Any:
    """The environment that a factory makes, as a `ParallelEnv`.

    Raises:
        GameError: there is no such factory, it fails, or it makes something else.
    """
    try:
        env = _named(factory)(**settings)
    except GameError:
        raise
    except Exception as error:
        raise refused(factory, f"its factory fails: {type(error).__name__}: {error}") from None
    if isinstance(env, AECEnv):
        together = env.metadata.get("is_parallelizable")
        env = aec_to_parallel(env) if together else turn_based_aec_to_parallel(env)
    if not isinstance(env, ParallelEnv):
        raise refused(factory, f"it makes a {type(env).__name__}, no ParallelEnv and no AECEnv")
    return env


def refused(factory: str, reason: str) -> GameError:
    """Why an environment cannot be played, in one line."""
    return GameError(f"pettingzoo:{factory}: {' '.join(reason.split())[:300]}")


def _named(factory: str) -> Any:
    path, _, name = factory.partition(":")
    try:
        module = import_module(path)
        found = getattr(module, name)
    except Exception as error:  # whatever a module that is not ours may do when it is loaded
        said = f"{type(error).__name__}: {error}"
        raise refused(factory, f"{said}; give pettingzoo:package.module:factory") from None
    # A name of a game may come from afar: nothing is called but what has to do with PettingZoo.
    if not callable(found) or not _speaks_pettingzoo(module):
        reason = "it is not a factory in a module that defines or uses PettingZoo's"
        raise refused(factory, reason)
    return found


def _speaks_pettingzoo(module: ModuleType) -> bool:
    used = (getattr(value, "__module__", None) or "" for value in vars(module).values())
    return any(name.partition(".")[0] == "pettingzoo" for name in (module.__name__, *used))

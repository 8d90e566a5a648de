"""The construction of an environment from its factory's name: `package.module:factory`."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from shapley_coop.extras import missing_library, require_extra
from shapley_coop.games.params import GameError

with require_extra("pettingzoo", "an environment of PettingZoo"):
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel

FORM = "give pettingzoo:package.module:factory, as in pettingzoo.classic.rps_v2:parallel_env"
FACTORIES = ("parallel_env", "env", "raw_env")
"""The names of factories in PettingZoo's own modules, the preferred name first."""


def made(factory: str, settings: Mapping[str, Any]) -> Any:
    """Return the environment that a factory makes, as a `ParallelEnv`.

    Raises:
        GameError: the factory does not exist, fails, or makes no environment.
    """
    try:
        env = _named(factory)(**settings)
    except GameError:
        raise
    except Exception as error:
        raise refused(factory, f"its factory failed: {type(error).__name__}: {error}") from None
    if isinstance(env, AECEnv):
        together = env.metadata.get("is_parallelizable")
        env = aec_to_parallel(env) if together else turn_based_aec_to_parallel(env)
    if not isinstance(env, ParallelEnv):
        raise refused(factory, f"it returned a {type(env).__name__}, not a ParallelEnv or AECEnv")
    return env


def refused(factory: str, reason: str) -> GameError:
    """Return the error for an environment that cannot be played, with the reason in one line."""
    return GameError(f"pettingzoo:{factory}: {' '.join(reason.split())[:300]}")


def _named(factory: str) -> Any:
    path, _, name = factory.partition(":")
    try:
        module = import_module(path)
    except ModuleNotFoundError as error:
        raise refused(factory, _missing(path, error.name or "")) from None
    except Exception as error:  # importing foreign code may raise anything
        said = f"{type(error).__name__}: {error}"
        raise refused(factory, f"{said}; give pettingzoo:package.module:factory") from None
    found = getattr(module, name, None) if name else None
    if found is None:
        raise refused(factory, _no_factory(module, name))
    # A game's name may come from an untrusted request, so only PettingZoo factories are called.
    if not callable(found) or not _speaks_pettingzoo(module):
        reason = "it is not a factory in a module that defines or uses PettingZoo's"
        raise refused(factory, reason)
    return found


def _missing(path: str, absent: str) -> str:
    """Return the error message that a module, or a module that it imports, does not exist."""
    if absent and path != absent and not path.startswith(f"{absent}."):
        return str(missing_library("it", absent))
    package, _, name = path.rpartition(".")
    return f"no module named {path}: {_instead(package, name) or FORM}"


def _no_factory(module: ModuleType, name: str) -> str:
    """Return an error message for a missing factory, with a suggestion."""
    made_by = [one for one in FACTORIES if callable(getattr(module, one, None))]
    what = f"{module.__name__} has no {name!r}" if name else "a factory is missing after the module"
    if made_by:
        return f"{what}: give {module.__name__}:{made_by[0]}"
    package, _, short = module.__name__.rpartition(".")
    return f"{what}: {_instead(package, short) or FORM}"


def _instead(package: str, name: str) -> str:
    """Return a suggestion of modules with similar names, such as other versions, or ""."""
    try:
        folder = import_module(package).__path__ if package else []
    except Exception:  # the package does not exist, or its import fails
        return ""
    stem = name.rpartition("_v")[0] or name
    beside = [one.name for one in iter_modules(folder)]
    alike = [one for one in beside if one.startswith(f"{stem}_v")]
    alike = alike or get_close_matches(name, [one for one in beside if "_v" in one], 3)
    named = [f"{package}.{one}:{made_by}" for one in alike for made_by in _made_by(folder, one)]
    return f"give {' or '.join(named)}" if named else ""


def _made_by(folder: Iterable[str], name: str) -> list[str]:
    """Return the preferred factory that a module's text defines, or []; do not run the module."""
    for place in map(Path, folder):
        for path in (place / f"{name}.py", place / name / "__init__.py"):
            if path.is_file():
                bound = set(_bound(ast.parse(path.read_bytes())))
                return [one for one in FACTORIES if one in bound][:1]
    return []


def _bound(module: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines, assigns or imports at its top level."""
    for node in module.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (one.id for one in targets if isinstance(one, ast.Name))
            case ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name for alias in names)


def _speaks_pettingzoo(module: ModuleType) -> bool:
    # An imported module has `__name__`, and an object imported from a module has `__module__`.
    used = (
        getattr(value, "__module__", None) or getattr(value, "__name__", "")
        for value in vars(module).values()
    )
    return any(str(name).partition(".")[0] == "pettingzoo" for name in (module.__name__, *used))

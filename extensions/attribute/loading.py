"""The objects of the user's files: the graph, the scorer, stand-ins, models and answers."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shapley_coop.files import did_you_mean

EXITS = "it calls sys.exit while it is imported; put that below if __name__ == '__main__'"


def load(spec: str, what: str) -> Any:
    """Import `path.py:name` or `package.module:name`.

    While a file loads, its folder is on `sys.path`. A file in a folder with `__init__.py` is a
    module of that package, so that it may import relatively; the package's folder is on the path.

    Args:
        spec: a file or a module, and a name defined in it.
        what: a word for the object, used in error messages.

    Raises:
        ValueError: the file or the name does not exist, or importing the file fails.
    """
    file, _, name = spec.rpartition(":")
    path = Path(file)
    if not file or not name:
        raise ValueError(f"{what} {spec}: give path.py:name, the file and a name in it")
    if path.is_file():
        module = _of_file(path.resolve(), f"{what} {path}")
    elif is_module(file):
        module = _of_module(file, f"{what} {spec}", [Path.cwd()])
    else:
        raise ValueError(f"{what} {spec}: there is no file {path}")
    if not hasattr(module, name):
        known = [one for one in vars(module) if not one.startswith("_")]
        raise ValueError(f"{what} {spec}: {file} has no {name!r}{did_you_mean(name, known)}")
    return getattr(module, name)


def is_module(file: str) -> bool:
    """Return whether a text is the name of a module, such as package.module, and not a path."""
    return not file.endswith(".py") and all(part.isidentifier() for part in file.split("."))


def _of_file(path: Path, what: str) -> Any:
    parts = [path.stem] if path.stem != "__init__" else []
    root = path.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    dotted = ".".join(parts)
    if root != path.parent and is_module(dotted):
        module = _of_module(dotted, what, [root, path.parent])
        if Path(getattr(module, "__file__", None) or "").resolve() == path:
            return module  # otherwise another package of this name was imported earlier
    return _alone(path, what)


def _of_module(dotted: str, what: str, folders: list[Path]) -> Any:
    with _importing(what, folders):
        return importlib.import_module(dotted)


def _alone(path: Path, what: str) -> Any:
    """Import a file that is not in a package."""
    known = f"coop_app_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if known in sys.modules:
        return sys.modules[known]
    found = importlib.util.spec_from_file_location(known, path)
    if not (found and found.loader):
        raise ValueError(f"{what}: is not a Python file: give path.py:name")
    module = sys.modules[known] = importlib.util.module_from_spec(found)
    try:
        with _importing(what, [path.parent]):
            found.loader.exec_module(module)
    except ValueError:
        del sys.modules[known]
        raise
    return module


@contextmanager
def _importing(what: str, folders: list[Path]) -> Iterator[None]:
    """Put folders first on `sys.path`; turn what an import raises into a line that names it."""
    before = [str(folder) for folder in folders]
    sys.path[:0] = before
    try:
        yield
    except SystemExit:
        raise ValueError(f"{what}: {EXITS}") from None
    except Exception as error:
        is_relative = isinstance(error, ImportError) and "relative import" in str(error)
        hint = "; put an __init__.py into its folder, or give package.module:name"
        said = f"{type(error).__name__}: {error}{hint if is_relative else ''}"
        raise ValueError(f"{what}: {said}") from error
    finally:
        for folder in before:
            sys.path.remove(folder)

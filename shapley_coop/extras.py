"""Libraries that only some commands need: each comes with an extra, and an error names its line.

    with needing("sepa", "a payment file"):
        from sepaxml import SepaTransfer

Every import of such a library stands in such a block, or in a package whose `__init__` has one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


class LibraryMissing(ValueError):
    """A library is not installed; one line says who needs it, and what installs it."""


def missing_library(who: str, library: str, extra: str = "") -> LibraryMissing:
    """Return the error that says how to install a library.

    Args:
        who: what needs it.
        library: its name.
        extra: of ours that brings it; empty for a library that none brings.
    """
    package = f'"shapley-coop[{extra}]"' if extra else library
    return LibraryMissing(f"{who} needs {library}: pip install {package}")


@contextmanager
def require_extra(extra: str, who: str) -> Iterator[None]:
    """Name the extra where an import of its libraries fails.

    Args:
        extra: of `pyproject.toml`.
        who: what needs it, as the beginning of a sentence.

    Raises:
        LibraryMissing: a library is absent, or lacks what is imported of it.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or extra).partition(".")[0]
        if library == __package__:
            raise  # our own fault, and no library's
        raise missing_library(who, library, extra) from None


def is_installed(library: str) -> bool:
    """Return whether a library can be imported; nothing is."""
    return find_spec(library) is not None

"""Libraries that only some commands need; errors name the extra that installs a library.

    with require_extra("sepa", "a payment file"):
        from sepaxml import SepaTransfer

Import these libraries only in such a block, or in a package whose `__init__` has one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


class LibraryMissing(ValueError):
    """The error raised if a library is missing; it says what needs it and how to install it."""


def missing_library(who: str, library: str, extra: str = "") -> LibraryMissing:
    """Return the error that says how to install a library.

    Args:
        who: the feature that needs the library.
        library: the library's name.
        extra: the extra of this package that installs the library; empty if there is none.
    """
    package = f'"shapley-coop[{extra}]"' if extra else library
    return LibraryMissing(f"{who} needs {library}: pip install {package}")


@contextmanager
def require_extra(extra: str, who: str) -> Iterator[None]:
    """Turn a failed import within the block into an error that names the extra.

    Args:
        extra: the extra's name in `pyproject.toml`.
        who: the feature that needs the libraries, as the beginning of a sentence.

    Raises:
        LibraryMissing: a library is absent, or lacks the imported name.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or extra).partition(".")[0]
        if library == __package__:
            raise  # a fault of this package, not of a library
        raise missing_library(who, library, extra) from None


def is_installed(library: str) -> bool:
    """Return whether a library can be imported, without importing it."""
    return find_spec(library) is not None

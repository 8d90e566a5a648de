"""Write files whole, in folders that are made for them."""

from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4


def make_folder(folder: Path) -> None:
    """Make a folder unless it exists.

    Raises:
        ValueError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{folder}: no folder can be made there ({error.strerror})") from None


def replace_file(path: Path, text: Iterable[str]) -> None:
    """Write a file atomically: afterwards it is there whole, or as it was before.

    Args:
        path: the file.
        text: all of it, or its parts, of which one is held at a time.
    """
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.writelines([text] if isinstance(text, str) else text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

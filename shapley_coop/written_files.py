"""Writing files atomically, and making their folders."""

from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4


def make_folder(folder: Path) -> None:
    """Make a folder unless it exists.

    Raises:
        ValueError: the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{folder}: the folder cannot be made ({error.strerror})") from None


def replace_file(path: Path, text: Iterable[str]) -> None:
    """Write a file atomically: if writing fails, the file keeps its old content.

    Args:
        path: the file.
        text: the text, or its parts; only one part is in memory at a time.
    """
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.writelines([text] if isinstance(text, str) else text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

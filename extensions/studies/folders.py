"""Files of a study, wherever they lie in its folder."""

from pathlib import Path


def files_below(folder: Path, name: str) -> list[Path]:
    """The files of a name in a folder and below it, by path: of pipes, a reader would not return.

    Args:
        folder: where to look.
        name: of the files, or a pattern.
    """
    return sorted(path for path in folder.rglob(name) if path.is_file())

"""The search for files of a study in nested folders."""

from pathlib import Path


def files_below(folder: Path, name: str) -> list[Path]:
    """Return the regular files of a name in and below a folder; pipes are left out, as they block.

    Args:
        folder: the folder to search.
        name: the name of the files, or a glob pattern.
    """
    return sorted(path for path in folder.rglob(name) if path.is_file())

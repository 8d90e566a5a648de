"""The search for files of a study in nested folders."""

from pathlib import Path


def files_below(folder: Path, name: str) -> list[Path]:
    """Return the regular files with a name in a folder and below; pipes, which block, are left out.

    Args:
        folder: the folder to search.
        name: the name of the files, or a glob pattern.
    """
    return sorted(path for path in folder.rglob(name) if path.is_file())

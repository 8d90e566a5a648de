"""A bare repository of our own, which holds what some commits of another reach.

The other's configuration and attributes decide what git shows of it: which files are text, which
are too large to compare, how objects are found. None of that is copied. Objects are, and git works
out every object's hash anew on the way in: a forged index cannot pass one object off as another.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from shapley_coop.extensions.repository.git import Repository, RepositoryError, limited

LARGEST_PACK = 1 << 30
"""Bytes of what is copied, compressed."""

_PACKING = {
    # Deltas that are there are kept, none is looked for: the copy is read once.
    "pack.window": "0",
    "pack.compression": "1",
    "pack.useBitmaps": "false",
    "pack.allowPackReuse": "false",
}


@contextmanager
def fresh(source: Repository, tips: Sequence[str]) -> Iterator[Repository]:
    """Copy what the commits reach, for as long as the block lasts.

    Args:
        source: nobody vouches for it.
        tips: hashes of commits.

    Raises:
        RepositoryError: objects are missing or broken, or there are more than `LARGEST_PACK`.
    """
    with TemporaryDirectory(prefix="history-") as name:
        copy = Repository(source.path, Path(name), own=True)
        kind = source.text("rev-parse", "--show-object-format")
        copy.output("init", "--quiet", "--bare", "--template=", f"--object-format={kind}")
        shallow = shallow_ends(source)
        if shallow:
            (copy.git_dir / "shallow").write_text("".join(f"{end}\n" for end in sorted(shallow)))
        _copy(source, copy, tips)
        yield copy


def shallow_ends(repository: Repository) -> set[str]:
    """Commits whose parents were not cloned: they would seem to have written everything."""
    listed = repository.git_dir / repository.text("rev-parse", "--git-path", "shallow")
    return set(listed.read_text(encoding="ascii").split()) if listed.is_file() else set()


def _copy(source: Repository, copy: Repository, tips: Sequence[str]) -> None:
    packing = [part for key, value in _PACKING.items() for part in ("-c", f"{key}={value}")]
    pack = ("pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset")
    index = ("index-pack", "--stdin", "--threads=1", f"--max-input-size={LARGEST_PACK}")
    with TemporaryFile() as wanted, TemporaryFile() as from_source, TemporaryFile() as from_copy:
        wanted.write("".join(f"{tip}\n" for tip in tips).encode())
        wanted.seek(0)
        command = source.command(*packing, *pack)
        with limited(command, stdin=wanted, stdout=subprocess.PIPE, stderr=from_source) as packs:
            assert packs.stdout is not None, "it was opened as a pipe"
            null, given = subprocess.DEVNULL, packs.stdout
            with limited(
                copy.command(*index), stdin=given, stdout=null, stderr=from_copy
            ) as indexes:
                packs.stdout.close()  # index-pack alone holds it: where that ends, packing does
        # What packing was ended by is told by what ended it: index-pack, which had gone.
        if packs.returncode > 0:
            from_source.seek(0)
            raise source.failed(pack, from_source.read())
        if indexes.returncode:
            from_copy.seek(0)
            said = from_copy.read()
            if b"exceeds maximum" in said:
                raise RepositoryError(
                    f"{source.path}: holds more than {LARGEST_PACK >> 20} MB of history, "
                    "which is more than can be read"
                )
            raise copy.failed(index, said)
        if packs.returncode:
            raise source.failed(pack, b"it was ended by the system")

"""A temporary bare copy of a repository, with all objects that some commits reach.

A repository's configuration and attributes decide how git shows it: which files are text, which
are too large to compare, and how objects are found. So only objects are copied. Git computes the
hash of every object again, so that a forged pack index cannot replace objects.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from shapley_coop.extensions.repository.git import Repository, RepositoryError, limited

LARGEST_PACK = 1 << 30
"""The most bytes that are copied, compressed."""

_PACKING = {
    # Existing deltas are kept and no new ones are searched, since the copy is read only once.
    "pack.window": "0",
    "pack.compression": "1",
    "pack.useBitmaps": "false",
    "pack.allowPackReuse": "false",
}


@contextmanager
def fresh(source: Repository, tips: Sequence[str]) -> Iterator[Repository]:
    """Yield a copy of all objects that the commits reach; the copy exists within the `with` block.

    Args:
        source: the repository, which is not trusted.
        tips: the hashes of the commits.

    Raises:
        RepositoryError: objects are missing or broken, or exceed `LARGEST_PACK`.
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
    """Return commits whose parents a shallow clone lacks; git credits them with all older lines."""
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
                packs.stdout.close()  # if index-pack dies, pack-objects must see a closed pipe
        # A negative code is a signal: index-pack may have failed first, and is reported below.
        if packs.returncode > 0:
            from_source.seek(0)
            raise source.failed(pack, from_source.read())
        if indexes.returncode:
            from_copy.seek(0)
            said = from_copy.read()
            if b"exceeds maximum" in said:
                raise RepositoryError(
                    f"{source.path}: its history exceeds {LARGEST_PACK >> 20} MB, the most that "
                    "can be read"
                )
            raise copy.failed(index, said)
        if packs.returncode:
            raise source.failed(pack, b"it was ended by the system")

"""Digests of files that a run needs and does not hold, so that an edited one is told from its own.

A market has a few worths: a plain hash of it could be found by trying them. So the hash is keyed
(HMAC-SHA-256) with 32 random bytes, which are in the home's folder and nowhere else.
"""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from shapley_coop.files import TooLarge, bytes_of
from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.home import home

KEY_FILE = "digests.key"


def digest_of(path: str | Path) -> str:
    """The keyed digest of a file: which key, and the hash, in hexadecimal with a colon between.

    Raises:
        OSError: it cannot be read, or is no regular file: a pipe would never return.
        TooLarge: it has more than `MOST_BYTES`.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(path)
    return f"{_name(_key(home().folder))}:{keyed_digest(bytes_of(path))}"


def keyed_digest(content: bytes) -> str:
    """The hash of a content by the home's key, in hexadecimal: others cannot try what it is of."""
    return hmac.new(_key(home().folder), content, hashlib.sha256).hexdigest()


def salt_of(episode: str) -> str:
    """What a play's settings are hashed with: always the same here, and guessed by nobody."""
    return hmac.new(_key(home().folder), b"salt of " + episode.encode(), hashlib.sha256).hexdigest()


def is_other(path: str | Path, digest: str) -> bool | None:
    """Whether a file is another one than a digest was made of; None where this home cannot tell.

    It cannot where the file cannot be read, or the key was another home's.
    """
    with suppress(OSError, TooLarge):
        now = digest_of(path)
        if now.partition(":")[0] == digest.partition(":")[0]:
            return now != digest
    return None


def _name(key: bytes) -> str:
    return hashlib.sha256(b"name of " + key).hexdigest()[:8]


@lru_cache(maxsize=64)
def _key(folder: Path) -> bytes:
    path = folder / KEY_FILE
    if not path.exists():
        private_folder(folder)
        # Whoever reads it meanwhile finds all of it, or none, and of two that make one the first's.
        part = path.with_suffix(f".{os.getpid()}")
        private_file(part)
        part.write_bytes(secrets.token_bytes(32))
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links: of two at once the later one's stays
            part.replace(path)
        part.unlink(missing_ok=True)
    return path.read_bytes()

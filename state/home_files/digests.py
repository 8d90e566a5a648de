"""Digests of files that a run needs but does not contain, to detect later edits of the files.

A market file has few possible contents, so anyone could guess it by hashing them all, if the hash
were plain. So the hash is keyed (HMAC-SHA-256) with 32 random bytes, which only the home has.
"""

import base64
import hashlib
import hmac
import json
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
    """Return a file's digest as `KEY:HASH` in hexadecimal, where KEY identifies the home's key.

    Raises:
        OSError: the path cannot be read, or is not a regular file, such as a pipe that could block.
        TooLarge: the file has more than `MOST_BYTES`.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(path)
    return f"{_name(_key(home().folder))}:{keyed_digest(bytes_of(path))}"


def keyed_digest(content: bytes) -> str:
    """Return a hexadecimal hash keyed by the home, so that outsiders cannot guess the content."""
    return hmac.new(_key(home().folder), content, hashlib.sha256).hexdigest()


def salt_of(episode: str) -> str:
    """Return the secret salt for the hash of an episode's settings; a home never changes it."""
    return hmac.new(_key(home().folder), b"salt of " + episode.encode(), hashlib.sha256).hexdigest()


def secret_of(*what: str) -> str:
    """Return the home's unchanging secret for a purpose, in characters that a URL may contain.

    Digests of files are published. So this secret is made by another hash (SHA-512), and no file's
    digest can equal it.
    """
    found = hmac.digest(_key(home().folder), json.dumps(what).encode(), "sha512")
    return base64.urlsafe_b64encode(found[:24]).decode()


def is_other(path: str | Path, digest: str) -> bool | None:
    """Return whether a file has changed since the given digest was made.

    Return None if the file cannot be read, or the digest was made with another home's key.
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
        # A link is atomic: readers see the whole key or none, and of two writers the first wins.
        part = path.with_suffix(f".{os.getpid()}")
        private_file(part)
        part.write_bytes(secrets.token_bytes(32))
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        except OSError:  # the file system has no links: the last writer wins
            part.replace(path)
        part.unlink(missing_ok=True)
    return path.read_bytes()

"""The protection of a home's files from other users: private modes, and optional encryption.

Only their owner can read files and new folders. A folder that exists already keeps its mode.

With a key in COOP_JOURNAL_KEY, letters and answers are encrypted before they are written, by Fernet
(AES-128-CBC with HMAC-SHA-256, the extra `encryption`). For rotation, give several keys separated
by commas: the first key encrypts, and all decrypt. Rows that were written without a key stay
readable. Checkpoints, the ledger, the register and the journal's metadata are not encrypted.
"""

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shapley_coop.extras import require_extra

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

KEY_VARIABLE = "COOP_JOURNAL_KEY"
_MARK = b"fernet:"


def private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, so that only their owner can read them."""
    if folder.exists():
        return
    private_folder(folder.parent)
    with suppress(FileExistsError):  # another process has just created the folder
        folder.mkdir(mode=0o700)


def private_file(file: Path) -> None:
    """Create a file if it is missing, and make it readable for its owner only.

    SQLite gives its auxiliary files the same mode. An existing file is not opened, because closing
    it would release the locks that this process holds on the file.
    """
    if not file.exists():
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    with suppress(PermissionError):  # the file belongs to another user
        file.chmod(0o600)


def check_key() -> None:
    """Check the encryption key, so that a run with a bad key does not begin.

    Raises:
        ValueError: the key is malformed, or the extra `encryption` is not installed.
    """
    if keys := os.environ.get(KEY_VARIABLE, ""):
        _cipher(keys)


def seal_bytes(content: bytes) -> bytes:
    """Return content in its stored form, which is encrypted if COOP_JOURNAL_KEY is set.

    Raises:
        ValueError: the key is malformed.
    """
    keys = os.environ.get(KEY_VARIABLE, "")
    return _MARK + _cipher(keys).encrypt(content) if keys else content


def unseal_bytes(content: bytes) -> bytes:
    """Return the content of stored bytes, decrypted if they are encrypted.

    Raises:
        ValueError: the content is encrypted, and the key is missing or a different one.
    """
    if not content.startswith(_MARK):
        return content
    keys = os.environ.get(KEY_VARIABLE, "")
    if not keys:
        raise ValueError(f"the journal is encrypted: set {KEY_VARIABLE} to its key")
    with require_extra("encryption", f"{KEY_VARIABLE}, which is set,"):
        from cryptography.fernet import InvalidToken
    try:
        return _cipher(keys).decrypt(content[len(_MARK) :])
    except InvalidToken:
        raise ValueError(
            f"the journal was changed, or {KEY_VARIABLE} lacks the key with which it was encrypted"
        ) from None


@lru_cache(maxsize=4)
def _cipher(keys: str) -> "MultiFernet":
    with require_extra("encryption", f"{KEY_VARIABLE}, which is set,"):
        from cryptography.fernet import Fernet, MultiFernet
    try:
        return MultiFernet([Fernet(key.strip()) for key in keys.split(",")])
    except ValueError:
        raise ValueError(
            f"{KEY_VARIABLE} is not a key: give 32 bytes in URL-safe Base64, as "
            "cryptography.fernet.Fernet.generate_key() makes them"
        ) from None

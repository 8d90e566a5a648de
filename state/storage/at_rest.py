"""What of a home others on the machine may read: nothing, and on request not even as files.

Folders are made for their owner alone, and so are files, those that are there already included. A
folder that was there is its owner's to open or close.

With a key in COOP_JOURNAL_KEY, letters and answers are encrypted before they are written, by Fernet
(AES-128-CBC with HMAC-SHA-256, the extra `encryption`). Several keys, separated by commas, rotate:
the first encrypts, all decrypt. Rows from before there was a key are read as they are. Checkpoints,
the ledger, the register, and of the journal who was asked what and when, are not encrypted.
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
    """Make a folder and those above it, for their owner alone; one that is there stays as it is."""
    if folder.exists():
        return
    private_folder(folder.parent)
    with suppress(FileExistsError):  # another process was faster
        folder.mkdir(mode=0o700)


def private_file(file: Path) -> None:
    """Make a file, or close one that is there, for its owner alone.

    SQLite gives its write-ahead log and its index the mode of the database. One that is there is
    not opened: to close it would take away the locks that this process has on it.
    """
    if not file.exists():
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    with suppress(PermissionError):  # it is another's, who let us write
        file.chmod(0o600)


def check_key() -> None:
    """Refuse to begin what could not be kept.

    Raises:
        ValueError: the key is none, or the extra `encryption` is not installed.
    """
    if keys := os.environ.get(KEY_VARIABLE, ""):
        _cipher(keys)


def seal_bytes(content: bytes) -> bytes:
    """Content as it is written: encrypted if there is a key.

    Raises:
        ValueError: the key is none.
    """
    keys = os.environ.get(KEY_VARIABLE, "")
    return _MARK + _cipher(keys).encrypt(content) if keys else content


def unseal_bytes(content: bytes) -> bytes:
    """Content as it was before it was written.

    Raises:
        ValueError: it is encrypted, and there is no key, or another.
    """
    if not content.startswith(_MARK):
        return content
    keys = os.environ.get(KEY_VARIABLE, "")
    if not keys:
        raise ValueError(f"the journal is encrypted: set {KEY_VARIABLE} to the key it was kept by")
    with require_extra("encryption", f"{KEY_VARIABLE}, which is set,"):
        from cryptography.fernet import InvalidToken
    try:
        return _cipher(keys).decrypt(content[len(_MARK) :])
    except InvalidToken:
        raise ValueError(
            f"the journal was encrypted by a key that {KEY_VARIABLE} does not hold, or was changed"
        ) from None


@lru_cache(maxsize=4)
def _cipher(keys: str) -> "MultiFernet":
    with require_extra("encryption", f"{KEY_VARIABLE}, which is set,"):
        from cryptography.fernet import Fernet, MultiFernet
    try:
        return MultiFernet([Fernet(key.strip()) for key in keys.split(",")])
    except ValueError:
        raise ValueError(
            f"{KEY_VARIABLE} holds no key: 32 bytes in URL-safe Base64, as "
            "cryptography.fernet.Fernet.generate_key() makes them"
        ) from None

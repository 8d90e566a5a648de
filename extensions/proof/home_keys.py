"""The keys of a home, in its folder `keys`; only the home's owner can read their private parts."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from shapley_coop.files import read_text
from shapley_coop.state.storage.at_rest import private_folder
from shapley_coop.state.storage.home import home

if TYPE_CHECKING:  # for type checks only, since most runs need no keys
    from shapley_coop.extensions.proof.keys import Algorithm, PrivateKey, PublicKey

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")


def new_key(name: str, algorithm: "Algorithm" = "Ed25519") -> "PublicKey":
    """Make a key, keep it in this home, and return its public part.

    Raises:
        ValueError: a key of this name exists, or the name is invalid.
        LibraryMissing: the extra `keys` is not installed.
    """
    from shapley_coop.extensions.proof.keys import PrivateKey

    path, key = _path(name), PrivateKey.new(algorithm)
    private_folder(path.parent)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ValueError(f"a key {name!r} exists already: choose another name") from None
    with os.fdopen(file, "w", encoding="ascii") as kept:
        kept.write(key.pem())
    return key.public


def key_of(name: str) -> "PrivateKey":
    """Return a key of this home.

    Raises:
        ValueError: no key has this name, or the key's file is invalid.
        LibraryMissing: the extra `keys` is not installed.
    """
    from shapley_coop.extensions.proof.keys import PrivateKey

    path = _path(name)
    if not path.exists():
        known = ", ".join(key_names()) or "none"
        raise ValueError(
            f"{path.parent} has no key {name} (but {known}): coop keys new {name} makes it"
        )
    return PrivateKey.read(read_text(path, "a key"), str(path))


def key_names() -> list[str]:
    """Return the names of this home's keys, sorted."""
    return sorted(path.stem for path in (home().folder / "keys").glob("*.pem"))


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a key: use at most 64 letters, digits, _ . -")
    return home().folder / "keys" / f"{name}.pem"

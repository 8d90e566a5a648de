"""Texts that a run's configuration names by their hash: personas, mandates, packs of prompts.

A persona is private, so that the table may not hold it; a pack is long. Both are kept in the
home's folder, and the configuration on the table says `kept:HASH`: a run goes on with the same
words whatever became of the file they were read from.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from shapley_coop.files import read_json, read_text
from shapley_coop.seats.tracing import keep_out
from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.home import home

KEPT = "kept:"
"""Before the hash of what is kept."""

_NO_PACK = "a prompt pack (a folder of NAME.md templates)"


def keep_persona(text: str) -> str:
    """Keep a persona; what stands on the table for it."""
    return text if text.startswith(KEPT) or not text else keep("personas", text)


def persona_of(name: str) -> str:
    """A persona by what stands on the table for it; no name, no persona.

    Raises:
        ValueError: it is not in this home.
    """
    return _persona(home().folder, name) if name else ""


def keep_pack(folder: str) -> str:
    """Keep a folder of templates; what stands on the table for it.

    Raises:
        ValueError: there is no such folder, or no template in it.
    """
    if folder.startswith(KEPT) or not folder:
        return folder
    paths = sorted(Path(folder).glob("*.md"))
    if not paths:
        raise ValueError(f"{folder} is no prompt pack: give a folder of NAME.md templates")
    texts = {path.stem: read_text(path, _NO_PACK) for path in paths}
    return keep("prompts", json.dumps(texts, ensure_ascii=False, sort_keys=True))


def pack_of(name: str) -> Mapping[str, str]:
    """Template → text of a pack, by what stands on the table for it; no name, no pack.

    Raises:
        ValueError: it is not in this home.
    """
    return _pack(home().folder, name) if name else {}


def keep(kind: str, text: str) -> str:
    """Keep a text under its hash; what stands on the table for it."""
    name = _name(text.encode())
    path = home().folder / kind / f"{name}.txt"
    if not path.exists():
        private_folder(path.parent)
        # Whoever reads it meanwhile finds all of it, or nothing.
        part = path.with_suffix(f".{os.getpid()}")
        private_file(part)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    return f"{KEPT}{name}"


def kept_file(folder: Path, kind: str, name: str, what: str) -> Path:
    """The file of what is kept, once it is known to hold what its name is the hash of.

    Args:
        folder: the home's.
        kind: the folder in it.
        name: what stands on the table.
        what: what it is, with its article, for the error.

    Raises:
        ValueError: it is no name of what is kept, cannot be read, or was changed.
    """
    path = place(folder, kind, name)
    try:
        found = _name(path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path}: cannot be read as {what}: {error.strerror}") from None
    if found != name.removeprefix(KEPT):
        raise ValueError(f"{path}: {what} was changed since the run began: put it back")
    return path


def _name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def place(folder: Path, kind: str, name: str) -> Path:
    """The file of what is kept.

    Raises:
        ValueError: it is no name of what is kept.
    """
    digest = name.removeprefix(KEPT)
    if not digest.isalnum():
        raise ValueError(f"{name!r} is no name of what is kept: it is {KEPT}HASH")
    return folder / kind / f"{digest}.txt"


@lru_cache(maxsize=256)
def _persona(folder: Path, name: str) -> str:
    what = "a persona kept in this home"
    text = read_text(kept_file(folder, "personas", name, what), what)
    keep_out([text])
    return text


@lru_cache(maxsize=64)
def _pack(folder: Path, name: str) -> Mapping[str, str]:
    what = "a pack kept in this home"
    found: dict[str, str] = read_json(kept_file(folder, "prompts", name, what), what)
    return found

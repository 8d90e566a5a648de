"""Texts that a run's configuration names by their hash: personas, mandates, packs of prompts.

A persona is private, so that the table may not hold it; a pack is long. Both are kept in the
home's folder, and the configuration on the table says `kept:HASH`: a run goes on with the same
words whatever became of the file they were read from.

What is kept belongs to the owner for whom it was, and no other finds it by its name. A persona is
short, and so its hash is keyed: a plain one could be found by trying texts.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from shapley_coop.files import read_json, read_text
from shapley_coop.seats.tracing import keep_out
from shapley_coop.state.home_files.digests import keyed_digest
from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.home import home

KEPT = "kept:"
"""Before the hash of what is kept."""

PERSONAS = "personas"

Whose = tuple[Path, str]
"""The home's folder, and the owner for whom something is kept there."""

_NO_PACK = "a prompt pack (a folder of NAME.md templates)"


def keep_persona(text: str) -> str:
    """Keep a persona; what stands on the table for it."""
    if text.startswith(KEPT) or not text:
        return text
    return keep(PERSONAS, text)


def persona_of(name: str) -> str:
    """Return a persona by what stands on the table for it; no name, no persona.

    Raises:
        ValueError: it is not in this home.
    """
    return _persona(whose(), name) if name else ""


def keep_pack(folder: str) -> str:
    """Keep a folder of templates; what stands on the table for it.

    Raises:
        ValueError: there is no such folder, or no template in it.
    """
    if folder.startswith(KEPT) or not folder:
        return folder
    paths = sorted(path for path in Path(folder).glob("*.md") if path.is_file())
    if not paths:
        raise ValueError(f"{folder} is no prompt pack: give a folder of NAME.md templates")
    texts = {path.stem: read_text(path, _NO_PACK) for path in paths}
    return keep("prompts", json.dumps(texts, ensure_ascii=False, sort_keys=True))


def pack_of(name: str) -> Mapping[str, str]:
    """Template → text of a pack, by what stands on the table for it; no name, no pack.

    Raises:
        ValueError: it is not in this home.
    """
    return _pack(whose(), name) if name else {}


def keep(kind: str, text: str) -> str:
    """Keep a text for its owner; what stands on the table for it.

    Args:
        kind: what it is: the folder's name.
        text: it.
    """
    of, content = whose(), text.encode()
    name = _name(of, kind, content)
    path = _place(of, kind, name)
    if not path.exists():
        private_folder(path.parent)
        # Whoever reads it meanwhile finds all of it, or nothing.
        part = path.with_suffix(f".{os.getpid()}")
        private_file(part)
        part.write_bytes(content)
        part.replace(path)
    return f"{KEPT}{name}"


def whose() -> Whose:
    """Return the home's folder, and for whom something is kept there now."""
    from shapley_coop.state.storage.owners import holder  # imports LangChain, for whoever plays

    return home().folder, holder().owner


def kept_file(of: Whose, kind: str, name: str, what: str) -> Path:
    """Return the file of what is kept, once it is known to hold what its name is the hash of.

    Args:
        of: from `whose`.
        kind: the folder in the home.
        name: what stands on the table for it.
        what: what it is, with its article, for the error.

    Raises:
        ValueError: it is no name of what is kept, cannot be read, or was changed.
    """
    path = _place(of, kind, name)
    try:
        found = _name(of, kind, path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path}: cannot be read as {what}: {error.strerror}") from None
    if found != name.removeprefix(KEPT):
        raise ValueError(f"{path}: {what} was changed since the run began: put it back")
    return path


def _name(of: Whose, kind: str, content: bytes) -> str:
    """Name a content by its hash; a persona's is keyed, as a short text could be guessed."""
    if kind == PERSONAS:
        return keyed_digest(of[1].encode() + b"\n" + content)[:32]
    return hashlib.sha256(content).hexdigest()[:32]


def _place(of: Whose, kind: str, name: str) -> Path:
    digest = name.removeprefix(KEPT)
    if not digest.isalnum():
        raise ValueError(f"{name!r} is no name of what is kept: it is {KEPT}HASH")
    folder, owner = of
    return folder / kind / owner / f"{digest}.txt"


@lru_cache(maxsize=256)
def _persona(of: Whose, name: str) -> str:
    what = "a persona kept in this home"
    text = read_text(kept_file(of, PERSONAS, name, what), what)
    keep_out([text])
    return text


@lru_cache(maxsize=64)
def _pack(of: Whose, name: str) -> Mapping[str, str]:
    what = "a pack kept in this home"
    found: dict[str, str] = read_json(kept_file(of, "prompts", name, what), what)
    return found

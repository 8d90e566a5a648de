"""Texts that a run's configuration names by a hash: personas, mandates, packs of prompts.

The table must not hold personas, because they are private, or packs, since they are long. Both are
kept in the home's folder, and the configuration on the table says `kept:HASH`. So a run continues
with the same words, even if the original file was changed or deleted.

A kept text belongs to one owner, and no other owner can read it by its name. The hash of a
persona is keyed, because anyone could guess a short persona from a plain hash by trying texts.
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
"""The prefix that marks the name of a kept text, before its hash."""

PERSONAS = "personas"

Whose = tuple[Path, str]
"""The home's folder, and the owner of the kept text."""

_NO_PACK = "a prompt pack (a folder of NAME.md templates)"


def keep_persona(text: str) -> str:
    """Store a persona in the home, and return its name for the table."""
    if text.startswith(KEPT) or not text:
        return text
    return keep(PERSONAS, text)


def persona_of(name: str) -> str:
    """Return the persona with this name on the table; "" for the name "".

    Raises:
        ValueError: the persona is not in this home.
    """
    return _persona(whose(), name) if name else ""


def keep_pack(folder: str) -> str:
    """Store a folder of templates in the home, and return its name for the table.

    Raises:
        ValueError: the folder does not exist or holds no template.
    """
    if folder.startswith(KEPT) or not folder:
        return folder
    paths = sorted(path for path in Path(folder).glob("*.md") if path.is_file())
    if not paths:
        raise ValueError(f"{folder} is not a prompt pack: give a folder of NAME.md templates")
    texts = {path.stem: read_text(path, _NO_PACK) for path in paths}
    return keep("prompts", json.dumps(texts, ensure_ascii=False, sort_keys=True))


def pack_of(name: str) -> Mapping[str, str]:
    """Return template name → text of the pack with this name on the table; {} for the name "".

    Raises:
        ValueError: the pack is not in this home.
    """
    return _pack(whose(), name) if name else {}


def keep(kind: str, text: str) -> str:
    """Store a text for the current owner, and return its name for the table.

    Args:
        kind: the text's category, which is the name of its folder.
    """
    of, content = whose(), text.encode()
    name = _name(of, kind, content)
    path = _place(of, kind, name)
    if not path.exists():
        private_folder(path.parent)
        # Replacing a file is atomic: readers see the whole text or no file.
        part = path.with_suffix(f".{os.getpid()}")
        private_file(part)
        part.write_bytes(content)
        part.replace(path)
    return f"{KEPT}{name}"


def whose() -> Whose:
    """Return the home's folder, and the owner who now keeps or reads texts there."""
    from shapley_coop.state.storage.owners import holder  # late: imports LangChain

    return home().folder, holder().owner


def kept_file(of: Whose, kind: str, name: str, what: str) -> Path:
    """Return the file of a kept text, after checking that its content matches its hash.

    Args:
        of: the home's folder and the owner, as `whose` returns them.
        kind: the name of the text's folder in the home.
        name: the text's name on the table.
        what: the text's category with an article, such as "a persona", for the error.

    Raises:
        ValueError: the name is malformed, or the file cannot be read or was changed.
    """
    path = _place(of, kind, name)
    try:
        found = _name(of, kind, path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path}: cannot be read as {what}: {error.strerror}") from None
    if found != name.removeprefix(KEPT):
        raise ValueError(f"{path}: {what} was changed after the run began: restore it")
    return path


def _name(of: Whose, kind: str, content: bytes) -> str:
    """Return the hash of a text; a persona's hash is keyed, because a short text can be guessed."""
    if kind == PERSONAS:
        return keyed_digest(of[1].encode() + b"\n" + content)[:32]
    return hashlib.sha256(content).hexdigest()[:32]


def _place(of: Whose, kind: str, name: str) -> Path:
    digest = name.removeprefix(KEPT)
    if not digest.isalnum():
        raise ValueError(f"{name!r} does not name a kept text: give {KEPT}HASH")
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

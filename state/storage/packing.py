"""The compression of letters and checkpoints by zlib."""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any


def deflate(plain: bytes) -> bytes:
    """Return bytes compressed by zlib at its fastest level."""
    return zlib.compress(plain, level=1)


def pack(texts: Sequence[str], facts: Mapping[str, Any]) -> bytes:
    """Return texts and a letter's facts as bytes: two zlib streams of JSON, one after the other."""
    return b"".join(deflate(json.dumps(part).encode()) for part in (list(texts), dict(facts)))


def unpack(content: bytes) -> tuple[list[str], dict[str, Any]]:
    """Return the texts and the facts from the bytes that `pack` returned."""
    texts, packed = unpack_texts(content)
    facts: dict[str, Any] = json.loads(zlib.decompress(packed))
    return texts, facts


def unpack_texts(content: bytes) -> tuple[list[str], bytes]:
    """Return the texts and the packed facts, which may be many times as long as the texts."""
    words = zlib.decompressobj()
    texts: list[str] = json.loads(words.decompress(content))
    return texts, words.unused_data

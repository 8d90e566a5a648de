"""How letters and checkpoints are packed: by zlib, most of them a kilobyte or two."""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

_SMALL = 2**14
"""Bytes up to which a window of 8 kB finds about all that one of 32 kB does."""


def deflated(plain: bytes) -> bytes:
    """Return a zlib stream, made in the least time."""
    return zlib.compress(plain, level=1)


def deflated_like(plain: bytes, example: bytes) -> bytes:
    """A zlib stream without what it has in common with an example, which reading it needs, too.

    For each stream zlib clears tables in the size of its window: of the usual window they are a
    quarter of a megabyte, and to clear them takes several times as long as to compress a letter.
    """
    window, memory = (13, 6) if len(plain) <= _SMALL else (15, 8)
    # Where most is in the example, this takes a tenth longer than level 1 and saves as much.
    packing = zlib.compressobj(6, zlib.DEFLATED, window, memory, zdict=example)
    return packing.compress(plain) + packing.flush()


def packed(texts: Sequence[str], facts: Mapping[str, Any]) -> bytes:
    """Some texts, and behind them a letter's facts: two streams of zlib, each of JSON."""
    return b"".join(deflated(json.dumps(part).encode()) for part in (list(texts), dict(facts)))


def unpacked(content: bytes) -> tuple[list[str], dict[str, Any]]:
    """Return the texts and the facts."""
    words = zlib.decompressobj()
    texts: list[str] = json.loads(words.decompress(content))
    facts: dict[str, Any] = json.loads(zlib.decompress(words.unused_data))
    return texts, facts

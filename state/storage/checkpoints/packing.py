"""Values of checkpoints, packed: what they have in common with an example is not written again.

The example is a table in the middle of a bargaining, between the two agents of the README's game.
"""

import json
import zlib
from pathlib import Path

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

_TABLE = json.loads(Path(__file__).with_name("packing.json").read_text(encoding="utf-8"))

EXAMPLE = JsonPlusSerializer().dumps_typed(_TABLE)[1]
"""It may never change: what was packed with another could not be read any more."""

_MOST = 2**28
"""Bytes of one value; a million messages are fewer."""


class Unreadable(ValueError):
    """A checkpoint that this application did not write, or that was damaged since."""


def pack(plain: bytes) -> bytes:
    """Pack a value."""
    packing = zlib.compressobj(level=1, zdict=EXAMPLE)
    return packing.compress(plain) + packing.flush()


def unpack(content: bytes) -> bytes:
    """Unpack a value, which may have been packed without the example.

    Raises:
        Unreadable: it was not packed by us, or is so large that it was made to fill the memory.
    """
    unpacking = zlib.decompressobj(zdict=EXAMPLE)
    try:
        plain = unpacking.decompress(content, _MOST)
    except zlib.error:
        raise Unreadable("a checkpoint is packed, and cannot be unpacked") from None
    if not unpacking.eof:
        raise Unreadable(f"a checkpoint is cut off, or larger than {_MOST:,} bytes")
    return plain

"""Compression of what is written at every turn: most of it a kilobyte or two."""

import zlib

_SMALL = 2**14
"""Bytes up to which a window of 8 kB finds about all that one of 32 kB does."""


def deflated(plain: bytes) -> bytes:
    """A zlib stream, made in the least time."""
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

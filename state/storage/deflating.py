"""Compression of what is written at every turn: most of it a kilobyte or two."""

import zlib

_SMALL = 2**14
"""Bytes up to which a window of 8 kB finds about all that one of 32 kB does."""


def deflated(plain: bytes, example: bytes = b"") -> bytes:
    """A zlib stream, which `zlib.decompress` and `zlib.decompressobj` read without being told more.

    For each stream zlib clears tables in the size of its window: of the usual window they are a
    quarter of a megabyte, and to clear them takes several times as long as to compress a letter.

    Args:
        plain: what is compressed.
        example: what it may have parts in common with; it is needed again to read the stream.
    """
    window, memory = (13, 6) if len(plain) <= _SMALL else (15, 8)
    # The default level takes twice as long and saves a tenth.
    packing = zlib.compressobj(1, zlib.DEFLATED, window, memory, zdict=example)
    return packing.compress(plain) + packing.flush()

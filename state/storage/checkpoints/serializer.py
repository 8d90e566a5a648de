"""The serializer of all savers, which reads only plain data, and compresses with zlib."""

import zlib
from collections.abc import Iterable
from typing import Any, Self

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from shapley_coop.state.storage.packing import deflate

_PLAIN, PACKED = "msgpack", "msgpack+zlib"
"""The names of the two formats: for short values, and for compressed values."""

_SHORT = 64
"""The most bytes of a value that is stored without compression."""

_MOST = 2**28
"""The most bytes of a value after decompression; a million messages take less."""


class Unreadable(ValueError):
    """The error if a checkpoint is damaged, or was written by another application."""


class StrictSerializer(JsonPlusSerializer):
    """A serializer that builds no Python objects from checkpoints; states are plain JSON."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialize a value, and compress it unless it is short."""
        kind, data = super().dumps_typed(obj)
        if kind == _PLAIN and len(data) > _SHORT:
            return PACKED, deflate(data)
        return kind, data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Deserialize a value.

        Raises:
            Unreadable: the value was damaged, or another serializer wrote it.
        """
        kind, content = data
        if kind == PACKED:
            kind, content = _PLAIN, unpack(content)
        if kind not in (_PLAIN, "null"):
            raise Unreadable(f"a checkpoint is in the format {kind!r}: only msgpack is read")
        return super().loads_typed((kind, content))

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> Self:
        """Return this serializer unchanged; it does not need the types that a graph annotates.

        If this method returned another serializer, the server would copy its adapter of the saver,
        and the copying would recurse without end (langgraph-api 0.16).
        """
        return self


def unpack(content: bytes) -> bytes:
    """Decompress a value.

    Raises:
        Unreadable: the value is not in this format, or is too large.
    """
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(content, _MOST)
    except zlib.error:
        raise Unreadable("a checkpoint cannot be decompressed") from None
    if not unpacking.eof:
        raise Unreadable(f"a checkpoint is cut off, or larger than {_MOST:,} bytes")
    return plain

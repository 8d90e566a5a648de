"""The serializer of all savers: it reads plain data only, and packs what it writes by zlib."""

import zlib
from collections.abc import Iterable
from typing import Any, Self

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from shapley_coop.state.storage.packing import deflate

_PLAIN, PACKED = "msgpack", "msgpack+zlib"
"""How a value is written that is short, and how all others."""

_SHORT = 64
"""Values of up to this many bytes are not packed."""

_MOST = 2**28
"""The limit of an unpacked value in bytes; a million messages take less."""


class Unreadable(ValueError):
    """A checkpoint that this application did not write, or that was damaged since."""


class StrictSerializer(JsonPlusSerializer):
    """Builds no object from a checkpoint: the state is plain JSON, packed where that pays."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Write a value."""
        kind, data = super().dumps_typed(obj)
        if kind == _PLAIN and len(data) > _SHORT:
            return PACKED, deflate(data)
        return kind, data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Read a value.

        Raises:
            Unreadable: this serializer did not write it, or it was damaged.
        """
        kind, content = data
        if kind == PACKED:
            kind, content = _PLAIN, unpack(content)
        if kind not in (_PLAIN, "null"):
            raise Unreadable(f"a checkpoint is written as {kind!r}: only msgpack is read")
        return super().loads_typed((kind, content))

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> Self:
        """Ignore the types in a graph's annotations: they are for its forms.

        Returns itself, not a copy: the server's adapter around a saver cannot be copied
        (langgraph-api 0.16: it recurses without end).
        """
        return self


def unpack(content: bytes) -> bytes:
    """Decompress a value.

    Raises:
        Unreadable: it is not in this format, or too large to be one of ours.
    """
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(content, _MOST)
    except zlib.error:
        raise Unreadable("a checkpoint is packed, and cannot be unpacked") from None
    if not unpacking.eof:
        raise Unreadable(f"a checkpoint is cut off, or larger than {_MOST:,} bytes")
    return plain

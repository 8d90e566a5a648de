"""How the journal packs a letter: its words, and behind them its facts."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import orjson

from shapley_coop.state.storage.deflating import deflated


def packed(texts: Sequence[str], facts: Mapping[str, Any]) -> bytes:
    """Some texts, and behind them a letter's facts: two streams of zlib, each of JSON."""
    try:
        told = orjson.dumps(dict(facts))
    except orjson.JSONEncodeError:  # a number of more than 64 bits
        told = json.dumps(dict(facts)).encode()
    return deflated(json.dumps(texts).encode()) + deflated(told)


def unpacked(content: bytes) -> tuple[list[str], Mapping[str, Any]]:
    """The texts and the facts."""
    words = zlib.decompressobj()
    texts: list[str] = json.loads(words.decompress(content))
    return texts, _Unread(words.unused_data)


class _Unread(Mapping[str, Any]):
    """The facts behind a letter's words, which are read when somebody asks for one.

    A run opens many entries for their answers alone.

    Args:
        packed: the facts as they are kept.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    @cached_property
    def _facts(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(zlib.decompress(self._packed))
        return found

    def __getitem__(self, key: str) -> Any:
        return self._facts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

"""How the journal packs a letter: its words, and behind them its facts."""

import json
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import orjson

from shapley_coop.canonical import fitted
from shapley_coop.state.storage.at_rest import sealed, unsealed
from shapley_coop.state.storage.deflating import deflated


def packed(words: str, facts: Mapping[str, Any], shared: dict[int, bytes] | None = None) -> bytes:
    """A letter's words, and behind them its facts: two streams, of which the first is as it was.

    Args:
        words: the words.
        facts: the facts.
        shared: the JSON of what other letters of a wave hold, too, by the object's id; each of
            these letters must be kept alive as long as it is used.
    """
    return sealed(deflated(words.encode()) + deflated(_as_json(facts, shared)))


def _as_json(facts: Mapping[str, Any], shared: dict[int, bytes] | None) -> bytes:
    """Facts as JSON; rules and history, which are one object in all letters, are written once."""
    try:
        if shared is None:
            return orjson.dumps(dict(facts))
        return orjson.dumps({key: _part(x, shared, key == "position") for key, x in facts.items()})
    except orjson.JSONEncodeError:  # a number of more than 64 bits
        return json.dumps(dict(facts), ensure_ascii=False).encode()


def _part(value: Any, shared: dict[int, bytes], seen: bool = False) -> Any:
    if not isinstance(value, dict | list):
        return value
    if seen and isinstance(value, dict):  # an object of each reader's, of parts that are not
        return {key: _part(x, shared) for key, x in value.items()}
    if (known := shared.get(id(value))) is None:
        known = shared[id(value)] = fitted(orjson.dumps(value))
    return orjson.Fragment(known)


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


def unpacked(content: bytes) -> tuple[str, Mapping[str, Any]]:
    """A letter's words and its facts."""
    words = zlib.decompressobj()
    text = words.decompress(unsealed(content)).decode()
    return text, _Unread(words.unused_data)

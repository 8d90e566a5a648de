"""A play's view of the app's store: reads reach the app's store, writes stay in the play."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from shapley_coop.extensions.attribute.canonical import canonical, digest

Put = tuple[tuple[str, ...], str, Any]

_WRITING: ContextVar[list[Put] | None] = ContextVar("puts of the node that is asked", default=None)


class Overlay(BaseStore):
    """A store that keeps its writes in the play, so that no coalition changes the app's store.

    Args:
        below: the app's own store, which is only read.
    """

    supports_ttl = False

    def __init__(self, below: BaseStore) -> None:
        self._below, self._own = below, InMemoryStore()
        self._written: dict[tuple[tuple[str, ...], str], Any] = {}

    @classmethod
    def over(cls, below: BaseStore | None) -> "Overlay | None":
        """Return an overlay over the app's store, or None if the app has no store."""
        return cls(below) if below is not None else None

    def said(self) -> str:
        """Return a hash of the play's writes to the store so far; "" if there are none."""
        shown = {f"{space}/{key}": x for (space, key), x in self._written.items()}
        return digest(canonical(shown)[0]) if shown else ""

    @contextmanager
    def writing(self, puts: list[Put]) -> Iterator[None]:
        """Append to `puts` what is written to the store within the `with` block."""
        token = _WRITING.set(puts)
        try:
            yield
        finally:
            _WRITING.reset(token)

    def put_again(self, puts: Iterable[Put]) -> None:
        """Write to the store again what a cached call wrote."""
        self.batch([PutOp(space, key, value) for space, key, value in puts])

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run store operations: reads use both stores, writes go to the play's own store."""
        return [self._one(op, lambda read: self._below.batch([read])[0]) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations as `batch` does, asynchronously."""
        found: list[Result] = []
        for op in ops:
            below = None if isinstance(op, PutOp) else (await self._below.abatch([_all(op)]))[0]
            found.append(self._one(op, lambda _, below=below: below))
        return found

    def _one(self, op: Op, below: Any) -> Result:
        if isinstance(op, PutOp):
            self._written[op.namespace, op.key] = op.value
            if (puts := _WRITING.get()) is not None:
                puts.append((op.namespace, op.key, op.value))
            self._own.batch([op])
            return None
        if isinstance(op, GetOp):
            if (op.namespace, op.key) in self._written:
                return self._own.batch([op])[0]
            found: Result = below(op)
            return found
        own: Any = self._own.batch([_all(op)])[0]
        if isinstance(op, SearchOp):
            there: list[SearchItem] = below(_all(op)) or []
            kept = [x for x in there if (x.namespace, x.key) not in self._written]
            return [*own, *kept][op.offset : op.offset + op.limit]
        assert isinstance(op, ListNamespacesOp)
        spaces = list(dict.fromkeys([*own, *(below(_all(op)) or [])]))
        return spaces[op.offset : op.offset + op.limit]


def _all(op: Any) -> Any:
    """Return a search without its offset, so that the hits of two stores can be merged."""
    if isinstance(op, SearchOp | ListNamespacesOp):
        return op._replace(offset=0, limit=op.offset + op.limit)
    return op

"""Which episode is played: fixed in the books, durably, before anything is asked or paid.

An episode's id is the idempotency key of all its postings and answers. It is found by what it
follows on its thread, so that a fork from before `open`, and a resume after a power cut that took
the last checkpoints, play the same episode: answered from its journal, and paid once.
"""

import sys
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from langchain_core.runnables.config import var_child_runnable_config

from shapley_coop.state.storage.driver import KeyTaken, Session
from shapley_coop.state.storage.owned import CLAIM, OwnedBook
from shapley_coop.state.storage.owners import Holder, holder

_AT = """
    SELECT episode FROM episodes
    WHERE owner = :owner AND thread = :thread AND previous = :previous
"""

_SAVER = "__pregel_checkpointer"
"""The key under which LangGraph tells a node's configuration the run's saver."""

FOLLOWS = "__coop_follows__"
"""The key of a play's configuration that names the episode before it, where the play is a node of
another graph: the table then begins empty each time."""


class Episodes(OwnedBook):
    """The episodes of all threads of one database."""

    def after(self, previous: str, beginning: Callable[[], object] = lambda: None) -> str:
        """The episode that follows another on the thread that is played; the first call mints it.

        A thread that ends with its process, as one of `InMemorySaver` or without a saver does, has
        a new one each time: its name says nothing about other processes' threads.

        Args:
            previous: the episode before it on the thread; empty for the thread's first.
            beginning: called before a new one is minted; what it raises keeps it from that.
        """
        who, minted = holder(), uuid4().hex
        previous = previous or str(_place().get(FOLLOWS) or "")
        if not who.thread or not _outlives_its_process():
            beginning()
            return minted
        row = _row(who.owner, who.thread, previous)
        if (known := self._at(row, who)) is not None:
            self._knows(known, who)
            return known
        beginning()
        try:
            self._mint({**row, "episode": minted}, who)
        except KeyTaken:  # another worker was first
            known = self._at(row, who)
            if known is None:
                raise
            return known
        return minted

    def _mint(self, row: dict[str, str], who: Holder) -> None:
        self._write(CLAIM, row, who)

    def _at(self, place: dict[str, str], who: Holder) -> str | None:
        with self._reading(who) as session:
            found = session.rows(_AT, place)
        return str(found[0]["episode"]) if found else None


def mint_first(session: Session, owner: str, thread: str) -> None:
    """Mint the first episode of a thread in the transaction that enters it; once."""
    if not session.rows(_AT, row := _row(owner, thread, "")):
        session.write(CLAIM, [{**row, "episode": uuid4().hex}])


def _row(owner: str, thread: str, previous: str) -> dict[str, str]:
    return {"owner": owner, "thread": thread, "previous": previous}


def _outlives_its_process() -> bool:
    saver = _place().get(_SAVER)
    # Who has one has imported it; most have not.
    memory = sys.modules.get("langgraph.checkpoint.memory")
    of_process = (bool, memory.InMemorySaver) if memory else (bool,)
    return saver is not None and not isinstance(saver, of_process)


def _place() -> dict[str, Any]:
    """Where the run is, as its configuration says."""
    config = var_child_runnable_config.get() or {}
    return config.get("configurable") or {}

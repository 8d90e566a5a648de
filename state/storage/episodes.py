"""Which episode is played: fixed in the books, durably, before anything is asked or paid.

An episode's id is the idempotency key of all its postings and answers. It is found by what it
follows on its thread, so that a fork from before `open`, and a resume after a power cut that took
the last checkpoints, play the same episode: answered from its journal, and paid once.
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from langchain_core.runnables.config import var_child_runnable_config

from shapley_coop.state.storage.facts import Fact, Session
from shapley_coop.state.storage.owned import Book, claim
from shapley_coop.state.storage.owners import holder

FOLLOWS = "follows"
"""A kind of facts: which episode a thread plays after another, or first."""

SINCE = "since"
"""The part of such a fact that says since when, where the register does not."""

_SAVER = "__pregel_checkpointer"
"""The key under which LangGraph tells a node's configuration the run's saver."""


class Episodes(Book):
    """The episodes of all threads of one database."""

    def after(self, previous: str, beginning: Callable[[], object] = lambda: None) -> str:
        """The episode that follows another on the thread that is played; the first call mints it.

        A thread that ends with its process, as one of `InMemorySaver` or without a saver does, has
        a new one each time: its name says nothing about other processes' threads.

        Args:
            previous: the episode before it on the thread; empty for the thread's first.
            beginning: called before a new one is minted; what it raises keeps it from that.
        """
        who = holder()
        if not who.thread or not _outlives_its_process():
            beginning()
            return uuid4().hex
        with self._facts.reading(who.owner) as session:
            known = session.read(FOLLOWS, who.thread, [previous])
        if not known:
            beginning()
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            with self._facts.writing(who.owner) as session:
                episode = mint(session, who.thread, previous, now)
        else:
            episode = str(known[0].value["episode"])
        self._knows(episode, who)
        return episode


def mint(session: Session, thread: str, previous: str = "", begun: str = "") -> str:
    """The episode after another on a thread, or its first; the first call mints and claims it.

    Args:
        session: in which it is.
        thread: on which it is played.
        previous: the episode before it; empty for the thread's first.
        begun: now, in ISO format; empty where the register says since when the thread is played.
    """
    minted = uuid4().hex
    told = {"episode": minted} | ({SINCE: begun} if begun else {})
    (stands,) = session.put(Fact(FOLLOWS, thread, previous, told))
    if stands:
        return str(stands.value["episode"])
    claim(session, minted, thread)
    return minted


def _outlives_its_process() -> bool:
    saver = _place().get(_SAVER)
    # Who has one has imported it; most have not.
    memory = sys.modules.get("langgraph.checkpoint.memory")
    of_process = (bool, memory.InMemorySaver) if memory else (bool,)
    return saver is not None and not isinstance(saver, of_process)


def _place() -> dict[str, Any]:
    """Return where the run is, as its configuration says."""
    config = var_child_runnable_config.get() or {}
    return config.get("configurable") or {}

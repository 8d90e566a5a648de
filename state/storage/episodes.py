"""The ids of episodes, which are stored before anything is asked or paid.

An episode's id is part of the idempotency key of all its postings and answers. The id is found by
the thread and the previous episode. So a fork from before `open` plays the same episode, and so
does a resume after a power cut: answers come from the journal, and payments happen once.
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
"""A kind of facts: the episode that a thread plays first or after another one."""

SINCE = "since"
"""The field of a fact FOLLOWS with the time of its start, if the register does not hold it."""

_SAVER = "__pregel_checkpointer"
"""The key of the run's saver in LangGraph's configuration of a node."""


class Episodes(Book):
    """The episodes of all threads of one database."""

    def after(self, previous: str, beginning: Callable[[], object] = lambda: None) -> str:
        """Return the episode after another on the current thread; the first call creates it.

        With `InMemorySaver` or without a saver, threads end with their process, and each call
        creates a new episode: a thread of the same name in another process is unrelated.

        Args:
            previous: the previous episode on the thread; empty for the thread's first.
            beginning: called before a new episode is created; an exception prevents this.
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
    """Return the episode after another on a thread; the first call creates and claims it.

    Args:
        session: the transaction.
        thread: the thread on which the episode is played.
        previous: the previous episode; empty for the thread's first.
        begun: the current time in ISO format; empty if the register holds the thread's start.
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
    # An in-memory saver exists only if its module was imported; do not import it here.
    memory = sys.modules.get("langgraph.checkpoint.memory")
    of_process = (bool, memory.InMemorySaver) if memory else (bool,)
    return saver is not None and not isinstance(saver, of_process)


def _place() -> dict[str, Any]:
    """Return the `configurable` of the current run's configuration."""
    config = var_child_runnable_config.get() or {}
    return config.get("configurable") or {}

"""The ids of episodes; each is stored before its agents are asked and before money is paid.

The idempotency key of every posting and answer contains the episode's id. A stored id is found
again by the thread and its previous episode. So a resumed run, and even a fork from before `open`,
play the same episode, with the journal's answers and no second payment.
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
"""The kind of the facts that name a thread's first episode, or the successor of an episode."""

SINCE = "since"
"""The field of a FOLLOWS fact with the episode's start time, if the register lacks the run."""

_SAVER = "__pregel_checkpointer"
"""The key of the run's saver in LangGraph's configuration of a node."""


class Episodes(Book):
    """The episodes of all threads of one database."""

    def after(self, previous: str, beginning: Callable[[], object] = lambda: None) -> str:
        """Return the episode after `previous` on the current thread; create it if it is missing.

        With `InMemorySaver` or without a saver, each call creates a new episode, because threads
        end with their process, and the name of a thread says nothing in another process.

        Args:
            previous: the previous episode on the thread; empty for the thread's first.
            beginning: a function called before an episode is created; if it fails, none is.
        """
        who = holder()
        if not who.thread or not _outlives_its_process():
            beginning()
            return uuid4().hex
        with self._facts.reading(who.owner) as session:
            known = session.read(FOLLOWS, who.thread, [previous])
        if known:
            return str(known[0].value["episode"])
        beginning()
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        with self._facts.writing(who.owner) as session:
            return mint(session, who.thread, previous, now)


def mint(session: Session, thread: str, previous: str = "", begun: str = "") -> str:
    """Return the episode after `previous` on a thread; if it is missing, create and claim it.

    Args:
        session: the transaction.
        thread: the thread on which the episode is played.
        previous: the previous episode; empty for the thread's first.
        begun: the current time (ISO); empty for a registered run, whose start is known.
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
    # Look the class up without an import: unless it is imported, no such saver exists.
    memory = sys.modules.get("langgraph.checkpoint.memory")
    of_process = (bool, memory.InMemorySaver) if memory else (bool,)
    return saver is not None and not isinstance(saver, of_process)


def _place() -> dict[str, Any]:
    """Return the part `configurable` of the current run's LangGraph configuration."""
    config = var_child_runnable_config.get() or {}
    return config.get("configurable") or {}

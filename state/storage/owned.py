"""Books: readers of facts, and whose an episode is.

An episode belongs to one thread of one owner, which the first write to it claims; episode ids are
random, so that nobody can claim one before. What is written on one's own machine, or by a server
without tenants, has the owner `""`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from shapley_coop.state.storage.database import facts_at
from shapley_coop.state.storage.facts import Fact, Session
from shapley_coop.state.storage.owners import SERVER, Holder, NotYours, holder

EPISODE, THREAD = "episode", "thread"
"""Kinds of facts: whose an episode is, and of which thread; whose a thread's checkpoints are."""

_OWNER = "owner"
"""The key of the fact that says whose an episode, or a thread, is."""

_MOST_KNOWN = 10_000

_ABOVE = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


class Book:
    """Reads and writes the facts of some kinds for whoever is the holder now.

    Args:
        url: `sqlite:///…` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._facts = facts_at(url)

    @contextmanager
    def _reading(self, episode: str = "") -> Iterator[Session]:
        """Queries for the holder.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        who = holder()
        if who.owner != SERVER and who.thread and episode:
            self._claim(episode, who)
        with self._facts.reading(who.owner) as session:
            yield session

    @contextmanager
    def _writing(self, episode: str = "", lock: str = "") -> Iterator[Session]:
        """One transaction of the holder's.

        Args:
            episode: which play is written to; the first who writes to it claims it.
            lock: what it alone may change meanwhile.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        who = holder()
        if episode:
            self._claim(episode, who)
        with self._facts.writing(who.owner, lock) as session:
            yield session

    def _claim(self, episode: str, who: Holder) -> None:
        """Make sure that an episode belongs to a holder; the first one claims it.

        Raises:
            NotYours: it belongs to another owner, or to another thread.
        """
        if (episode, who) in self._facts.known:
            return
        with self._facts.reading(who.owner) as session:
            found = held_by(session.read(EPISODE, episode))
        if found != who or who.owner == SERVER:
            with self._facts.writing(who.owner) as session:
                claim(session, episode, who.thread)
        self._knows(episode, who)

    def _knows(self, episode: str, who: Holder) -> None:
        """Know from now on that an episode is a holder's."""
        if len(self._facts.known) > _MOST_KNOWN:
            self._facts.known.clear()
        self._facts.known.add((episode, who))


def claim(session: Session, episode: str, thread: str) -> None:
    """Claim an episode for a thread; empty for none in particular.

    Raises:
        NotYours: it belongs to another owner, or to another thread.
    """
    of_thread = {THREAD: thread}
    (stands,) = session.put(Fact(EPISODE, episode, _OWNER, of_thread))
    if stands and thread and not stands.value[THREAD]:
        (stands,) = session.put(Fact(EPISODE, episode, THREAD, of_thread))
    if stands and thread and stands.value[THREAD] != thread:
        raise NotYours(
            f"episode {episode[:64]!r} belongs to another thread: start a run of your own"
        )


def held_by(claims: list[Fact]) -> Holder | None:
    """Return whose an episode is; None where it is nobody's, or that is not shown."""
    if not claims:
        return None
    thread = next((x for one in claims if (x := one.value[THREAD])), "")
    return Holder(claims[0].owner, thread)


class Owners(Book):
    """Whose a thread and an episode are; for the server and its saver."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        # Apart from the episodes: a tenant names its threads itself.
        self._threads: set[tuple[str, str]] = set()

    def of_episode(self, episode: str) -> Holder | None:
        """Return the owner and the thread of an episode; None if nobody has claimed it."""
        with self._facts.reading(SERVER) as session:
            return held_by(session.read(EPISODE, episode))

    def knows(self, thread: str, owner: str) -> bool:
        """Whether this process has found already that a thread's checkpoints are an owner's."""
        return (thread, owner) in self._threads

    def check_thread(self, thread: str, owner: str, *, claim: bool) -> None:
        """Make sure that a thread's checkpoints are an owner's.

        Args:
            thread: the thread.
            owner: who reads or writes it.
            claim: whether a thread that nobody owns becomes the owner's.

        Raises:
            NotYours: it is another's.
        """
        if self.knows(thread, owner):
            return
        with self._facts.reading(SERVER) as session:
            found = session.read(THREAD, thread)
        if found and found[0].owner != owner:
            raise NotYours("there is no such thread among yours")
        if not found and not claim:
            return
        if not found:
            with self._facts.writing(owner) as session:
                session.put(Fact(THREAD, thread, _OWNER))
        if len(self._threads) > _MOST_KNOWN:
            self._threads.clear()
        self._threads.add((thread, owner))

    def bypassed(self) -> bool:
        """Whether this database's role is above its row-level security, as a superuser is."""
        with self._facts.reading(SERVER) as session:
            return not self._facts.sqlite and bool(session.execute(_ABOVE)[0][0])

"""Books: the base class of the stores, such as the journal, and the store of owners.

An episode belongs to the owner and the thread of the first write to it. Episode ids are random, so
another owner cannot claim an episode in advance. Facts written on a private machine, or by a server
without tenants, have the owner `""`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from shapley_coop.state.storage.facts import Fact, Session, facts_at
from shapley_coop.state.storage.owners import SERVER, Holder, NotYours, holder

EPISODE, THREAD = "episode", "thread"
"""The kinds of two facts: the owner and thread of an episode, and the owner of a thread."""

_OWNER = "owner"
"""The key of the fact that names the owner of an episode or a thread."""

_MOST_KNOWN = 10_000


class Book:
    """A store that reads and writes some kinds of facts for the current owner and thread.

    Args:
        url: the database's URL; see `Facts`.
    """

    def __init__(self, url: str) -> None:
        self._facts = facts_at(url)

    @contextmanager
    def _reading(self, episode: str = "") -> Iterator[Session]:
        """Open a read-only session on the current owner's facts.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        who = holder()
        asked = episode if who.thread and who.owner != SERVER else ""
        with self._facts.reading(who.owner) as session:
            if not asked or held_by(session.read(EPISODE, asked)) == who:
                yield session
                return
        with self._writing(asked) as session:  # claims the episode
            yield session

    @contextmanager
    def _writing(self, episode: str = "", lock: str = "") -> Iterator[Session]:
        """Open a transaction on the current owner's facts.

        Args:
            episode: the episode to write to; the first writer claims it.
            lock: the name of a lock that excludes other transactions with the same lock.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        who = holder()
        with self._facts.writing(who.owner, lock) as session:
            if episode:
                claim_for(session, episode, who)
            yield session


def claim_for(session: Session, episode: str, who: Holder) -> None:
    """Claim an episode for an owner and a thread, unless they have it already; see `claim`."""
    if held_by(session.read(EPISODE, episode)) != who:
        claim(session, episode, who.thread)


def claim(session: Session, episode: str, thread: str) -> None:
    """Claim an episode for the session's owner and a thread; if `thread` is "", for no thread.

    Raises:
        NotYours: the episode belongs to another owner or another thread.
    """
    of_thread = {THREAD: thread}
    (stands,) = session.put(Fact(EPISODE, episode, _OWNER, of_thread))
    if stands and thread and not stands.value[THREAD]:
        (stands,) = session.put(Fact(EPISODE, episode, THREAD, of_thread))
    if stands and thread and stands.value[THREAD] != thread:
        raise NotYours(f"episode {episode[:64]!r} belongs to another thread: start your own run")


def held_by(claims: list[Fact]) -> Holder | None:
    """Return the owner and the thread that claimed an episode, or None if it is unclaimed."""
    if not claims:
        return None
    thread = next((x for one in claims if (x := one.value[THREAD])), "")
    return Holder(claims[0].owner, thread)


class Owners(Book):
    """The store of the owners of threads and episodes, for the server and its saver."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        # Do not mix threads with episodes: a tenant may name a thread by an episode's id.
        self._threads: set[tuple[str, str]] = set()

    def of_episode(self, episode: str) -> Holder | None:
        """Return the owner and the thread of an episode, or None if it is unclaimed."""
        with self._facts.reading(SERVER) as session:
            return held_by(session.read(EPISODE, episode))

    def knows(self, thread: str, owner: str) -> bool:
        """Return whether this process has already verified that a thread belongs to an owner."""
        return (thread, owner) in self._threads

    def check_thread(self, thread: str, owner: str, *, claim: bool) -> None:
        """Check that a thread's checkpoints belong to an owner.

        Args:
            owner: the owner that reads or writes the thread.
            claim: whether a thread that has no owner yet is given to this owner.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        if self.knows(thread, owner):
            return
        with self._facts.reading(SERVER) as session:
            found = session.read(THREAD, thread)
        if found and found[0].owner != owner:
            raise NotYours("you have no such thread")
        if not found and not claim:
            return
        if not found:
            with self._facts.writing(owner) as session:
                session.put(Fact(THREAD, thread, _OWNER))
        if len(self._threads) > _MOST_KNOWN:
            self._threads.clear()
        self._threads.add((thread, owner))

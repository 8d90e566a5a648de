"""Tables whose rows have owners: checked here at each read and write, and again by Postgres.

An episode belongs to one thread of one owner, which the first write to it claims; episode ids are
random, so that nobody can claim one before. Rows that were written on one's own machine have the
owner `""`, until the server hands them to the owner of their thread.
"""

from contextlib import AbstractContextManager, suppress
from importlib import import_module
from typing import Any

from shapley_coop.state.storage.database import Book
from shapley_coop.state.storage.driver import Given, KeyTaken, Row, Session
from shapley_coop.state.storage.owners import SERVER, Holder, NotYours, holder
from shapley_coop.state.storage.tables import Table

OWNED: dict[str, Table] = {}
"""All tables whose rows have an owner, by name."""

MINE = f":owner IN (owner, '{SERVER}')"
"""The condition of the rows that a holder may see: its own, and the server all."""

_known: dict[str, set[tuple[str, Holder]]] = {}
"""Of each database: whose an episode was found to be, by any of its books."""

_POLICY = "coop_owner"
_MOST_KNOWN = 10_000


def owned(name: str, told: str, *indexes: tuple[str, str, str]) -> Table:
    """A table of `OWNED`; its first column is the owner.

    Args:
        name: its name.
        told: the columns after the owner; see `Table`.
        indexes: see `Table`.
    """
    OWNED[name] = Table(name, f"owner VARCHAR(64) NOT NULL DEFAULT '',{told}", indexes)
    return OWNED[name]


_episodes = owned(
    "episodes",
    # `previous` is what it follows on its thread; NULL where that does not name it.
    """
    episode VARCHAR(64) NOT NULL,
    thread VARCHAR(80) NOT NULL DEFAULT '',
    previous VARCHAR(80),
    PRIMARY KEY (episode)
    """,
    ("UNIQUE INDEX", "episodes_by_place", "owner, thread, previous"),
)
CLAIM = _episodes.insert
"""Enters whose an episode is."""

_PLACE = "SELECT owner, thread FROM episodes WHERE episode = :episode"
_PUT = """
    UPDATE episodes SET thread = :thread
    WHERE episode = :episode AND owner = :owner AND thread = ''
"""

_threads = owned(
    "thread_owners",
    """
    thread VARCHAR(80) NOT NULL,
    PRIMARY KEY (thread)
    """,
)
_OWNER = "SELECT owner FROM thread_owners WHERE thread = :thread"
_UNOWNED = "SELECT episode FROM episodes WHERE owner = '' LIMIT 1"
_GIVEN = """
    UPDATE episodes SET owner = :owner, thread = :thread WHERE episode = :episode AND owner = ''
"""
_ABOVE = """
    SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = current_user
"""


class OwnedBook(Book):
    """Some tables of `OWNED`; its subclasses read by `_rows` and write after `_claim`."""

    tables = OWNED

    def __init__(self, url: str) -> None:
        # The tables of all books are made and secured together.
        import_module("shapley_coop.state.storage.books")
        super().__init__(url)
        self._known = _known.setdefault(url, set())

    def _set_up(self, session: Session) -> None:
        super()._set_up(session)
        if not session.sqlite:
            _secure(session)

    def _rows(self, query: str, given: Given, episode: str = "") -> list[Row]:
        """The rows of a query that the holder may see, which it limits by `MINE`.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        who = holder()
        if who.owner != SERVER and who.thread and episode:
            self._claim(episode, who)
        with self._reading(who) as session:
            return session.rows(query, {**given, "owner": who.owner})

    def _row(self, query: str, given: Given, episode: str = "") -> Row | None:
        """The first of them."""
        return next(iter(self._rows(query, given, episode)), None)

    def _write(self, statement: str, given: Given, who: Holder | None = None) -> None:
        """Make one change for a holder, by default the present one."""
        who = who or holder()
        with self._changing(who) as session:
            session.write(statement, [{"owner": who.owner, **given}])

    def _claim(self, episode: str, who: Holder) -> None:
        """Make sure that an episode belongs to the holder; the first one claims it.

        Raises:
            NotYours: it belongs to another owner, or to another thread.
        """
        if who.owner == SERVER:
            raise NotYours("the server writes for the owner of a thread, never for all")
        if (episode, who) in self._known:
            return
        place = {"episode": episode, "owner": who.owner, "thread": who.thread}
        found = self._held(episode, who)
        if found is None:
            with suppress(KeyTaken):  # another worker may have been first
                self._write(CLAIM, {**place, "previous": None}, who)
            found = self._held(episode, who)
        if found is None or found.owner != who.owner or not _same(found.thread, who.thread):
            raise NotYours(
                f"episode {episode[:64]!r} belongs to another thread: start a run of your own"
            )
        if who.thread and not found.thread:
            self._write(_PUT, place, who)
        self._knows(episode, who)

    def _knows(self, episode: str, who: Holder) -> None:
        """Know from now on that an episode is a holder's."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known.add((episode, who))

    def _held(self, episode: str, who: Holder) -> Holder | None:
        """Whose an episode is; None where it is nobody's, or that is not shown."""
        with self._reading(who) as session:
            found = session.rows(_PLACE, {"episode": episode})
        return Holder(**found[0]) if found else None

    def _reading(self, who: Holder) -> AbstractContextManager[Session]:
        """To make queries for a holder, which wait for no writer."""
        return self._database.reading(who.owner)

    def _changing(self, who: Holder) -> AbstractContextManager[Session]:
        """One transaction of a holder's, to make statements in."""
        return self._database.writing(who.owner)


class Owners(OwnedBook):
    """Whose a thread and an episode are; for the server and its saver."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        # Apart from the episodes: a tenant names its threads itself.
        self._threads: set[tuple[str, str]] = set()

    def of_episode(self, episode: str) -> Holder | None:
        """The owner and the thread of an episode; None if nobody has claimed it."""
        return self._held(episode, Holder(SERVER))

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
        found = self._owner_of(thread)
        if found is None and claim:
            with suppress(KeyTaken):  # a request at the same time may have been first
                self._write(_threads.insert, {"thread": thread}, Holder(owner))
            found = self._owner_of(thread)
        if found is None:
            return
        if found != owner:
            raise NotYours("there is no such thread among yours")
        if len(self._threads) > _MOST_KNOWN:
            self._threads.clear()
        self._threads.add((thread, owner))

    def _owner_of(self, thread: str) -> str | None:
        found = self._of_all(_OWNER, {"thread": thread})
        return str(found[0]["owner"]) if found else None

    def unowned(self) -> bool:
        """Whether an episode belongs to no tenant."""
        return bool(self._of_all(_UNOWNED, {}))

    def hand_over(self, episode: str, thread: str, owner: str) -> bool:
        """Give an episode that belongs to no tenant to the owner of its thread.

        Returns:
            Whether it was given: only what belongs to no tenant and to no other thread is.
        """
        found = self.of_episode(episode)
        if found is None or found.owner or not _same(found.thread, thread):
            return False
        to = {"episode": episode, "thread": thread, "owner": owner}
        with self._changing(Holder(SERVER)) as session:
            session.write(_GIVEN, [to])
            for name, table in OWNED.items():
                if "episode" in table.columns and table is not _episodes:
                    given = f"UPDATE {name} SET owner = :owner"  # noqa: S608 - our own name
                    session.write(f"{given} WHERE episode = :episode AND owner = ''", [to])
        return True

    def bypassed(self) -> bool:
        """Whether this database's role is above its row-level security, as a superuser is."""
        return not self._database.sqlite and bool(self._of_all(_ABOVE, {})[0]["above"])

    def _of_all(self, query: str, given: dict[str, Any]) -> list[Row]:
        """The rows that a query finds, whosever they are."""
        with self._reading(Holder(SERVER)) as session:
            return session.rows(query, given)


def _same(claimed: str, thread: str) -> bool:
    """Whether a thread may use what another, or none in particular, has claimed."""
    return not claimed or not thread or claimed == thread


def _secure(session: Session) -> None:
    """Have Postgres itself show and take only the rows of the session's owner."""
    from shapley_coop.state.storage.postgres import SETTING

    policies = "SELECT tablename FROM pg_policies WHERE policyname = :name"
    secured = {row["tablename"] for row in session.rows(policies, {"name": _POLICY})}
    setting = f"coalesce(current_setting('{SETTING}', true), '')"
    for name in (x for x in OWNED if x not in secured):
        session.write(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
        session.write(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
        session.write(
            f"CREATE POLICY {_POLICY} ON {name} USING ({setting} IN (owner, '{SERVER}'))"
            f" WITH CHECK ({setting} IN (owner, '{SERVER}'))"
        )

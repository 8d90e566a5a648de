"""Tables whose rows have owners: checked here at each read and write, and again by Postgres.

An episode belongs to one thread of one owner, which the first write to it claims; episode ids are
random, so that nobody can claim one before. Rows of homes from before owners existed belong to the
owner of one's own machine, until the server hands them to the owner of their thread.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Executable,
    Index,
    MetaData,
    Row,
    Select,
    String,
    Table,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError

from shapley_coop.state.storage.driver import CoreSession, Session, Statement, driver_of
from shapley_coop.state.storage.engine import Book
from shapley_coop.state.storage.migrations import STEPS
from shapley_coop.state.storage.owners import SERVER, Holder, NotYours, holder
from shapley_coop.state.storage.versions import migrate

OWNED = MetaData()
"""All tables whose rows have an owner."""

Query = TypeVar("Query", bound=Select[Any])

_SETTING = "coop.owner"
_POLICY = "coop_owner"
_MOST_KNOWN = 10_000


def owner_column(*, primary_key: bool = False) -> Column[str]:
    """The column that every table of `OWNED` has."""
    return Column("owner", String(64), primary_key=primary_key, nullable=False, server_default="")


episodes = Table(
    "episodes",
    OWNED,
    Column("episode", String(64), primary_key=True),
    owner_column(),
    Column("thread", String(80), nullable=False, server_default=""),
    # What it follows on its thread; NULL where that does not name it.
    Column("previous", String(80)),
    Index("episodes_by_place", "owner", "thread", "previous", unique=True),
)
_PLACE = "SELECT owner, thread FROM episodes WHERE episode = ?"
_CLAIM = Statement(insert(episodes))

_threads = Table(
    "thread_owners", OWNED, Column("thread", String(80), primary_key=True), owner_column()
)


class OwnedBook(Book):
    """Some tables of `OWNED`; its subclasses read through `_seen` and write after `_claim`."""

    tables = OWNED

    def __init__(self, url: str) -> None:
        # The tables of all books are made, migrated and secured together.
        import_module("shapley_coop.state.storage.books")
        super().__init__(url)
        self._postgres = self._engine.dialect.name == "postgresql"
        self._driver = None if self._postgres else driver_of(self._engine)
        self._known: set[tuple[str, Holder]] = set()

    def _set_up(self, connection: Connection) -> None:
        super()._set_up(connection)
        migrate(connection, self.tables, STEPS)
        if connection.dialect.name == "postgresql":
            _secure(connection)

    def _seen(self, query: Query, table: Table, episode: str = "") -> Query:
        """A query of the rows that the holder may see.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        owner = self._reader_of(episode)
        return query if owner is None else query.where(table.c.owner == owner)

    def _reader_of(self, episode: str) -> str | None:
        """The owner whose rows alone the holder may see; None for the server, which sees all.

        Raises:
            NotYours: the episode is played by another thread, or belongs to another owner.
        """
        who = holder()
        if who.owner == SERVER:
            return None
        if who.thread and episode:
            self._claim(episode, who)
        return who.owner

    def _claim(self, episode: str, who: Holder) -> None:
        """Make sure that an episode belongs to the holder; the first one claims it.

        Raises:
            NotYours: it belongs to another owner, or to another thread.
        """
        if (episode, who) in self._known:
            return
        if who.owner == SERVER:
            raise NotYours("the server writes for the owner of a thread, never for all")
        found = self._claimed(episode, who)
        if found is None or found.owner != who.owner or not _same(found.thread, who.thread):
            raise NotYours(
                f"episode {episode[:64]!r} belongs to another thread: start a run of your own"
            )
        if who.thread and not found.thread:
            placed = update(episodes).filter_by(episode=episode, owner=who.owner, thread="")
            self._write((placed.values(thread=who.thread), None), who=who)
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known.add((episode, who))

    def _claimed(self, episode: str, who: Holder) -> Holder | None:
        """Whose an episode is, the holder's if it was nobody's; None where that is not shown."""
        if self._driver is None:
            query = select(episodes).filter_by(episode=episode)
            row = self._row(query, who) or self._first(query, episode, who)
            return Holder(row.owner, row.thread) if row else None
        if not (found := self._driver.rows(_PLACE, [episode])):
            with suppress(IntegrityError):  # another worker may have been first
                claimed = {"episode": episode, "owner": who.owner, "thread": who.thread}
                self._driver.insert(_CLAIM, [{**claimed, "previous": None}])
            found = self._driver.rows(_PLACE, [episode])
        return Holder(*found[0]) if found else None

    def _first(self, query: Executable, episode: str, who: Holder) -> Row[Any] | None:
        row = {"episode": episode, "owner": who.owner, "thread": who.thread}
        # Another worker, or another owner, whose row is not shown, may have been first.
        with suppress(IntegrityError):
            self._write((insert(episodes), row), who=who)
        return self._row(query, who)

    def _rows(self, query: Executable, who: Holder | None = None) -> Sequence[Row[Any]]:
        if not self._postgres:
            return super()._rows(query)
        with self._connected(who or holder()) as connection:
            return connection.execute(query).all()

    @contextmanager
    def _connected(self, who: Holder) -> Iterator[Connection]:
        """A connection to Postgres that reads for a holder."""
        with self._reader.connect() as connection:
            # A setting of the session costs a round trip only where the owner changes.
            if connection.info.get(_SETTING) != who.owner:
                connection.info.pop(_SETTING, None)
                connection.execute(_for(who.owner, local=False))
                connection.info[_SETTING] = who.owner
            yield connection

    def _row(self, query: Executable, who: Holder | None = None) -> Row[Any] | None:
        return next(iter(self._rows(query, who)), None)

    def _write(self, *changes: tuple[Executable, Any], who: Holder | None = None) -> None:
        with self._transaction(who or holder()) as connection:
            for statement, rows in changes:
                connection.execute(statement, rows)

    @contextmanager
    def _reading(self, who: Holder) -> Iterator[Session]:
        """To make statements that read for a holder, and wait for no writer."""
        if self._driver is not None:
            with self._driver.reading() as session:
                yield session
        else:
            with self._connected(who) as connection:
                yield CoreSession(connection)

    @contextmanager
    def _changing(self, who: Holder) -> Iterator[Session]:
        """One transaction of a holder's, to make statements in."""
        if self._driver is not None:
            with self._driver.writing() as session:
                yield session
        else:
            with self._transaction(who) as connection:
                yield CoreSession(connection)

    @contextmanager
    def _transaction(self, who: Holder) -> Iterator[Connection]:
        """One transaction of a holder's, to read and write in."""
        with self._engine.begin() as connection:
            if self._postgres:
                connection.execute(_for(who.owner, local=True))
            yield connection


class Owners(OwnedBook):
    """Whose a thread and an episode are; for the server and its saver."""

    def of_episode(self, episode: str) -> Holder | None:
        """The owner and the thread of an episode; None if nobody has claimed it."""
        row = self._row(select(episodes).filter_by(episode=episode), Holder(SERVER))
        return Holder(row.owner, row.thread) if row else None

    def check_thread(self, thread: str, owner: str, *, claim: bool) -> None:
        """Make sure that a thread's checkpoints are an owner's.

        Args:
            thread: the thread.
            owner: who reads or writes it.
            claim: whether a thread that nobody owns becomes the owner's.

        Raises:
            NotYours: it is another's.
        """
        known = (thread, Holder(owner))
        if known in self._known:
            return
        query = select(_threads).filter_by(thread=thread)
        row = self._row(query, Holder(SERVER))
        if row is None and claim:
            claimed = {"thread": thread, "owner": owner}
            with suppress(IntegrityError):  # a request at the same time may have been first
                self._write((insert(_threads), claimed), who=Holder(owner))
            row = self._row(query, Holder(SERVER))
        if row is None:
            return
        if row.owner != owner:
            raise NotYours("there is no such thread among yours")
        self._known.add(known)

    def unowned(self) -> bool:
        """Whether an episode belongs to no tenant."""
        query = select(episodes.c.episode).where(episodes.c.owner == "").limit(1)
        return self._row(query, Holder(SERVER)) is not None

    def hand_over(self, episode: str, thread: str, owner: str) -> bool:
        """Give an episode from before owners existed to the owner of its thread.

        Returns:
            Whether it was given: only what belongs to no tenant and to no other thread is.
        """
        found = self.of_episode(episode)
        if found is None or found.owner or not _same(found.thread, thread):
            return False
        to = {"owner": owner}
        changes: list[tuple[Executable, Any]] = [
            (
                update(episodes).filter_by(episode=episode, owner="").values(**to, thread=thread),
                None,
            )
        ]
        for table in inspect(self._engine).get_table_names():
            known = OWNED.tables.get(table)
            if known is not None and "episode" in known.c and known is not episodes:
                changes.append(
                    (update(known).filter_by(episode=episode, owner="").values(to), None)
                )
        self._write(*changes, who=Holder(SERVER))
        return True

    def bypassed(self) -> bool:
        """Whether this database's role is above its row-level security, as a superuser is."""
        if not self._postgres:
            return False
        role = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        return bool(self._rows(role)[0][0])


def _same(claimed: str, thread: str) -> bool:
    """Whether a thread may use what another, or none in particular, has claimed."""
    return not claimed or not thread or claimed == thread


def _secure(connection: Connection) -> None:
    """Have Postgres itself show and take only the rows of the session's owner."""
    policies = text("SELECT tablename FROM pg_policies WHERE policyname = :name")
    secured = {row[0] for row in connection.execute(policies, {"name": _POLICY})}
    setting = f"coalesce(current_setting('{_SETTING}', true), '')"
    for name in OWNED.tables.keys() - secured:
        connection.exec_driver_sql(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
        connection.exec_driver_sql(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
        connection.exec_driver_sql(
            f"CREATE POLICY {_POLICY} ON {name} USING ({setting} IN (owner, '{SERVER}'))"
            f" WITH CHECK ({setting} IN (owner, '{SERVER}'))"
        )


def _for(owner: str, *, local: bool) -> Executable:
    setting = text(f"SELECT set_config('{_SETTING}', :owner, {'true' if local else 'false'})")
    return setting.bindparams(owner=owner)

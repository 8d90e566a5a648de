"""The operator's journal: every letter and its answer, private, written once.

It is what makes a resume repeat at most the calls in flight, what keeps private reasoning and
sealed moves off the table, and what a recording seat replays. Agents and parties never read it.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import (
    Column,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from shapley_coop.seats.records import Answer, Entry, Mail, Pointer
from shapley_coop.state.storage.batcher import batched
from shapley_coop.state.storage.engine import prepared, reading

_metadata = MetaData()
_answers = Table(
    "answers",
    _metadata,
    Column("episode", String(64), primary_key=True),
    Column("agent", String(64), primary_key=True),
    Column("letter", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("act", String(32), nullable=False),
    Column("model", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("letter_text", LargeBinary, nullable=False),
    Column("cut", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("nonce", String(32), nullable=False),
)


_mail = Table(
    "waiting_letters",
    _metadata,
    Column("episode", String(64), primary_key=True),
    Column("agent", String(64), primary_key=True),
    Column("act", String(32), nullable=False),
    Column("letter", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("letter_text", LargeBinary, nullable=False),
    Column("since", Float, nullable=False),
)


class Journal:
    """The answers of all episodes of one database.

    Args:
        url: `sqlite:///…` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._engine = prepared(url, _metadata, lasting=False)
        self._reader = reading(self._engine)

    def find(self, episode: str, agent: str, letter: str, attempt: int) -> Entry | None:
        """The answer already given to this letter, if any."""
        return self.found(episode, [(agent, letter, attempt)])[0]

    def found(self, episode: str, letters: Sequence[tuple[str, str, int]]) -> list[Entry | None]:
        """The answers already given to letters, read at once.

        Args:
            episode: which play they belong to.
            letters: (agent, letter, attempt).
        """
        if not letters:
            return []
        names = [letter for _, letter, _ in letters]
        named = _answers.c.letter == names[0] if len(names) == 1 else _answers.c.letter.in_(names)
        query = select(_answers).where(_answers.c.episode == episode, named)
        with self._reader.connect() as connection:
            rows = connection.execute(query).all()
        known = {(row.agent, row.letter, row.attempt): row for row in rows}
        return [_entry(known[key]) if key in known else None for key in letters]

    def open(self, episode: str, agent: str, pointer: Pointer) -> Entry:
        """The entry behind a pointer.

        Raises:
            ValueError: it is missing, or is not what was sealed.
        """
        return self.open_all(episode, {agent: pointer})[agent]

    def open_all(self, episode: str, pointers: Mapping[str, Pointer]) -> dict[str, Entry]:
        """The entries behind each agent's pointer, read at once.

        Raises:
            ValueError: one is missing, or is not what was sealed.
        """
        names = [(agent, at["letter"], at["attempt"]) for agent, at in pointers.items()]
        entries = dict(zip(pointers, self.found(episode, names), strict=True))
        opened: dict[str, Entry] = {}
        for agent, entry in entries.items():
            if entry is None or entry.pointer() != pointers[agent]:
                state = "is missing" if entry is None else "was changed"
                raise ValueError(f"the journal's entry of {agent} in episode {episode} {state}")
            opened[agent] = entry
        return opened

    def write(self, episode: str, entry: Entry) -> Entry:
        """Keep an answer; the first one written for a letter and attempt is the one that counts."""
        try:
            self._insert([_row(episode, entry)])
        except IntegrityError:
            first = self.find(episode, entry.agent, entry.letter, entry.attempt)
            if first is None:
                raise
            return first
        return entry

    async def keep(self, episode: str, entry: Entry) -> Entry:
        """Keep an answer from an event loop; those that come meanwhile are kept together."""
        return await batched(self.write_all).do((episode, entry))

    def write_all(self, answers: Sequence[tuple[str, Entry]]) -> list[Entry | Exception]:
        """Keep answers of any episodes, in one transaction; see `write`.

        Returns:
            For each what counts, or why it is not kept: one that cannot be keeps out no other.
        """
        if len(answers) > 1:
            try:
                self._insert([_row(episode, entry) for episode, entry in answers])
                return [entry for _, entry in answers]
            except SQLAlchemyError:
                return [self.write_all([one])[0] for one in answers]
        try:
            return [self.write(episode, entry) for episode, entry in answers]
        except SQLAlchemyError as error:
            return [error]

    def _insert(self, rows: list[dict[str, object]]) -> None:
        with self._engine.begin() as connection:
            connection.execute(insert(_answers), rows)

    def deliver(self, episode: str, mail: Mail) -> Mail:
        """Leave a letter at a person's seat, in place of the last one; once.

        A second delivery, and the next attempt at the same message, wait since the first.
        """
        with self._reader.connect() as connection:
            query = select(_mail).filter_by(episode=episode, agent=mail.agent)
            last = connection.execute(query).one_or_none()
        same = last and (last.letter, last.attempt) == (mail.letter, mail.attempt)
        if last and (same or mail.attempt > 1):
            mail = replace(mail, since=last.since)
        row = {
            "episode": episode,
            "agent": mail.agent,
            "act": mail.act,
            "letter": mail.letter,
            "attempt": mail.attempt,
            "letter_text": _packed(mail.letter_text),
            "since": mail.since,
        }
        with self._engine.begin() as connection:
            connection.execute(delete(_mail).filter_by(episode=episode, agent=mail.agent))
            connection.execute(insert(_mail), row)
        return mail

    def mail(self, episode: str, agent: str) -> Mail | None:
        """The letter that waits for an answer at an agent's seat, if one does."""
        with self._reader.connect() as connection:
            query = select(_mail).filter_by(episode=episode, agent=agent)
            row = connection.execute(query).one_or_none()
        if row is None or self.find(episode, agent, row.letter, row.attempt):
            return None
        text = zlib.decompress(row.letter_text).decode()
        return Mail(agent, row.act, row.letter, text, row.attempt, row.since)

    def entries(self, episode: str) -> Iterator[Entry]:
        """Every entry of an episode, in no promised order."""
        with self._reader.connect() as connection:
            rows = connection.execute(select(_answers).filter_by(episode=episode)).all()
        yield from (_entry(row) for row in rows)


def _packed(text: str) -> bytes:
    # The default level takes about twice as long, and saves a tenth.
    return zlib.compress(text.encode(), level=1)


def _row(episode: str, entry: Entry) -> dict[str, object]:
    answer = entry.answer
    return {
        "episode": episode,
        "agent": entry.agent,
        "letter": entry.letter,
        "attempt": entry.attempt,
        "act": entry.act,
        "model": entry.model,
        "text": answer.text,
        "letter_text": _packed(entry.letter_text),
        "cut": int(answer.cut),
        "input_tokens": answer.input_tokens,
        "output_tokens": answer.output_tokens,
        "seconds": answer.seconds,
        "nonce": entry.nonce,
    }


def _entry(row: Row[tuple[object, ...]]) -> Entry:
    r = row._mapping
    return Entry(
        agent=r["agent"],
        act=r["act"],
        model=r["model"],
        letter=r["letter"],
        letter_text=zlib.decompress(r["letter_text"]).decode(),
        attempt=r["attempt"],
        answer=Answer(
            text=r["text"],
            cut=bool(r["cut"]),
            input_tokens=r["input_tokens"],
            output_tokens=r["output_tokens"],
            seconds=r["seconds"],
        ),
        nonce=r["nonce"],
    )

"""The operator's journal: every letter and its answer, private, written once.

With it a resume repeats at most the calls in flight, private reasoning and sealed moves stay off
the table, and a recording seat can replay a run. Agents and parties never read it.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

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
from shapley_coop.state.storage.engine import Book

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

_read = Table(
    "read_letters",
    _metadata,
    Column("episode", String(64), primary_key=True),
    Column("agent", String(64), primary_key=True),
    Column("letter", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True),
)


class Journal(Book):
    """The answers of all episodes of one database."""

    tables = _metadata
    durable = False

    def find(self, episode: str, agent: str, letter: str, attempt: int) -> Entry | None:
        """The answer already given to this letter, if any."""
        return self.found(episode, [(agent, letter, attempt)])[0]

    def found(self, episode: str, letters: Sequence[tuple[str, str, int]]) -> list[Entry | None]:
        """The answers already given to some letters, in one query.

        Args:
            episode: the episode of all letters.
            letters: (agent, letter, attempt).
        """
        if not letters:
            return []
        names = [letter for _, letter, _ in letters]
        named = _answers.c.letter == names[0] if len(names) == 1 else _answers.c.letter.in_(names)
        query = select(_answers).where(_answers.c.episode == episode, named)
        known = {(row.agent, row.letter, row.attempt): row for row in self._rows(query)}
        return [_entry(known[key]) if key in known else None for key in letters]

    def open_all(self, episode: str, pointers: Mapping[str, Pointer]) -> dict[str, Entry]:
        """The entry behind each agent's pointer, in one query.

        Raises:
            ValueError: one is missing, or does not match its commitment.
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
        """Keep an answer; only the first one for a letter and attempt counts."""
        try:
            self._write((insert(_answers), _kept(episode, entry)))
        except IntegrityError:
            first = self.find(episode, entry.agent, entry.letter, entry.attempt)
            if first is None:
                raise
            return first
        return entry

    async def keep(self, episode: str, entry: Entry) -> Entry:
        """Keep an answer, from an event loop, in one transaction with others that wait."""
        return await batched(self.write_all).do((episode, entry))

    def write_all(self, answers: Sequence[tuple[str, Entry]]) -> list[Entry | Exception]:
        """Keep answers of any episodes, in one transaction if possible; see `write`.

        Returns:
            For each the answer that counts, or the error that kept it, and it alone, out.
        """
        if len(answers) > 1:
            try:
                self._write((insert(_answers), [_kept(*answer) for answer in answers]))
                return [entry for _, entry in answers]
            except SQLAlchemyError:
                return [self.write_all([one])[0] for one in answers]
        try:
            return [self.write(episode, entry) for episode, entry in answers]
        except SQLAlchemyError as error:
            return [error]

    def deliver(self, episode: str, mail: Mail) -> Mail:
        """Put a letter at a person's seat, in place of the last one.

        A repeated delivery, and the next attempt at the same message, keep the time of the first.
        """
        last = self._row(select(_mail).filter_by(episode=episode, agent=mail.agent))
        same = last and (last.letter, last.attempt) == (mail.letter, mail.attempt)
        if last and (same or mail.attempt > 1):
            mail = replace(mail, since=last.since)
        row = {**vars(mail), "episode": episode, "letter_text": _packed(mail.letter_text)}
        before = delete(_mail).filter_by(episode=episode, agent=mail.agent)
        self._write((before, None), (insert(_mail), row))
        return mail

    def mail(self, episode: str, agent: str) -> Mail | None:
        """The letter that waits at an agent's seat, if it has not been answered."""
        row = self._row(select(_mail).filter_by(episode=episode, agent=agent))
        if row is None or self.find(episode, agent, row.letter, row.attempt):
            return None
        text = _unpacked(row.letter_text)
        return Mail(agent, row.act, row.letter, text, row.attempt, row.since)

    def mark_read(self, episode: str, mail: Mail) -> None:
        """Remember that a letter was shown to the person whom it is for."""
        with suppress(IntegrityError):  # it was shown before
            self._write((insert(_read), _place(episode, mail)))

    def was_read(self, episode: str, mail: Mail) -> bool:
        """Whether a letter was shown to the person whom it is for."""
        return self._row(select(_read).filter_by(**_place(episode, mail))) is not None

    def remove(self, episode: str) -> None:
        """Delete the letters and answers of an episode, those that wait as well."""
        self._write(
            (delete(_read).filter_by(episode=episode), None),
            (delete(_answers).filter_by(episode=episode), None),
            (delete(_mail).filter_by(episode=episode), None),
        )

    def entries(self, episode: str) -> Iterator[Entry]:
        """Every entry of an episode, in any order."""
        yield from map(_entry, self._rows(select(_answers).filter_by(episode=episode)))


def _place(episode: str, mail: Mail) -> dict[str, Any]:
    at = {"letter": mail.letter, "attempt": mail.attempt}
    return {"episode": episode, "agent": mail.agent, **at}


def _packed(text: str) -> bytes:
    # The default level takes twice as long and saves a tenth.
    return zlib.compress(text.encode(), level=1)


def _unpacked(content: bytes) -> str:
    return zlib.decompress(content).decode()


def _kept(episode: str, entry: Entry) -> dict[str, Any]:
    row = {**vars(entry), **vars(entry.answer), "episode": episode, "cut": int(entry.answer.cut)}
    del row["answer"]
    return {**row, "letter_text": _packed(entry.letter_text)}


def _entry(row: Row[Any]) -> Entry:
    kept: dict[str, Any] = {**row._mapping, "cut": bool(row.cut)}
    del kept["episode"]
    answer = Answer(**{field.name: kept.pop(field.name) for field in fields(Answer)})
    return Entry(**{**kept, "letter_text": _unpacked(row.letter_text)}, answer=answer)

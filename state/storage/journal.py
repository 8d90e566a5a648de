"""The operator's journal: every letter and its answer, private, written once.

With it a resume repeats at most the calls in flight, private reasoning and sealed moves stay off
the table, and a recording seat can replay a run. Agents and parties never read it.
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import (
    Column,
    Float,
    Integer,
    LargeBinary,
    Row,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from shapley_coop.seats.letters import facts_of_text
from shapley_coop.seats.records import Answer, Entry, Mail, Pointer
from shapley_coop.state.storage.batcher import batched
from shapley_coop.state.storage.owned import OWNED, OwnedBook, owner_column
from shapley_coop.state.storage.owners import Holder, NotYours, holder

_answers = Table(
    "answers",
    OWNED,
    owner_column(),
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
    OWNED,
    owner_column(),
    Column("episode", String(64), primary_key=True),
    Column("agent", String(64), primary_key=True),
    Column("act", String(32), nullable=False),
    Column("letter", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("letter_text", LargeBinary, nullable=False),
    Column("since", Float, nullable=False),
)

_Given = tuple[Holder, str, Entry]


class Journal(OwnedBook):
    """The answers of all episodes of one database."""

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
        query = self._seen(query, _answers, episode)
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
        """Keep an answer; only the first one for a letter and attempt counts.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        return self._first_of(holder(), episode, entry)

    async def keep(self, episode: str, entry: Entry) -> Entry:
        """Keep an answer, from an event loop, in one transaction with others that wait."""
        return await batched(self._keep_all).do((holder(), episode, entry))

    def write_all(self, answers: Sequence[tuple[str, Entry]]) -> list[Entry | Exception]:
        """Keep answers of any episodes, in one transaction if possible; see `write`.

        Returns:
            For each the answer that counts, or the error that kept it, and it alone, out.
        """
        who = holder()
        return self._keep_all([(who, *answer) for answer in answers])

    def _keep_all(self, answers: Sequence[_Given]) -> list[Entry | Exception]:
        # A batch has the answers of several runs, which may have different owners.
        owners = {who.owner for who, _, _ in answers}
        if len(answers) > 1 and len(owners) == 1:
            try:
                for who, episode, _ in answers:
                    self._claim(episode, who)
                rows = [_kept(*answer) for answer in answers]
                self._write((insert(_answers), rows), who=answers[0][0])
                return [entry for _, _, entry in answers]
            except (SQLAlchemyError, NotYours):
                pass
        return [self._kept_alone(*answer) for answer in answers]

    def _kept_alone(self, who: Holder, episode: str, entry: Entry) -> Entry | Exception:
        try:
            return self._first_of(who, episode, entry)
        except (SQLAlchemyError, NotYours) as error:
            return error

    def _first_of(self, who: Holder, episode: str, entry: Entry) -> Entry:
        self._claim(episode, who)
        try:
            self._write((insert(_answers), _kept(who, episode, entry)), who=who)
        except IntegrityError:
            place = {"agent": entry.agent, "letter": entry.letter, "attempt": entry.attempt}
            known = select(_answers).filter_by(episode=episode, owner=who.owner, **place)
            if (first := self._row(known, who)) is None:
                raise
            return _entry(first)
        return entry

    def deliver(self, episode: str, mail: Mail) -> Mail:
        """Put a letter at a person's seat, in place of the last one.

        A repeated delivery, and the next attempt at the same message, keep the time of the first.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        who = holder()
        self._claim(episode, who)
        at = {"episode": episode, "agent": mail.agent, "owner": who.owner}
        last = self._row(select(_mail).filter_by(**at))
        same = last and (last.letter, last.attempt) == (mail.letter, mail.attempt)
        if last and (same or mail.attempt > 1):
            mail = replace(mail, since=last.since)
        row = {**vars(mail), **at, "letter_text": _packed(mail)}
        del row["facts"]
        self._write((delete(_mail).filter_by(**at), None), (insert(_mail), row))
        return mail

    def mail(self, episode: str, agent: str) -> Mail | None:
        """The letter that waits at an agent's seat, if it has not been answered."""
        query = select(_mail).filter_by(episode=episode, agent=agent)
        row = self._row(self._seen(query, _mail, episode))
        if row is None or self.find(episode, agent, row.letter, row.attempt):
            return None
        text, facts = _unpacked(row.letter_text)
        return Mail(agent, row.act, row.letter, text, row.attempt, row.since, facts)

    def remove(self, episode: str) -> None:
        """Delete the letters and answers of an episode, those that wait as well."""
        at = {"episode": episode, "owner": holder().owner}
        self._write((delete(_answers).filter_by(**at), None), (delete(_mail).filter_by(**at), None))

    def entries(self, episode: str) -> Iterator[Entry]:
        """Every entry of an episode, in any order."""
        query = select(_answers).filter_by(episode=episode)
        yield from map(_entry, self._rows(self._seen(query, _answers, episode)))

    def tokens_of(self, owner: str) -> int:
        """The tokens, in and out, of all answers of an owner."""
        used = func.sum(_answers.c.input_tokens + _answers.c.output_tokens)
        row = self._row(select(used.label("used")).filter_by(owner=owner), Holder(owner))
        return int(row.used or 0) if row else 0


def _packed(letter: Entry | Mail) -> bytes:
    """A letter's words, and behind them its facts: two streams, of which the first is as it was."""
    facts = json.dumps(letter.facts, ensure_ascii=False)
    # The default level takes twice as long and saves a tenth.
    return b"".join(zlib.compress(x.encode(), level=1) for x in (letter.letter_text, facts))


def _unpacked(content: bytes) -> tuple[str, dict[str, Any]]:
    """A letter's words and its facts; earlier versions kept them in the words alone."""
    words = zlib.decompressobj()
    text = words.decompress(content).decode()
    if not words.unused_data:
        return text, facts_of_text(text)
    facts: dict[str, Any] = json.loads(zlib.decompress(words.unused_data))
    return text, facts


def _kept(who: Holder, episode: str, entry: Entry) -> dict[str, Any]:
    place = {"episode": episode, "owner": who.owner, "cut": int(entry.answer.cut)}
    row = {**vars(entry), **vars(entry.answer), **place}
    del row["answer"], row["facts"]
    return {**row, "letter_text": _packed(entry)}


def _entry(row: Row[Any]) -> Entry:
    kept: dict[str, Any] = {**row._mapping, "cut": bool(row.cut)}
    del kept["episode"], kept["owner"]
    answer = Answer(**{field.name: kept.pop(field.name) for field in fields(Answer)})
    text, facts = _unpacked(row.letter_text)
    return Entry(**{**kept, "letter_text": text}, answer=answer, facts=facts)

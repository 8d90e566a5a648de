"""The operator's journal: every letter and its answer, private, written once.

With it a resume repeats at most the calls in flight, private reasoning and sealed moves stay off
the table, and a recording seat can replay a run. Agents and parties never read it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapley_coop.seats.records import Answer, Asked, Entry, Mail, Pointer
from shapley_coop.state.storage.at_rest import sealed_text, unsealed_text
from shapley_coop.state.storage.batcher import batched
from shapley_coop.state.storage.driver import KeyTaken, Row, errors
from shapley_coop.state.storage.letters import packed, unpacked
from shapley_coop.state.storage.owned import MINE, OwnedBook, owned
from shapley_coop.state.storage.owners import Holder, NotYours, holder

_answers = owned(
    "answers",
    # A fork may put another model at the seat: it is not answered by the old one.
    """
    episode VARCHAR(64) NOT NULL,
    agent VARCHAR(64) NOT NULL,
    letter VARCHAR(64) NOT NULL,
    attempt INTEGER NOT NULL,
    act VARCHAR(32) NOT NULL,
    model VARCHAR(200) NOT NULL,
    text TEXT NOT NULL,
    letter_text BLOB NOT NULL,
    cut INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    batched INTEGER NOT NULL DEFAULT 0,
    seconds FLOAT NOT NULL,
    nonce VARCHAR(32) NOT NULL,
    PRIMARY KEY (episode, agent, letter, attempt, model)
    """,
)
_mail = owned(
    "waiting_letters",
    """
    episode VARCHAR(64) NOT NULL,
    agent VARCHAR(64) NOT NULL,
    act VARCHAR(32) NOT NULL,
    letter VARCHAR(64) NOT NULL,
    attempt INTEGER NOT NULL,
    letter_text BLOB NOT NULL,
    since FLOAT NOT NULL,
    PRIMARY KEY (episode, agent)
    """,
)

_Given = tuple[Holder, str, Entry]

_MANY = 8
"""Answers kept at once from which on it pays to write what their letters share once."""

_ALL = f"SELECT * FROM answers WHERE episode = :episode AND {MINE}"  # noqa: S608 - constants
_OF_KEY = """
    SELECT * FROM answers
    WHERE episode = :episode AND agent = :agent AND letter = :letter AND attempt = :attempt
    AND model = :model AND owner = :owner
"""
_AT_SEAT = "episode = :episode AND agent = :agent"
_WAITS = f"SELECT * FROM waiting_letters WHERE {_AT_SEAT} AND {MINE}"  # noqa: S608
_TAKE = f"DELETE FROM waiting_letters WHERE {_AT_SEAT} AND owner = :owner"  # noqa: S608
_OF_EPISODE = "WHERE episode = :episode AND owner = :owner"

_COUNTED = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
_USED = f"""
    SELECT model, {", ".join(f"SUM({name}) AS {name}" for name in _COUNTED)} FROM answers
    WHERE owner = :owner GROUP BY model
"""  # noqa: S608


class Journal(OwnedBook):
    """The answers of all episodes of one database.

    They are written durably: a checkpoint may point to one, and what was paid for is not asked
    again after a power cut.
    """

    def find(
        self, episode: str, agent: str, letter: str, attempt: int, model: str = ""
    ) -> Entry | None:
        """The answer already given to this letter, if any; see `Asked`."""
        return self.found(episode, [Asked(agent, letter, attempt, model)])[0]

    def found(self, episode: str, letters: Sequence[Asked]) -> list[Entry | None]:
        """The answers already given to some letters of an episode, in one query."""
        rows = _by_place(self._answers_to(episode, [one.letter for one in letters]))
        return [next(iter(_answering(one, rows)), None) for one in letters]

    def _answers_to(self, episode: str, names: Sequence[str]) -> list[Row]:
        """The rows of some letters that the holder may see."""
        if not names:
            return []
        asked = {f"letter_{number}": name for number, name in enumerate(names)}
        query = f"{_ALL} AND letter IN ({', '.join(f':{name}' for name in asked)})"
        return self._rows(query, {"episode": episode, **asked}, episode)

    def _insert(self, rows: list[Row], who: Holder) -> None:
        """Write new rows, all or none."""
        with self._changing(who) as session:
            session.write(_answers.insert, rows)

    def open_all(self, episode: str, pointers: Mapping[str, Pointer]) -> dict[str, Entry]:
        """The entry behind each agent's pointer, in one query.

        Raises:
            ValueError: one is missing, or does not match its commitment.
        """
        names = [at["letter"] for at in pointers.values()]
        rows = _by_place(self._answers_to(episode, names))
        opened: dict[str, Entry] = {}
        for agent, at in pointers.items():
            here = Asked(agent, at["letter"], at["attempt"])
            given = _answering(here, rows)
            entry = next((entry for entry in given if entry.pointer() == at), None)
            if entry is None:
                state = "was changed" if given else "is missing"
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
                shared: dict[int, bytes] | None = {} if len(answers) >= _MANY else None
                rows = [_kept(*answer, shared) for answer in answers]
                self._insert(rows, answers[0][0])
                return [entry for _, _, entry in answers]
            except errors(NotYours):
                pass
        return [self._kept_alone(*answer) for answer in answers]

    def _kept_alone(self, who: Holder, episode: str, entry: Entry) -> Entry | Exception:
        try:
            return self._first_of(who, episode, entry)
        except errors(NotYours) as error:
            return error

    def _first_of(self, who: Holder, episode: str, entry: Entry) -> Entry:
        self._claim(episode, who)
        try:
            self._insert([_kept(who, episode, entry)], who)
        except KeyTaken:
            with self._reading(who) as session:
                key = {**vars(entry), "episode": episode, "owner": who.owner}
                first = session.rows(_OF_KEY, key)
            if not first:
                raise
            return _entry(first[0])
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
        last = self._row(_WAITS, at)
        same = last and (last["letter"], last["attempt"]) == (mail.letter, mail.attempt)
        if last and (same or mail.attempt > 1):
            mail = replace(mail, since=last["since"])
        row = {**vars(mail), **at, "letter_text": packed(mail.letter_text, mail.facts)}
        with self._changing(who) as session:
            session.write(_TAKE, [at])
            session.write(_mail.insert, [row])
        return mail

    def mail(self, episode: str, agent: str) -> Mail | None:
        """The letter that waits at an agent's seat, if it has not been answered."""
        row = self._row(_WAITS, {"episode": episode, "agent": agent}, episode)
        if row is None or self.find(episode, agent, row["letter"], row["attempt"]):
            return None
        text, facts = unpacked(row["letter_text"])
        about = (row["attempt"], row["since"], dict(facts))
        return Mail(agent, row["act"], row["letter"], text, *about)

    def remove(self, episode: str) -> None:
        """Delete the letters and answers of an episode, those that wait as well."""
        who = holder()
        with self._changing(who) as session:
            for table in ("answers", "waiting_letters"):
                gone = f"DELETE FROM {table} {_OF_EPISODE}"  # noqa: S608 - constants
                session.write(gone, [{"episode": episode, "owner": who.owner}])

    def entries(self, episode: str) -> Iterator[Entry]:
        """Every entry of an episode, in any order."""
        for row in self._rows(_ALL, {"episode": episode}, episode):
            entry = _entry(row)
            yield replace(entry, facts=dict(entry.facts))

    def used_by(self, owner: str) -> list[dict[str, Any]]:
        """What all answers of an owner took: for each model its name and its tokens in and out."""
        with self._reading(Holder(owner)) as session:
            found = session.rows(_USED, {"owner": owner})
        return [{"model": row["model"], **{k: int(row[k]) for k in _COUNTED}} for row in found]


_Rows = dict[tuple[str, str, int], list[Mapping[str, Any]]]


def _by_place(rows: Iterable[Mapping[str, Any]]) -> _Rows:
    """Rows by agent, letter and attempt, so that of many each is looked at once."""
    found: _Rows = {}
    for row in rows:
        found.setdefault((row["agent"], row["letter"], row["attempt"]), []).append(row)
    return found


def _answering(asked: Asked, rows: _Rows) -> list[Entry]:
    """The entries among some rows that answer a letter."""
    here = rows.get((asked.agent, asked.letter, asked.attempt), ())
    return [_entry(row) for row in here if asked.model in ("", row["model"])]


_ENDED = {"": 0, "cut": 1, "refused": 2, "filtered": 3}
_ENDINGS: dict[int, dict[str, Any]] = {
    number: {"cut": ending == "cut", "withheld": "" if ending == "cut" else ending}
    for ending, number in _ENDED.items()
}
"""How an answer ended, in the column that at first said only whether it was cut."""


def _ending(answer: Answer) -> str:
    return answer.withheld or ("cut" if answer.cut else "")


def _kept(
    who: Holder, episode: str, entry: Entry, shared: dict[int, bytes] | None = None
) -> dict[str, Any]:
    place = {"episode": episode, "owner": who.owner, "cut": _ENDED[_ending(entry.answer)]}
    row = {**vars(entry), **vars(entry.answer), **place, "batched": int(entry.answer.batched)}
    del row["answer"], row["facts"], row["withheld"]
    letter = packed(entry.letter_text, entry.facts, shared)
    return {**row, "text": sealed_text(entry.answer.text), "letter_text": letter}


def _entry(row: Mapping[str, Any]) -> Entry:
    text, facts = unpacked(row["letter_text"])
    return Entry(
        agent=row["agent"],
        act=row["act"],
        model=row["model"],
        letter=row["letter"],
        letter_text=text,
        attempt=row["attempt"],
        answer=Answer(
            text=unsealed_text(row["text"]),
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            cached_tokens=row["cached_tokens"],
            reasoning_tokens=row["reasoning_tokens"],
            batched=bool(row["batched"]),
            seconds=row["seconds"],
            **_ENDINGS[row["cut"]],
        ),
        nonce=row["nonce"],
        facts=facts,
    )

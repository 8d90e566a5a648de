"""The operator's private journal of letters and their answers.

A resumed run takes stored answers from the journal, and repeats only interrupted calls. The table
holds pointers into the journal, so private texts stay off the table. Agents never read the journal.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapley_coop.seats.records import Answer, Entry, JournalKey, Mail, Pointer
from shapley_coop.state.storage.batcher import batcher_of
from shapley_coop.state.storage.facts import Fact, Session, key, key_prefix, parts_of
from shapley_coop.state.storage.owned import Book, claim_for
from shapley_coop.state.storage.owners import Holder, NotYours, holder
from shapley_coop.state.storage.packing import pack, unpack, unpack_texts

ANSWER = "answer"
"""The kind of the facts that hold a letter and its answer; key: letter, attempt, agent, model.

The key includes the model, so a fork with another model asks that model anew.
"""

MAIL = "mail"
"""The kind of the facts that hold a letter for a person; key: agent, number of the delivery."""

SHOWN = "shown"
"""The kind of the facts that record a letter as seen by a person; key: agent, letter, attempt."""

BATCHED = "batched"
"""The kind of the facts that record a sweep's letter in a provider's batch, and the time."""

_COUNTED = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")

_Place = tuple[str, str, int]
"""An agent, a letter and an attempt."""


class Journal(Book):
    """The letters and answers of all episodes in one database.

    Every write survives a power cut, because checkpoints point to answers in the journal, and
    because a lost answer would have to be paid for again.
    """

    def find(
        self, episode: str, agent: str, letter: str, attempt: int, model: str = ""
    ) -> Entry | None:
        """Return a letter's stored answer, or None; `model` "" stands for any model."""
        return self.found(episode, [JournalKey(agent, letter, attempt, model)])[0]

    def found(self, episode: str, letters: Sequence[JournalKey]) -> list[Entry | None]:
        """Return the stored answer to each letter, or None for a letter without one, in order."""
        given = self._given(episode, [one[:3] for one in letters], entry_in)
        return [
            next((x for x in given.get(one[:3], ()) if one.model in ("", x.model)), None)
            for one in letters
        ]

    def open_all(self, episode: str, pointers: Mapping[str, Pointer]) -> dict[str, Entry]:
        """Return agent → the entry to which the agent's pointer points, without its facts.

        Raises:
            ValueError: an entry is missing, or does not have the hash in its pointer.
        """
        places = {agent: (agent, at["letter"], at["attempt"]) for agent, at in pointers.items()}
        given = self._given(episode, [*places.values()], _without_facts)
        opened: dict[str, Entry] = {}
        for agent, at in pointers.items():
            here = given.get(places[agent], ())
            entry = next((entry for entry in here if entry.pointer() == at), None)
            if entry is None:
                state = "was changed" if here else "is missing"
                raise ValueError(f"the journal's entry of {agent} in episode {episode} {state}")
            opened[agent] = entry
        return opened

    def _given(
        self, episode: str, places: Sequence[_Place], read: Callable[[Fact], Entry]
    ) -> dict[_Place, list[Entry]]:
        """Return (agent, letter, attempt) → all models' answers to that letter and attempt.

        Args:
            read: the reader of the stored entries.
        """
        if not places:
            return {}
        wanted = [key_prefix(letter, attempt, agent) for agent, letter, attempt in places]
        given: defaultdict[_Place, list[Entry]] = defaultdict(list)
        with self._reading(episode) as session:
            for fact in session.read(ANSWER, episode, beginnings=[*dict.fromkeys(wanted)]):
                entry = read(fact)
                given[entry.agent, entry.letter, entry.attempt].append(entry)
        return given

    def write(self, episode: str, entry: Entry) -> Entry:
        """Store an answer unless the letter has one already, and return the stored answer.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        with self._writing(episode) as session:
            return _write(session, episode, entry)

    async def keep(self, episode: str, entry: Entry) -> Entry:
        """Store an answer as `write` does, in one transaction with other waiting answers."""
        return await batcher_of(self._facts, self._keep_all).do((holder(), episode, entry))

    def _keep_all(self, answers: Sequence[tuple[Holder, str, Entry]]) -> list[Entry | Exception]:
        """Store the answers of several runs, in one transaction for each owner; see `write`.

        Returns:
            For each of `answers`, in order: the stored answer, or `NotYours`.
        """
        kept: dict[int, Entry | Exception] = {}
        for owner in dict.fromkeys(who.owner for who, _, _ in answers):
            claimed = set[tuple[Holder, str]]()  # a turn of many is one batch, with one claim
            with self._facts.writing(owner) as session:
                for number, (who, episode, entry) in enumerate(answers):
                    if who.owner != owner:
                        continue
                    try:
                        if (who, episode) not in claimed:
                            claim_for(session, episode, who)
                            claimed.add((who, episode))
                        kept[number] = _write(session, episode, entry)
                    except NotYours as error:  # this answer was not written; go on
                        kept[number] = error
        return [kept[number] for number in range(len(answers))]

    def deliver(self, episode: str, mail: Mail) -> Mail:
        """Replace the letter that waits at a person's seat, and return the new letter.

        If a letter is delivered again or is a later attempt, it keeps the first delivery's time.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        with self._writing(episode, f"mail of {episode}") as session:
            last = session.last(MAIL, episode, key_prefix(mail.agent))
            told = last.value if last else {}
            same = (told.get("letter"), told.get("attempt")) == (mail.letter, mail.attempt)
            if told and (same or mail.attempt > 1):
                mail = replace(mail, since=told["since"])
            if not same:
                value = {x: getattr(mail, x) for x in ("act", "letter", "attempt", "since")}
                body = pack([mail.letter_text], mail.facts)
                session.append(MAIL, episode, value, mail.agent, body=body)
        return mail

    def mail(self, episode: str, agent: str) -> Mail | None:
        """Return the unanswered letter at an agent's seat, or None."""
        with self._reading(episode) as session:
            last = session.last(MAIL, episode, key_prefix(agent))
        if last is None or self.find(episode, agent, last.value["letter"], last.value["attempt"]):
            return None
        (text,), facts = unpack(last.body)
        return Mail(agent, letter_text=text, facts=facts, **last.value)

    def show(self, episode: str, mail: Mail) -> None:
        """Record that the person has seen a letter."""
        with self._writing(episode) as session:
            session.put(Fact(SHOWN, episode, key(mail.agent, mail.letter, mail.attempt)))

    def was_shown(self, episode: str, mail: Mail) -> bool:
        """Return whether the person has seen a letter."""
        name = key(mail.agent, mail.letter, mail.attempt)
        with self._reading(episode) as session:
            return bool(session.read(SHOWN, episode, [name]))

    def remove(self, episode: str) -> None:
        """Delete all letters and answers of an episode, including waiting letters."""
        with self._writing() as session:
            for kind in (ANSWER, MAIL, SHOWN, BATCHED):
                session.forget(kind, episode)

    def entries(self, episode: str) -> Iterator[Entry]:
        """Yield every entry of an episode, in the order of writing."""
        with self._reading(episode) as session:
            found = session.read(ANSWER, episode)
        yield from map(entry_in, found)

    def used_by(self, owner: str) -> list[dict[str, Any]]:
        """Return model → the number of tokens that the answers of an owner's runs used."""
        with self._facts.reading(owner) as session:
            found = session.every(ANSWER)
        used: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for fact in found:
            model = parts_of(fact.key)[-1]
            used[model].update({x: fact.value["answer"].get(x, 0) for x in _COUNTED})
        return [{"model": m, **{x: count[x] for x in _COUNTED}} for m, count in used.items()]


def _write(session: Session, episode: str, entry: Entry) -> Entry:
    """Store an answer unless the letter has one already, and return the stored answer."""
    (stands,) = session.put(_fact(episode, entry))
    return entry_in(stands) if stands else entry


def name_of(asked: JournalKey) -> str:
    """Return the key under which the answer to a letter is stored."""
    return key(asked.letter, asked.attempt, asked.agent, asked.model)


def _fact(episode: str, entry: Entry) -> Fact:
    answer = {name: x for name, x in vars(entry.answer).items() if x and name != "text"}
    value = {"act": entry.act, "nonce": entry.nonce, "answer": answer}
    name = name_of(JournalKey(entry.agent, entry.letter, entry.attempt, entry.model))
    body = pack([entry.answer.text, entry.letter_text], entry.facts)
    return Fact(ANSWER, episode, name, value, body)


def entry_in(fact: Fact) -> Entry:
    """Return the entry that is stored in a fact."""
    return _entry(fact, *unpack(fact.body))


def _without_facts(fact: Fact) -> Entry:
    """Return the entry that is stored in a fact, without the letter's facts."""
    return _entry(fact, unpack_texts(fact.body)[0], {})


def _entry(stored: Fact, texts: Sequence[str], facts: Mapping[str, Any]) -> Entry:
    letter, attempt, agent, model = parts_of(stored.key)
    answered, asked = texts
    answer = Answer(answered, **stored.value["answer"])
    about = (stored.value["act"], model, letter, asked, attempt)
    return Entry(agent, *about, answer, stored.value["nonce"], facts)

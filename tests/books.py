"""For tests: what the books of a home hold, and changes of it behind their back."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from shapley_coop.seats.records import Entry
from shapley_coop.state.storage.facts import Fact, facts_at
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.journal import Journal, entry_in
from shapley_coop.state.storage.ledger import Key, Ledger, Line, Verdict
from shapley_coop.state.storage.owners import SERVER
from shapley_coop.state.storage.packing import pack

Change = Callable[[Fact], Fact | None]
"""A fact in the place of another, or none."""


def books_of(place: Home | Path | str) -> str:
    """The address of the books of a home, or of its folder."""
    if isinstance(place, str):
        return place
    return (place if isinstance(place, Home) else Home(place)).books_url


def facts_of(place: Home | Path | str, kind: str, scope: str = "") -> list[Fact]:
    """All facts of a kind, of every owner: those of an episode or a run, or of all.

    Args:
        place: a home, its folder, or the address of its books.
        kind: what they are.
        scope: of which episode or run alone.
    """
    with facts_at(books_of(place)).reading(SERVER) as session:
        scopes = [scope] if scope else dict.fromkeys(x.scope for x in session.every(kind))
        return [fact for one in scopes for fact in session.read(kind, one)]


_post_branch = Ledger.post_branch  # which attacks put something else in the place of


def posted(ledger: Ledger, key: Key, lines: Sequence[Line]) -> Verdict:
    """Post something beside what an episode has posted, as its branch does when it goes on."""
    there = ledger.postings(key.episode)
    own = {Key(key.episode, *place): tuple(of) for place, of in there.items()} | {key: tuple(lines)}
    return _post_branch(ledger, key.episode, [*own.items()])


async def kept(journal: Journal, answers: Sequence[tuple[str, Entry]]) -> list[Entry]:
    """What counts of answers that come at once, by their episodes."""
    return await asyncio.gather(*(journal.keep(episode, one) for episode, one in answers))


def entries_of(place: Home | Path | str, episode: str = "") -> list[Entry]:
    """All letters and answers, of an episode or of every one."""
    return [entry_in(fact) for fact in facts_of(place, "answer", episode)]


def change_facts(kind: str, change: Change, scope: str = "") -> None:
    """Change facts of this home's file directly; at least one has to become another."""
    file = home().folder / "books.sqlite"
    changed = 0
    with closing(sqlite3.connect(file)) as books, books:
        for fact in facts_of(home(), kind, scope):
            now, place = change(fact), (fact.kind, fact.scope, fact.key)
            where = "WHERE kind = ? AND scope = ? AND key = ?"
            if now is None:
                books.execute(f"DELETE FROM facts {where}", place)
            elif now != fact:
                books.execute(
                    f"UPDATE facts SET scope = ?, key = ?, value = ?, body = ? {where}",
                    (now.scope, now.key, json.dumps(now.value), now.body, *place),
                )
            changed += now != fact
    assert changed, f"no {kind} was changed"


def delete_facts(kind: str, scope: str = "") -> None:
    """Delete facts of this home's file directly."""
    change_facts(kind, lambda _: None, scope)


def change_answers(
    change: Callable[[Entry], Entry | None],
    acts: Iterable[str] | None = None,
    agents: Iterable[str] | None = None,
) -> None:
    """Change entries of the journal directly.

    Args:
        change: an entry in the place of another, or none.
        acts: of which kinds of letters; of all without.
        agents: whose; everybody's without.
    """

    def changed(fact: Fact) -> Fact | None:
        entry = entry_in(fact)
        others = agents is not None and entry.agent not in agents
        if others or (acts is not None and entry.act not in acts):
            return fact
        now = change(entry)
        return fact if now == entry else now and as_fact(fact.scope, now)

    change_facts("answer", changed)


def as_fact(episode: str, entry: Entry) -> Fact:
    """An entry as a fact, written anew."""
    key = json.dumps([entry.letter, entry.attempt, entry.agent, entry.model])
    answer = {name: x for name, x in vars(entry.answer).items() if x and name != "text"}
    value = {"act": entry.act, "nonce": entry.nonce, "answer": answer}
    body = pack([entry.answer.text, entry.letter_text], dict(entry.facts))
    return Fact("answer", episode, key, value, body)


def reworded(text: Callable[[str], str]) -> Callable[[Entry], Entry]:
    """A change of what was answered."""
    return lambda e: replace(e, answer=replace(e.answer, text=text(e.answer.text)))


def change_value(kind: str, scope: str = "", **values: Any) -> None:
    """Set some parts of what facts of this home's file say."""
    change_facts(kind, lambda fact: replace(fact, value={**fact.value, **values}), scope)

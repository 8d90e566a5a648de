"""Comparisons by `coop verify` of stored settings, ledger postings, letters and answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from shapley_coop.games.opened import is_file
from shapley_coop.seats.calls import calls_in
from shapley_coop.seats.records import AnswerKey, Entry, Pointer, letter_hash
from shapley_coop.seats.seat import HUMAN
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.home_files.digests import is_other
from shapley_coop.state.settlement import deposit_lines, final_lines
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import final
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table

MOST_NAMED = 3
"""The most differences that are listed; further differences are only counted."""


def differences(stated: Any, found: Any, at: str = "") -> Iterator[str]:
    """Yield each place where two JSON values differ, with both values, in words."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for key in [*stated, *(key for key in found if key not in stated)]:
            yield from differences(
                stated.get(key), found.get(key), f"{at}.{key}" if at else str(key)
            )
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for n, (one, other) in enumerate(zip(stated, found, strict=True), start=1):
            yield from differences(one, other, f"{at}[{n}]")
    elif stated != found:
        yield f"{at or 'value'} is {_short(stated)}, and should be {_short(found)}"


def name_differences(different: list[str]) -> str:
    """Return the first differences, and the number of further differences."""
    more = len(different) - MOST_NAMED
    return "; ".join(different[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def changed_settings(run: Run, table: Table) -> list[str]:
    """Return the differences between a run's settings in register, table and result."""
    settings: Mapping[str, Any] = table["settings"]
    found = [f"in the register {each}" for each in differences(run.room, settings)]
    result = run.result or {}
    seats = {agent: seat["model"] for agent, seat in settings["seats"].items()}
    played = {"seed": settings["seed"], "seats": seats, "graph": run.graph, "run": run.run}
    stated = {key: result.get(key) for key in played}
    return found + [f"in the result {each}" for each in differences(stated, played)]


def files_of(run: Run) -> Iterator[tuple[str, str]]:
    """Yield each external file of a run, and whether its digest is known to this home.

    If the digest is known, `state.settings.game_of` refuses the file after any edit.
    """
    digests = run.room.get("digests", {})
    for key, path in run.room["params"].items():
        if is_file(key, path):
            known = is_other(path, digests.get(key, "")) is False
            unknown = "this home has no digest of it: an edit would show as other contributions"
            yield f"{key} file", "the one that was played with" if known else unknown


def changed_postings(table: Table) -> list[str]:
    """Return a line for each posting of the episode that is missing, not due, or wrong."""
    episode, settled = table["episode"], table["settlement"] or {}
    due = [
        *deposit_lines(EvaluatedTable(table), over=True),
        (final(episode), final_lines(settled)),
    ]
    expected = {(key.kind, key.clause, key.turn): list(lines) for key, lines in due}
    posted = home().ledger.postings(episode)
    found = []
    for place in sorted({*expected, *posted}):
        kind, clause, turn = place
        where = " ".join(filter(None, (kind, clause, f"turn {turn}" if turn else "")))
        if place not in posted:
            found.append(f"the posting {where} is missing")
        elif place not in expected:
            found.append(f"the posting {where} is not due")
        elif list(posted[place]) != expected[place]:
            lines = zip(posted[place], expected[place], strict=False)
            pair = next(((one, due) for one, due in lines if one != due), None)
            told = f"{pair[0]} for {pair[1]}" if pair else "another number of lines"
            found.append(f"the posting {where} has {told}")
    return found


def changed_letters(table: Table, entries: list[Entry]) -> list[str]:
    """Return the letters whose text does not match their hash, or whose model is not the seat's."""
    seats = {agent: seat["model"] for agent, seat in table["settings"]["seats"].items()}
    found = []
    for entry in entries:
        if letter_hash(entry.letter_text) != entry.letter:
            found.append(f"the text of {_what(entry)} was changed")
        elif entry.model != seats.get(entry.agent, entry.model):
            model = seats[entry.agent]
            found.append(
                f"{_what(entry)} is said to be answered by {entry.model}, and not by {model}"
            )
    return found


def changed_answers(entries: list[Entry], committed: Mapping[AnswerKey, Pointer]) -> list[str]:
    """Return the answers that differ from their commitments, were deleted, or were added."""
    known = {(e.agent, e.letter, e.attempt): e for e in entries}
    found = []
    for place, entry in known.items():
        if place not in committed:
            if committed and not (
                calls_in(entry.answer.text) or _was_refused(entry, committed, known)
            ):
                found.append(f"no checkpoint knows of {_what(entry)}")
        elif entry.pointer() != committed[place]:
            found.append(f"the answer to {_what(entry)} was changed")
    return found + [
        f"{agent}'s letter {letter[:8]}, attempt {attempt}, was deleted"
        for agent, letter, attempt in sorted(committed.keys() - known.keys())
    ]


def _what(entry: Entry) -> str:
    return f"{entry.agent}'s {entry.act}, letter {entry.letter[:8]}, attempt {entry.attempt}"


def _was_refused(
    entry: Entry, committed: Mapping[AnswerKey, Pointer], known: Mapping[AnswerKey, Entry]
) -> bool:
    """Return whether a person's reply was refused at once, and its later reply was accepted.

    The run waited between the two, so the checkpoints have a commitment to the accepted one only.
    """
    later = (known[place] for place in committed if place in known)
    return entry.model == HUMAN and any(
        (e.agent, e.act) == (entry.agent, entry.act) and e.attempt > entry.attempt for e in later
    )


def changed_counts(table: Table, entries: list[Entry]) -> list[str]:
    """Return each count of tokens in the table that differs from the journal's sum."""
    found = []
    for kind in ("input_tokens", "output_tokens"):
        had: dict[str, int] = {}
        for entry in entries:
            had[entry.agent] = had.get(entry.agent, 0) + getattr(entry.answer, kind)
        counted: dict[str, int] = {}
        for phase in table["spent"].values():
            for agent, count in phase.get("agents", {}).items():
                counted[agent] = counted.get(agent, 0) + count.get(kind, 0)
        for agent in sorted({*had, *counted}):
            if had.get(agent, 0) != counted.get(agent, 0):
                found.append(
                    f"the journal has {had.get(agent, 0)} {kind} of {agent}, the table "
                    f"{counted.get(agent, 0)}"
                )
    return found

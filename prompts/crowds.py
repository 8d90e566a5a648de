"""Facts about many agents in few words: agents with equal facts share a line.

Each line names a few agents and counts the others, so that a letter's length does not grow with
the number of agents. Programs get the facts of every agent.

>>> rows = [["you (A1)", "7"], *([f"A{n}", "9"] for n in range(2, 20)), ["A20", "3"]]
>>> for row in rows_of_many(rows):
...     print(*row, sep=": ")
you (A1): 7
A20: 3
A2, A3, A4, A5, A6, A7, A8, A9 and 10 more, each: 9
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from shapley_coop.many import MANY
from shapley_coop.prompts.words import few, plain, quote

MOST_COLUMNS = 3
"""The most agents that get a column each in the table of turns; with more, actions are grouped."""

MOST_GROUPS = 8
"""The most groups that are listed; all other groups share a line with their number and range."""

MOST_HEARD = 3
"""The most messages of one kind printed in full, and the most sayings quoted with their counts."""

Event = Mapping[str, Any]


def rows_of_many(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of a table, the reader's first; among many agents, equal rows are merged."""
    if len(rows) <= MANY:
        return [list(row) for row in rows]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, *cells in rows[1:]:
        groups.setdefault(tuple(cells), []).append(name)
    ranked = sorted(groups.items(), key=lambda one: len(one[1]))
    rest = ranked[:-MOST_GROUPS]
    told = [[_each(names), *cells] for cells, names in ranked[len(rest) :]]
    if rest:
        count = sum(len(names) for _, names in rest)
        columns = zip(*(cells for cells, _ in rest), strict=True)
        told.insert(0, [f"{count} others", *map(_from_to, columns)])
    return [list(rows[0]), *told]


def _each(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{few(names)}, each"


def _from_to(cells: Iterable[str]) -> str:
    """Return one text for several cells: the common value, the range, or how many values differ."""
    found = list(dict.fromkeys(cells))
    if len(found) == 1:
        return found[0]
    try:
        ranked = sorted(found, key=float)
    except ValueError:
        return f"{len(found)} different"
    return f"{ranked[0]} to {ranked[-1]}"


def together(of_each: Mapping[str, str]) -> str:
    """Return each agent's fact on one line; several agents with an equal fact are grouped.

    >>> together({"Ann": "7", "Ben": "8.5", "Cem": "8.5", "Dee": "8.5"})
    'Ann 7, others 8.5'
    """
    if len(of_each) <= MOST_COLUMNS:
        return plain(of_each)
    groups: dict[str, list[str]] = {}
    for agent, what in of_each.items():
        groups.setdefault(what, []).append(agent)
    *ranked, (most, whose) = sorted(groups.items(), key=lambda one: len(one[1]))
    rest = ranked[: -(MOST_GROUPS - 1)] if len(of_each) > MANY else []
    told = [f"{few(agents)} {plain(what)}" for what, agents in ranked[len(rest) :]]
    if rest:
        count = sum(len(agents) for _, agents in rest)
        told.insert(0, f"{count} others {_from_to(what for what, _ in rest)}")
    last = "all" if not told else "others" if len(whose) > 1 else plain(whose[0])
    return ", ".join([*told, f"{last} {plain(most)}"])


def of_group(row: Mapping[str, Any]) -> str:
    """Return a line about a group: some members' names, the number of others, their holdings."""
    more = row["agents"] - len(row["some"])
    named = [", ".join(map(plain, row["some"])), f"{more} more" if more else ""]
    held = f"{plain(row['each'])} each" if "each" in row else f"{plain(row['in_all'])} in all"
    return f"- {' and '.join(filter(None, named))}: {held}"


def fold(events: Sequence[Event]) -> list[Event]:
    """Return the history, with many similar messages of a wave cut to a few examples and a count.

    A wave has the answers of agents that were asked together, so its lines never change later.
    """
    if len(events) <= MANY:
        return [*events]
    found: list[Event] = []
    for together, wave in groupby(events, _wave):
        alike = list(wave)
        found += _told_of(alike) if together else alike
    return found


def _wave(event: Event) -> tuple[Any, ...]:
    """Return the key shared by messages sent at the same time; () for offers and actions."""
    if "by" not in event or "revision" in event:
        return ()
    return event.get("topic"), event.get("before_turn"), event.get("about", ""), event.get("turn")


def _told_of(wave: list[Event]) -> list[Event]:
    if len(wave) <= MANY:
        return wave
    kinds: dict[tuple[Any, ...], list[Event]] = {}
    for event in wave:
        kinds.setdefault((event["does"], event.get("label"), "offers" in event), []).append(event)
    found: list[Event] = []
    for alike in kinds.values():
        found += alike[:MOST_HEARD]
        if more := alike[MOST_HEARD:]:
            first = {k: x for k, x in more[0].items() if k not in ("says", "offers", "read_as")}
            words = Counter(event["says"] for event in more if event.get("says"))
            found.append(
                {**first, "by": few([e["by"] for e in more]), "heard": _frequent_sayings(words)}
            )
    return found


def _frequent_sayings(words: Counter[str]) -> str:
    """Return the most frequent sayings of many messages, with their counts."""
    often = [(said, n) for said, n in words.most_common(MOST_HEARD) if n > 1]
    told = [f"{quote(said)} ×{n}" for said, n in often]
    left = words.total() - sum(n for _, n in often)
    return ", ".join([*told, *([f"{left} in other words"] if left else [])])


def counted_together(of_each: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return act → the number of times that agents did the act, summed over all agents."""
    sums: Counter[str] = Counter()
    for counts in of_each.values():
        sums.update(counts)
    return dict(sums)

"""Gambit's files of strategic games (`.nfg`), with payoffs or with outcomes."""

import re
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from shapley_coop.amounts import parse_exact
from shapley_coop.deals.analysis.stage import StageGame

MOST_PLAYS = 100_000

_PART = re.compile(r'"(?:\\.|[^"\\])*"|[{}]|[^\s{},"]+')

Nested = list[Any]
"""The parts between two braces: texts, and further lists for braces within."""


def parse_nfg(text: str) -> StageGame:
    """Return the game in the text of an `.nfg` file.

    Raises:
        ValueError: the text is no such file; one line says what is wrong.
    """
    parts = _nested(text)
    if [str(part).upper() for part in parts[:2]] != ["NFG", "1"]:
        raise ValueError("no strategic game of Gambit: the file must begin with NFG 1")
    lists = [part for part in parts if isinstance(part, list)]
    if len(lists) < 2 or not lists[0]:
        raise ValueError("after the title, give the players { … } and their strategies { … }")
    players, actions = [_unquoted(name) for name in lists[0]], _actions(lists[1], len(lists[0]))
    if len(set(players)) < len(players):
        raise ValueError("two players have the same name: give each its own")
    count = prod(map(len, actions))
    if count > MOST_PLAYS:
        raise ValueError(f"{count} plays: at most {MOST_PLAYS} are read")
    body = [part for part in parts[parts.index(lists[1]) + 1 :] if not _is_quoted(part)]
    pays = _by_outcome(body, count) if body and isinstance(body[0], list) else _numbers(body)
    if len(pays) != count * len(players):
        raise ValueError(
            f"{len(pays)} payoffs, but {count} plays of {len(players)} players: give one each"
        )
    n = len(players)
    plays = [play[::-1] for play in product(*actions[::-1])]  # the first player's changes fastest
    table = {play: tuple(pays[n * at : n * (at + 1)]) for at, play in enumerate(plays)}
    return StageGame(tuple(players), dict(zip(players, actions, strict=True)), table, turns=1)


def _nested(text: str) -> Nested:
    open_: list[Nested] = [[]]
    for part in _PART.findall(text):
        if part == "{":
            open_.append([])
        elif part != "}":
            open_[-1].append(part)
        elif len(open_) == 1:
            raise ValueError("there is a } without its {")
        else:
            closed = open_.pop()
            open_[-1].append(closed)
    if len(open_) > 1:
        raise ValueError("there is a { without its }")
    return open_[0]


def _actions(told: Nested, players: int) -> list[tuple[str, ...]]:
    """Return each player's strategies, given by name, or by number and then named 1, 2, …"""
    if len(told) != players:
        raise ValueError(f"{players} players, but strategies of {len(told)}")
    found: list[tuple[str, ...]] = []
    for one in told:
        if not isinstance(one, list) and not (one.isdecimal() and int(one) <= MOST_PLAYS):
            raise ValueError(f"{one} is no number of strategies")
        names = one if isinstance(one, list) else [str(k + 1) for k in range(int(one))]
        found.append(tuple(map(_unquoted, names)))
        if not found[-1] or len(set(found[-1])) < len(found[-1]):
            raise ValueError("a player has no strategies, or two of the same name")
    return found


def _by_outcome(body: Nested, count: int) -> list[Fraction]:
    """Return all payoffs of a file that lists outcomes, and then each play's outcome, or 0."""
    outcomes = [_numbers([x for x in one if not _is_quoted(x)]) for one in body[0]]
    nothing = [Fraction(0)] * max(map(len, outcomes), default=0)
    chosen = [part for part in body[1:] if isinstance(part, str)]
    if len(chosen) != count or not all(x.isdecimal() and int(x) <= len(outcomes) for x in chosen):
        raise ValueError(f"after the outcomes, give one of 0 to {len(outcomes)} for each play")
    return [x for at in chosen for x in [nothing, *outcomes][int(at)]]


def _numbers(parts: Nested) -> list[Fraction]:
    if any(isinstance(part, list) for part in parts):
        raise ValueError("a { stands where a payoff is needed")
    return [parse_exact(part) for part in parts]


def _is_quoted(part: Any) -> bool:
    return isinstance(part, str) and part.startswith('"')


def _unquoted(part: Any) -> str:
    return re.sub(r"\\(.)", r"\1", part[1:-1]) if _is_quoted(part) else str(part)

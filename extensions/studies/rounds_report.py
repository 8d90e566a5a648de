"""The report of replayed matches: points, baseline and credit of each agent, and differences."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.credit.attribution import attribute_by
from shapley_coop.credit.characteristic import Attribution
from shapley_coop.credit.norms import find_norm
from shapley_coop.extensions.studies.rounds_replay import Difference, Match
from shapley_coop.games import Game
from shapley_coop.games.turns import RecordKey
from shapley_coop.state.characteristic import characteristic


def report(
    game: Game,
    matches: Mapping[str, Match],
    norm: str = "shapley",
    moved: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """Return the differences and breaches of all matches, and sums for each agent, as plain JSON.

    Baseline and credit are sums over the matches without differences: another play has other
    credit. They are None if there is no such match, or if the game has no baseline.

    Args:
        game: the game.
        matches: name → the match.
        norm: the norm that computes the credit.
        moved: a function called after each match, to show the progress.

    Raises:
        ValueError: the norm is unknown, or not computable for so many agents.
    """
    find_norm(norm)
    found = list(_credits(game, matches.values(), norm, moved))
    alone = [one.at_baseline for one in found if one.at_baseline]
    differences = [one for match in matches.values() for one in match.differences]
    rows = [row for match in matches.values() for rows in match.rounds for row in rows]
    agents = {
        agent: {
            "recorded": _sum(row.points for row in rows if row.agent == agent),
            "ours": _sum(x[agent] for match in matches.values() for x in match.points),
            "baseline": _sum(earned[agent] for earned in alone),
            "credit": _sum(one.values[agent] for one in found),
        }
        for agent in game.agents
    }
    return {
        "agents": agents,
        "norm": norm,
        "baseline": game.baseline.words,
        "warning": game.baseline.warning or game.baseline.no_value,
        "matches": len(matches),
        "agreeing": sum(not match.differences for match in matches.values()),
        "credited": len(found),
        "differing": len({(one.row.match, one.row.round) for one in differences}),
        "rounds": sum(len(match.rounds) for match in matches.values()),
        "differences": [as_record(one) for one in differences],
        "breaches": [
            {"match": name, **asdict(breach)}
            for name, match in matches.items()
            for breach in match.monitor.breaches
        ],
    }


def as_record(one: Difference) -> dict[str, Any]:
    """Return a difference with its place as plain JSON."""
    place = {"where": one.row.where, "match": one.row.match, "round": one.row.round}
    return {**place, "what": one.what, "recorded": one.recorded, "ours": one.ours}


def _credits(
    game: Game, matches: Iterable[Match], norm: str, moved: Callable[[], object]
) -> Iterable[Attribution]:
    """Yield the credit of each match without differences; equal records are computed once."""
    known: dict[RecordKey, Attribution] = {}
    undefined = game.analysis.credit_rule == "record" and game.baseline.no_value
    for match in matches:
        if not match.differences and not undefined:
            key = RecordKey(match.record)
            if key not in known:
                known[key] = attribute_by(characteristic(game, match.record), norm)
            yield known[key]
        moved()


def _sum(amounts: Iterable[Fraction | None]) -> str | None:
    """Return the sum of the known amounts as text; None if there is none."""
    known = [amount for amount in amounts if amount is not None]
    return plain(sum(known, Fraction(0))) if known else None

"""The sensitivity of the agents' ranking to norm, baseline, and moves off the recorded path.

Several norms and baselines are defensible, and each gives other values. If all values rank the
agents the same, the choice does not matter for the ranking. If not, the report names the choices.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from typing import Any

from shapley_coop.credit import attribute_by, can_settle
from shapley_coop.credit.norms import norms
from shapley_coop.evals.measures.credit import with_baseline
from shapley_coop.extras import LibraryMissing
from shapley_coop.games import Game, GameError
from shapley_coop.games.baseline import AWAY
from shapley_coop.games.replay import conduct
from shapley_coop.state.characteristic import by_replays
from shapley_coop.state.evaluated import EvaluatedTable

NORMS = ("shapley", "banzhaf_normalised", "nucleolus", "leave_one_out", "proportional")
"""The norms whose rankings are compared, if installed; "equal" is not, because it ranks nobody."""

BY_NORM, BY_BASELINE, BY_CONTINUATION = "the norm", "the baseline", "how replays go on"
DECLARED, EQUILIBRIUM, STOPS = "as declared", "equilibrium", "baseline off the recorded path"

MOST_AGENTS = 8
"""The most agents whose rankings are compared."""

MOST_STEPS = 30_000
"""The most turns × joint actions of a game with dice in which the baseline "away" is compared."""

Ranking = list[list[str]]
"""Groups of agents with equal values, the highest value first."""


@dataclass(frozen=True)
class Sensitivity:
    """Whether another norm, baseline or choice would rank the agents of one record differently.

    Attributes:
        ranking: the ranking by the run's own norm and baseline.
        other: (choice, such as "the norm"; alternative) → the different ranking by it.
        same: the pairs (choice, alternative) by which the ranking stays the same.
        left_out: the omitted comparisons, with reasons.
    """

    ranking: Ranking = field(default_factory=list)
    other: dict[tuple[str, str], Ranking] = field(default_factory=dict)
    same: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return in sentences which choices change the ranking."""
        compared = [*self.other, *self.same]
        said = [
            f"the ranking depends on {what}: with {to} it is {in_words(ranking)}"
            for (what, to), ranking in self.other.items()
        ]
        if compared and not said:
            tried = ", ".join(to for _, to in compared)
            said = [f"the ranking is the same with {tried}"]
        return [*said, *(f"not compared: {reason}" for reason in self.left_out)]

    def as_json(self) -> dict[str, Any]:
        """Return the comparisons as plain JSON."""
        return {
            "ranking": self.ranking,
            "other": [
                {"varied": what, "to": to, "ranking": ranking}
                for (what, to), ranking in self.other.items()
            ],
            "same": [{"varied": what, "to": to} for what, to in self.same],
            "left_out": self.left_out,
        }


def of_run(evaluated: EvaluatedTable, norm: str) -> dict[str, Any]:
    """Return the sensitivity for the report of `coop credit RUN` (`Extension.credits`)."""
    found = sensitivity(evaluated, norm)
    return {**found.as_json(), "lines": found.lines()}


def sensitivity(evaluated: EvaluatedTable, norm: str) -> Sensitivity:
    """Compare the ranking by a norm with rankings by other norms, baselines and moves in replays.

    The cost is a few times that of the values. Nothing is compared for more than `MOST_AGENTS`.
    """
    n = len(evaluated.agents)
    if n > MOST_AGENTS:
        return Sensitivity(left_out=[f"rankings of more than {MOST_AGENTS} agents (here {n})"])
    if norm == "equal":
        return Sensitivity(left_out=["rankings by an equal split, which ranks nobody"])
    own = ranking_of(evaluated.attribution(norm).values)
    found = Sensitivity(own)
    for (what, to), ranked in _variants(evaluated, norm, found.left_out):
        if ranked == own:
            found.same.append((what, to))
        else:
            found.other[what, to] = ranked
    return found


def ranking_of(values: Mapping[str, Fraction]) -> Ranking:
    """Return the ranking by values that are rounded to six decimals."""
    levels = sorted({round(x, 6) for x in values.values()}, reverse=True)
    return [sorted(a for a, x in values.items() if round(x, 6) == level) for level in levels]


def in_words(ranking: Ranking) -> str:
    """Return a ranking in words, such as `Bob = Carol > Alice`."""
    return " > ".join(" = ".join(level) for level in ranking)


_Ranked = tuple[tuple[str, str], Ranking]


def _variants(evaluated: EvaluatedTable, norm: str, left_out: list[str]) -> Iterable[_Ranked]:
    for other in NORMS:
        if other != norm and other in norms() and can_settle(other, len(evaluated.agents)):
            try:
                yield (BY_NORM, other), ranking_of(evaluated.attribution(other).values)
            except LibraryMissing as absent:
                left_out.append(str(absent))
    game = evaluated.game
    if game.analysis.credit_rule != "record" or game.own_baseline:
        return
    for to, rank in _baselines(evaluated, norm, left_out):
        try:
            yield (BY_BASELINE, to), rank()
        except GameError as reason:
            left_out.append(f"the baseline {to} ({reason})")
    stops = replace(conduct(game, evaluated.record, game.baseline), goes_on=False)
    if game.rolls_dice:  # if no dice are rolled, replays never leave the recorded path
        values = attribute_by(by_replays(game.analysis.repeated(stops)), norm).values
        yield (BY_CONTINUATION, STOPS), ranking_of(values)


def _baselines(
    evaluated: EvaluatedTable, norm: str, left_out: list[str]
) -> Iterable[tuple[str, Callable[[], Ranking]]]:
    """Yield the rankings by other baselines: the game's own, "away", and the equilibrium."""

    def ranked(absent: str | Mapping[str, str]) -> Callable[[], Ranking]:
        other = with_baseline(evaluated.table, absent)
        return lambda: ranking_of(other.attribution(norm).values)

    game, baseline = evaluated.game, evaluated.game.baseline
    if evaluated.config.absent and not with_baseline(evaluated.table, "").game.baseline.warning:
        yield DECLARED, ranked("")
    if baseline.kind != AWAY:
        if _too_long(game):
            left_out.append("the baseline away (too many joint actions of the absent)")
        else:
            yield AWAY, ranked(AWAY)
    solution = game.analysis.dominance_solution()
    if solution and dict(solution.actions) != dict(baseline.actions):
        yield f"{EQUILIBRIUM} ({solution.words})", ranked(solution.actions)


def _too_long(game: Game) -> bool:
    steps = game.turns * prod(len(actions) + 1 for actions in game.actions.values())
    return game.rolls_dice and steps > MOST_STEPS

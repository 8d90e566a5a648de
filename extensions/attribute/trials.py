"""Plays of changed apps, with agents removed or with other models, and their loss of score."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, nan, sqrt
from statistics import mean, stdev

import numpy as np
from langchain_core.language_models import BaseChatModel

from shapley_coop.credit.coalitions import Floats, coalition_key
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.instead import OtherModel
from shapley_coop.extensions.attribute.metrics import means
from shapley_coop.extensions.attribute.stage import Played
from shapley_coop.extensions.attribute.values import interval, observations, quantile
from shapley_coop.extensions.reports.stats import QUANTILE

NEARLY = 1e-9
"""Differences of scores below this are rounding errors."""

UNITS = ("cost", "tokens", "seconds")
"""Units of savings; savings are compared in the first unit known for all trials."""

Changes = Mapping[str, BaseChatModel | None]
"""Agent → the model that replaces the agent's own, or None to remove the agent."""


@dataclass(frozen=True)
class Loss:
    """The loss of mean score caused by changes.

    Attributes:
        rows: the loss of each input, or of each sample of a single input.
        low: the lower end of the mean's 95 % interval, or the row itself if there is only one.
        high: the upper end of the interval.
        why: the reason why the loss is unknown; "" if it is known.
    """

    rows: Floats
    low: float
    high: float
    why: str = ""

    @classmethod
    def of(cls, rows: Floats, why: str) -> "Loss":
        """Return the loss with these rows, and with the 95 % interval of their mean."""
        return cls(rows, *((nan, nan) if why else interval(rows)), why)

    @property
    def mean(self) -> float:
        """The mean loss; a negative loss is a gain."""
        return float(self.rows.mean())

    @property
    def error(self) -> float | None:
        """The distance from the mean to the farther end of the interval; None for a single row."""
        is_known = len(self.rows) > 1 and not self.why
        return max(self.high - self.mean, self.mean - self.low) if is_known else None

    def is_little(self, tolerance: float) -> bool:
        """Return whether the loss's interval is all below the tolerance; False for one row."""
        return not self.why and len(self.rows) > 1 and self.high <= tolerance + NEARLY

    def is_open(self, tolerance: float) -> bool:
        """Return whether the tolerance is within the interval; True for a single row."""
        is_within = self.low <= tolerance + NEARLY < self.high
        return not self.why and (len(self.rows) == 1 or is_within)

    def more(self, tolerance: float) -> int:
        """Estimate how many further rows would decide whether the loss is below the tolerance.

        The estimate is at least 1, but 0 for a single row, which does not show how rows vary.
        """
        if len(self.rows) == 1:
            return 0
        gap = max(abs(self.mean - tolerance), tolerance / 4)
        spread = stdev(map(float, self.rows))
        wanted = max(2, ceil((QUANTILE * spread / gap) ** 2) if gap else 2 * len(self.rows))
        while gap and quantile(wanted) * spread > gap * sqrt(wanted):
            wanted += 1
        return max(1, wanted - len(self.rows))


@dataclass(frozen=True)
class Trial:
    """The plays of a changed app.

    Attributes:
        rows: the app's score minus the changed app's score, for each input, or for each sample of
            a single input.
        score: the mean score of the changed app.
        measured: mean metrics of the changed app's plays: seconds, and tokens and USD if known.
        why: the reason why a play has no score; "" if all plays have a score.
    """

    rows: Floats
    score: float
    measured: Mapping[str, float]
    why: str = ""

    def saves(self, other: "Trial") -> dict[str, float | None]:
        """Return cost, tokens and seconds saved compared with another trial; None if unknown."""
        both = {*self.measured} & {*other.measured}
        return {k: other.measured[k] - self.measured[k] if k in both else None for k in UNITS}

    def beyond(self, other: "Trial", gains: Floats | float = 0.0) -> Loss:
        """Return this trial's loss minus another trial's loss, and minus `gains`, by input."""
        return Loss.of(self.rows - other.rows - gains, self.why or other.why)


@dataclass
class Trials:
    """The plays of changed apps; each change is played once.

    Args:
        game: a game whose grand coalition has been played.
    """

    game: AppGame
    games: dict[str, AppGame] = field(default_factory=dict)

    async def of(self, several: Sequence[Changes]) -> list[Trial]:
        """Play several changed apps, at most `at_once` at the same time."""
        plain = [self._mask(one) for one in several if not any(one.values())]
        await self.game.ask(plain)
        slots = asyncio.Semaphore(self.game.stage.settings.at_once)

        async def trial(changes: Changes) -> Trial:
            async with slots:
                return await self.one(changes)

        return await asyncio.gather(*map(trial, several))

    async def one(self, changes: Changes) -> Trial:
        """Play an app with these changes, on all units."""
        game, mask = self._game(changes), self._mask(changes)
        await game.ask([mask])
        whole, found = game.worths[game.everyone], game.worths[mask]
        lost = [a - b for a, b in zip(whole, found, strict=True)]
        rows = np.array([mean(lost[k] for k in own) for own in observations(game)])
        measured, why = means(game, game.plays[mask]), ""
        if not np.isfinite(rows).all():
            name = coalition_key(mask, game.agents)
            own = (f.reason for f in game.failures if f.coalition == name)
            why = next(own, "it has no score")
        return Trial(rows, mean(found), measured, why)

    def plays(self) -> list[list[Played]]:
        """Return the plays made so far, of the unchanged app and of each changed version of it."""
        others = (of for game in self.games.values() for of in list(game.plays.values())[1:])
        return [*self.game.plays.values(), *others]

    def _mask(self, changes: Changes) -> int:
        agents = self.game.agents
        return sum(1 << i for i, agent in enumerate(agents) if agent not in changes)

    def _game(self, changes: Changes) -> AppGame:
        """Return the game in which the changes' models, if any, replace the agents' models."""
        others = {agent: OtherModel(model) for agent, model in changes.items() if model}
        if not others:
            return self.game
        key = str({agent: str(others.get(agent, "")) for agent in sorted(changes)})
        if key not in self.games:
            game, stage = self.game, self.game.stage
            absent = {agent: stage.settings.absent_for(agent) for agent in game.agents} | others
            self.games[key] = replace(
                game,
                stage=stage.having(absent=absent),
                worths={game.everyone: game.worths[game.everyone]},
                plays={game.everyone: game.plays[game.everyone]},
                failures=[],
            )
        return self.games[key]

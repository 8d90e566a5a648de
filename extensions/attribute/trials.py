"""Plays an app with some agents removed or asked with other models, for what it loses by that."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, nan, sqrt
from statistics import mean, stdev

import numpy as np
from langchain_core.language_models import BaseChatModel

from shapley_coop.credit.coalitions import Floats
from shapley_coop.evals.measures.stats import QUANTILE
from shapley_coop.extensions.attribute.games import AppGame
from shapley_coop.extensions.attribute.instead import OtherModel
from shapley_coop.extensions.attribute.metrics import means
from shapley_coop.extensions.attribute.stage import Played
from shapley_coop.extensions.attribute.values import interval, observations, quantile

NEARLY = 1e-9
"""Of a score: rounding."""

UNITS = ("cost", "tokens", "seconds")
"""By what savings are compared: the first that is known of all."""

Changes = Mapping[str, BaseChatModel | None]
"""Agent → the model in place of its own, or None: it is removed."""


@dataclass(frozen=True)
class Loss:
    """What changes lose of the mean score.

    Attributes:
        rows: for each input; of a single input, for each sample.
        low: of the 95 % interval of their mean; of a single row that row itself.
        high: of it.
        why: it is not known.
    """

    rows: Floats
    low: float
    high: float
    why: str = ""

    @classmethod
    def of(cls, rows: Floats, why: str) -> "Loss":
        """Rows with their interval."""
        return cls(rows, *((nan, nan) if why else interval(rows)), why)

    @property
    def mean(self) -> float:
        """The mean loss; below 0 the score gains."""
        return float(self.rows.mean())

    @property
    def error(self) -> float | None:
        """How far the interval goes from the mean; None of a single row."""
        is_known = len(self.rows) > 1 and not self.why
        return max(self.high - self.mean, self.mean - self.low) if is_known else None

    def is_little(self, tolerance: float) -> bool:
        """Whether the whole interval is below what may be lost; of a single row nobody knows."""
        return not self.why and len(self.rows) > 1 and self.high <= tolerance + NEARLY

    def is_open(self, tolerance: float) -> bool:
        """Whether what may be lost is within the interval; of a single row it may be anywhere."""
        is_within = self.low <= tolerance + NEARLY < self.high
        return not self.why and (len(self.rows) == 1 or is_within)

    def more(self, tolerance: float) -> int:
        """About how many further rows would tell, if they vary as these do.

        At least 1, but 0 for a single row, which does not show how rows vary.
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
        rows: score of the app as it is less that of the changed one, for each input; of a single
            input, for each sample.
        score: the mean one of the changed app.
        measured: means of its plays: tokens, seconds, USD where they are known.
        why: it has no score.
    """

    rows: Floats
    score: float
    measured: Mapping[str, float]
    why: str = ""

    def saves(self, other: "Trial") -> dict[str, float | None]:
        """Return what it saves of another's cost, tokens and seconds; None where one is unknown."""
        both = {*self.measured} & {*other.measured}
        return {k: other.measured[k] - self.measured[k] if k in both else None for k in UNITS}

    def beyond(self, other: "Trial", gains: Floats | float = 0.0) -> Loss:
        """Return what it loses beyond another, input by input, with gains taken out."""
        return Loss.of(self.rows - other.rows - gains, self.why or other.why)


@dataclass
class Trials:
    """Plays changed apps, each once.

    Args:
        game: in which all agents have played.
    """

    game: AppGame
    games: dict[str, AppGame] = field(default_factory=dict)

    async def of(self, several: Sequence[Changes]) -> list[Trial]:
        """Play several changed apps, so many at the same time as the game does."""
        plain = [self._mask(one) for one in several if not any(one.values())]
        await self.game.ask(plain)
        slots = asyncio.Semaphore(self.game.stage.settings.at_once)

        async def trial(changes: Changes) -> Trial:
            async with slots:
                return await self.one(changes)

        return await asyncio.gather(*map(trial, several))

    async def one(self, changes: Changes) -> Trial:
        """Play one changed app."""
        game, mask = self._game(changes), self._mask(changes)
        await game.ask([mask])
        whole, found = game.worths[game.everyone], game.worths[mask]
        lost = [a - b for a, b in zip(whole, found, strict=True)]
        rows = np.array([mean(lost[k] for k in own) for own in observations(game)])
        measured, why = means(game, game.plays[mask]), ""
        if not np.isfinite(rows).all():
            why = next((f.reason for f in game.failures), "it has no score")
        return Trial(rows, mean(found), measured, why)

    def plays(self) -> list[list[Played]]:
        """Return the plays of each changed app so far, those of the app as it is among them."""
        others = (of for game in self.games.values() for of in list(game.plays.values())[1:])
        return [*self.game.plays.values(), *others]

    def _mask(self, changes: Changes) -> int:
        agents = self.game.agents
        return sum(1 << i for i, agent in enumerate(agents) if agent not in changes)

    def _game(self, changes: Changes) -> AppGame:
        """The game itself, or one in which agents that are absent are asked with other models."""
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

"""The characteristic function of an app: the scores of each coalition's plays."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import comb, isfinite

import numpy as np

from shapley_coop.credit.coalitions import Floats, coalition_key, members
from shapley_coop.extensions.attribute.canonical import canonical
from shapley_coop.extensions.attribute.play import play
from shapley_coop.extensions.attribute.scoring import Score, scored
from shapley_coop.extensions.attribute.stage import CallsSpent, Played, Stage, Unit, Visit

Row = dict[int, tuple[float, Played]]
"""Coalition → its worth on one unit, and its play."""

MOST_TRIED = 4
"""The most fields that `_steered` tries to keep one at a time, before it keeps all of them."""


@dataclass(frozen=True)
class Failure:
    """A play of a coalition that has no score.

    Attributes:
        coalition: the agents of the coalition, separated by commas.
        input: the number of the input in the list, from 1.
        sample: the number of the sample, from 1.
        reason: the reason in one line.
        played: whether the app ran; False if, for example, a tool would have acted again.
    """

    coalition: str
    input: int
    sample: int
    reason: str
    played: bool


@dataclass
class AppGame:
    """The game of an app's agents: a worth for each coalition and each unit (sample of an input).

    Args:
        stage: the app, and the state that its plays share.
        score: the user's scoring function.
        units: the samples of the inputs.

    Attributes:
        reached: the game of the first units, on which all coalitions that were asked last were
            played before the limit of calls was reached; None if there are no such units.
    """

    stage: Stage
    score: Score
    units: Sequence[Unit]
    full: list[Played] = field(default_factory=list)
    worths: dict[int, list[float]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    plays: dict[int, list[Played]] = field(default_factory=dict)
    reached: "AppGame | None" = None
    _steering: set[str] = field(default_factory=set)
    _blanks: set[str] = field(default_factory=set)
    _scores: dict[tuple[int, str], dict[str, float]] = field(default_factory=dict)

    @property
    def agents(self) -> list[str]:
        """The names of the players (the app's agents); bit i of a mask is agent i."""
        return self.stage.app.agents

    @property
    def everyone(self) -> int:
        """The bit mask of the coalition of all agents."""
        return (1 << len(self.agents)) - 1

    def visits(self, agent: str = "") -> list[Visit]:
        """Return the node calls of the recorded runs, of one agent or of all nodes."""
        return [v for played in self.full for v in played.visits if agent in ("", v.path)]

    def asks_models(self, agent: str) -> bool:
        """Return whether an agent asked a model in the recorded runs."""
        return any(visit.took.models for visit in self.visits(agent))

    async def record(self) -> None:
        """Play the app with all agents once per unit; blank stand-ins are made from these runs.

        Raises:
            ValueError: the app or the scoring function fails, or the runs need too many calls.
        """
        worths, before = [], self.stage.counts.paid
        for done, unit in enumerate(self.units, 1):
            played = await play(self.stage, unit, self.agents)
            worth = await self._scored(unit, played)
            if played.failure:
                raise ValueError(self.stage.failed(unit, played))
            self.full.append(played)
            self.plays.setdefault(self.everyone, []).append(played)
            worths.append(worth)
            self._count()
            self.stage.check_pace(before, done, len(self.units))
        self.worths[self.everyone] = worths

    def _count(self) -> None:
        self.stage.counts.plays += 1
        self.stage.settings.progress()

    async def ask(self, masks: Iterable[int]) -> None:
        """Play the coalitions with these masks (bit i: agent i), except those already played.

        Raises:
            CallsSpent: no further call is allowed; the calls made so far are kept.
        """
        new = [mask for mask in dict.fromkeys(masks) if mask not in self.worths]
        await self._play(new)
        while self._is_changing:  # until all coalitions keep and blank the same fields
            self.stage = self.stage.keeping(self._steering).blanking(self._blanks)
            self._steering.clear()
            self._blanks.clear()
            self.failures.clear()
            again = [mask for mask in self.worths if mask != self.everyone]
            for mask in again:
                del self.worths[mask], self.plays[mask]
            await self._play(again)

    async def _play(self, masks: Sequence[int]) -> None:
        """Play all coalitions on the first unit, then on the next ones."""
        units = range(len(self.units))
        rows: list[Row] = [{} for _ in units]

        async def one(mask: int, k: int) -> None:
            async with self.stage.slots:
                rows[k][mask] = await self._worth(mask, self.units[k], self.full[k])

        asked = [asyncio.ensure_future(one(mask, k)) for k in units for mask in masks]
        try:
            await asyncio.gather(*asked)
        except CallsSpent:
            whole = list(takewhile(lambda row: len(row) == len(masks), rows))
            self.reached = self._of_first(whole) if whole and not self._is_changing else None
            raise
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        self._put(rows)

    def _put(self, rows: Sequence[Row]) -> None:
        """Add the plays of coalitions on each unit."""
        for mask in rows[0]:
            self.worths[mask] = [row[mask][0] for row in rows]
            self.plays[mask] = [row[mask][1] for row in rows]

    def _of_first(self, rows: Sequence[Row]) -> "AppGame":
        """Return the game of the first units: the recorded runs, and the plays in `rows`."""
        n, everyone = len(rows), self.everyone
        units = {(unit.number, unit.sample + 1) for unit in self.units[:n]}
        first = replace(
            self,
            units=self.units[:n],
            full=self.full[:n],
            worths={everyone: self.worths[everyone][:n]},
            plays={everyone: self.plays[everyone][:n]},
            failures=[one for one in self.failures if (one.input, one.sample) in units],
        )
        first._put(rows)
        return first

    @property
    def _is_changing(self) -> bool:
        """Whether all coalitions must be played again, with other fields kept or blanked."""
        return bool(self._steering or self._blanks)

    async def _worth(self, mask: int, unit: Unit, full: Played) -> tuple[float, Played]:
        present: Collection[str] = members(mask, self.agents)
        stage = self.stage.keeping(self._steering).blanking(self._blanks)
        played = await play(stage, unit, present, full)
        if played.endless:
            played = await self._steered(unit, present, full, played)
        worth = await self._scored(unit, played)
        self._count()
        played.state = None  # a scored state is not needed any more and may be large
        if played.failure:
            name = coalition_key(mask, self.agents)
            failure = (name, unit.number, unit.sample + 1, played.failure, played.played)
            self.failures.append(Failure(*failure))
        return worth, played

    async def _steered(
        self, unit: Unit, present: Collection[str], full: Played, endless: Played
    ) -> Played:
        """Repeat a play that did not end, with changes that may let it end.

        First the emptied texts that an edge reads become a single space, since the edge may wait
        for a text. Then fields that may route the play are kept: one at a time, then all.
        """
        stage = self.stage
        absent = [agent for agent in self.agents if agent not in present]
        keys = list(dict.fromkeys(k for agent in absent for k in stage.steering(agent, [full])))
        read = list(dict.fromkeys(k for agent in absent for k in stage.read(agent, [full])))
        ways = [(read, True)] if read else []
        ways += [([key], False) for key in keys[:MOST_TRIED]] + [(keys, False)] * (len(keys) > 1)
        for tried, blank in ways:
            changed = stage.blanking(tried) if blank else stage.keeping(tried)
            played = await play(changed, unit, present, full)
            if not played.endless:
                (self._blanks if blank else self._steering).update(tried)
                names, how = ", ".join(tried), "one blank" if blank else "kept"
                stage.notes.setdefault(
                    f"steering {names}",
                    f"{names} {how} in every play: emptied, the play without {', '.join(absent)} "
                    "does not end",
                )
                return played
        return endless

    async def _scored(self, unit: Unit, played: Played) -> float:
        """Return the score of a play, or NaN; `played.failure` then says why it has none."""
        if played.failure:
            return float("nan")
        try:
            known = (unit.number, canonical(played.state)[0])
        except ValueError:
            known = (unit.number, "")
        if not known[1] or known not in self._scores:
            try:
                self._scores[known] = await scored(self.score, played.state, unit.given)
            except ValueError as error:
                played.failure = str(error)
                return float("nan")
        worth, *_ = self._scores[known].values()
        played.metrics = dict(list(self._scores[known].items())[1:])
        return worth

    def failed_part(self) -> float:
        """Return the fraction of plays that failed or were not played, from 0 to 1."""
        plays = len(self.worths) * len(self.units)
        return len(self.failures) / plays if plays else 0.0

    def known(self, masks: Sequence[int], unit: int) -> Floats:
        """Return coalitions' worths on one input; estimate unknown worths by an additive fit."""
        worths = np.array([self.worths[mask][unit] for mask in masks])
        if not np.isnan(worths).any():
            return worths
        n, known = len(self.agents), [m for m, of in self.worths.items() if isfinite(of[unit])]
        played = np.array([self.worths[mask][unit] for mask in known])
        nobody, everyone = self.worths[0][unit], self.worths[self.everyone][unit]
        values = additive_fit(rows_of(known, n), played, nobody, everyone)
        return np.where(np.isnan(worths), nobody + rows_of(masks, n) @ values, worths)


def rows_of(masks: Sequence[int], n: int) -> Floats:
    """Return an array with a row for each coalition (mask): 1 for its members, 0 for others."""
    return (np.array(masks)[:, None] >> np.arange(n) & 1).astype(np.float64)


def additive_fit(rows: Floats, worths: Floats, nobody: float, everyone: float) -> Floats:
    """Fit an additive game by weighted least squares; it meets v(∅) and v(N) exactly.

    If all worths are known, the fit's coefficients are the Shapley value (Charnes et al. 1988). So
    if the fit replaces missing worths, the Shapley value of the result is the fit's coefficients.

    Args:
        rows: a row for each of m coalitions: 1 for its members, 0 for other agents.
        worths: the worths of the m coalitions.
        nobody: v(∅).
        everyone: v(N).

    Returns:
        The agents' coefficients; they sum to v(N) − v(∅).
    """
    n, sizes = rows.shape[1], rows.sum(axis=1).astype(int)
    inner = (sizes > 0) & (sizes < n)
    rows, worths, sizes = rows[inner], worths[inner], sizes[inner]
    root = np.sqrt([(n - 1) / (comb(n, s) * s * (n - s)) for s in sizes])
    # The coefficients sum to v(N) − v(∅), so the last one follows from the others. The unknowns are
    # differences from equal shares, so that agents without any data get an equal share.
    equal = (everyone - nobody) / n
    left = rows[:, :-1] - rows[:, -1:]
    right = worths - nobody - sizes * equal
    found, *_ = np.linalg.lstsq(left * root[:, None], right * root, rcond=None)
    return np.asarray(np.append(found, -found.sum()) + equal)

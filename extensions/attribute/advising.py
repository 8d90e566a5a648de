"""The search for agents that can be removed, and for agents that can use a cheaper model.

Changes are played, because values do not show their effect: if two agents are substitutes, each has
a low value, but only one of them can go. So each change is tried alone, then all good changes
together. If all lose too much together, they are added one by one, the largest saving first. A
loss counts as little if its whole 95 % interval, over inputs, is below the tolerance. Another model
is tried only for agents that ask a model, and is taken only if it is cheaper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan

from langchain_core.language_models import BaseChatModel

from shapley_coop.extensions.attribute.naming import name_of
from shapley_coop.extensions.attribute.trials import NEARLY, UNITS, Changes, Loss, Trial, Trials

Option = tuple[str, BaseChatModel | None]


@dataclass(frozen=True)
class Step:
    """The change of one agent, on top of other changes.

    Attributes:
        change: the model that replaces the agent's own model, or None to remove the agent.
        loss: the additional loss of score, beyond the loss by the other changes.
        saves: the tokens, seconds and cost saved per run; None if unknown.
    """

    change: BaseChatModel | None
    loss: Loss
    saves: Mapping[str, float | None]


@dataclass
class Advising:
    """The search for changes of an app that lose little score.

    Args:
        trials: the plays of changed apps.

    Attributes:
        tolerance: the acceptable loss, in the score's unit.
        removals: the removal of each agent with its loss.
        taken: the changes to make.
        open: agent → the change (removal, or else another model) that only more plays can decide.
        stays_for: agent → the changed agents that make it necessary to keep the agent.
        in_vain: agent → remarks on models that would save no cost in place of the agent's model.
    """

    trials: Trials
    tolerance: float = nan
    removals: dict[str, Step] = field(default_factory=dict)
    taken: dict[str, Step] = field(default_factory=dict)
    open: dict[str, Step] = field(default_factory=dict)
    stays_for: dict[str, list[str]] = field(default_factory=dict)
    in_vain: dict[str, list[str]] = field(default_factory=dict)

    @property
    def plan(self) -> Changes:
        """The changes to make."""
        return {agent: step.change for agent, step in self.taken.items()}

    async def look(self) -> None:
        """Try to remove agents, then try other models for the remaining agents."""
        agents = self.trials.game.agents
        nobody, as_it_is = await self.trials.of([dict.fromkeys(agents), {}])
        added = float(nobody.rows.mean())
        added = added if isfinite(added) else as_it_is.score
        self.tolerance = self.trials.game.stage.settings.may_lose * abs(added)
        await self._take(as_it_is, [(agent, None) for agent in agents])
        before = await self.trials.one(self.plan)
        rest = [agent for agent in agents if agent not in self.taken]
        await self._take(before, [one for agent in rest for one in self._others(agent)])

    def kept_fields(self, agent: str) -> list[str]:
        """Return the fields of an agent that a play without the agent still has."""
        return self.trials.game.stage.unmeasured(agent, self.trials.game.full)

    def _others(self, agent: str) -> list[Option]:
        """Return pairs of the agent and a model to try; [] if the agent asks no model."""
        game = self.trials.game
        cheaper = game.stage.settings.cheaper
        if not game.asks_models(agent):
            return []
        own = {name for visit in game.visits(agent) for name in visit.took.tokens}
        same = [model for model in cheaper if {name_of(model)} == own]
        if same:
            self.in_vain[agent] = [f"asks {name_of(same[0])} already"]
        return [(agent, model) for model in cheaper if model not in same]

    async def _take(self, before: Trial, options: Sequence[Option]) -> None:
        """Take changes that lose little score: all at once if possible, else one by one."""
        made, good = self.plan, await self._each(before, options)
        changes = {agent: step.change for agent, step in good.items()}
        together = await self.trials.one({**made, **changes})
        gains = [step.loss.rows for step in good.values() if step.loss.mean < -self.tolerance]
        if len(good) < 2 or together.beyond(before, sum(gains)).is_little(self.tolerance):
            self.taken |= good
            return
        best = before
        for agent, step in good.items():
            found = await self.trials.one({**self.plan, agent: step.change})
            beside = replace(step, loss=found.beyond(best))
            if beside.loss.is_little(self.tolerance):
                self.taken[agent] = beside
                best = found if beside.loss.mean < 0 else best
                continue
            if beside.loss.is_open(self.tolerance):
                self.open.setdefault(agent, beside)
            if step.change is None:
                self.removals[agent] = beside
                self.stays_for[agent] = list(self.taken)

    async def _each(self, before: Trial, options: Sequence[Option]) -> dict[str, Step]:
        """Return the changes that lose little if made alone, sorted by gain, then by savings."""
        changed = [{**self.plan, agent: change} for agent, change in options]
        found = await self.trials.of(changed)
        played = [one for one in [before, *found] if not one.why]
        units = [unit for unit in UNITS if all(unit in one.measured for one in played)]
        good: dict[str, Step] = {}
        for (agent, change), one in zip(options, found, strict=True):
            saves = one.saves(before)
            step = Step(change, one.beyond(before), saves)
            if change is None:
                self.removals[agent] = step
                if self.kept_fields(agent):
                    continue  # the play keeps the agent's fields, so the loss is unknown
            if change is not None and (why := _in_vain(change, saves["cost"])):
                self.in_vain.setdefault(agent, []).append(why)
            elif step.loss.is_little(self.tolerance):
                better = [step, good[agent]] if agent in good else [step]
                good[agent] = min(better, key=lambda one: self._rank(one, units))
            elif step.loss.is_open(self.tolerance):
                self.open.setdefault(agent, step)
        return dict(sorted(good.items(), key=lambda one: self._rank(one[1], units)))

    def _rank(self, step: Step, units: Sequence[str]) -> tuple[float, float]:
        gain = min(0.0, step.loss.mean + self.tolerance)
        return gain, -((step.saves[units[0]] or 0.0) if units else 0.0)


def _in_vain(model: BaseChatModel, saves: float | None) -> str:
    """Return the remark that a model saves no cost; "" if the saving is positive or unknown."""
    if saves is None or saves > NEARLY:
        return ""
    return f"{name_of(model)} is {'dearer' if saves < -NEARLY else 'no cheaper'} here"

"""The constructed apps as data: who contributes what, and the exact values that follow from it.

An app earns points by *terms*: so many points once enough of certain agents did their part. Where
a term has m agents, all alike, the game of that term is symmetric, and the value is additive over
terms (Shapley 1953). So each of the m has 1/m of what the term earns with all of them, whatever the
number that is enough; no coalition needs to be played.

>>> term = Term(of=("search", "write"), points=3)
>>> term.share(chance=1.0)
1.5
"""

from collections.abc import Collection, Sequence
from math import comb
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

FILE = Path(__file__).with_name("apps.yaml")

Shape = Literal[
    "chain",
    "rewrite",
    "loop",
    "parallel",
    "debate",
    "send",
    "team",
    "supervisor",
    "swarm",
    "tools",
]
"""How an app's graph is laid out; `shapes` builds each."""

Part = Annotated[float, Field(gt=0, le=1)]
_CLOSED = ConfigDict(extra="forbid", frozen=True)


class Term(BaseModel):
    """Points that an app earns once enough of some agents did their part."""

    model_config = _CLOSED

    of: tuple[str, ...] = Field(min_length=1, description="The agents that can do it.")
    points: float = Field(description="What it earns; below 0 where it does harm.")
    least: int = Field(0, ge=0, description="How many of them are enough; 0: all.")
    part: Part = Field(1.0, description="The part of all tasks that ask for it.")

    @property
    def enough(self) -> int:
        """How many agents are enough."""
        return self.least or len(self.of)

    @property
    def is_joint(self) -> bool:
        """Whether it needs several agents, and all of them."""
        return self.enough == len(self.of) > 1

    def earned(self, present: int, chance: float) -> float:
        """Expect its points when so many of its agents take part.

        Args:
            present: of its agents.
            chance: that an agent which takes part does its part.
        """
        likely = (
            comb(present, k) * chance**k * (1 - chance) ** (present - k)
            for k in range(self.enough, present + 1)
        )
        return self.points * self.part * sum(likely)

    def share(self, chance: float) -> float:
        """Return the Shapley value of each of its agents: equal parts, as they are alike."""
        return self.earned(len(self.of), chance) / len(self.of)


class KnownApp(BaseModel):
    """One app of the benchmark, as `apps.yaml` says it."""

    model_config = _CLOSED

    name: str
    shape: Shape
    agents: tuple[str, ...] = Field(min_length=2, max_length=10, description="In their order.")
    terms: tuple[Term, ...] = Field(min_length=1)
    nobody: float = Field(0.0, description="Points that the app has without any agent.")
    chance: Part = Field(1.0, description="That an agent does its part when it is asked.")
    hard: tuple[str, ...] = Field((), description="Whose part the cheaper model cannot do.")
    words: dict[str, int] = Field({}, description="Words beyond the usual that an agent writes.")

    @property
    def is_certain(self) -> bool:
        """Whether every task asks for the same and agents never fail: one run shows all."""
        return self.chance == 1 and all(term.part == 1 for term in self.terms)

    def worth(self, present: Collection[str]) -> float:
        """Expect the score of a coalition."""
        terms = (t.earned(len({*t.of} & {*present}), self.chance) for t in self.terms)
        return self.nobody + sum(terms)

    def changed(self, removed: Collection[str], small: Collection[str]) -> float:
        """Expect the score without some agents and with others on the cheaper model."""
        idle = {*removed, *({*small} & {*self.hard})}
        return self.worth({*self.agents} - idle)

    def is_right(self, removed: Collection[str], small: Collection[str], part: float) -> bool:
        """Return whether changes lose little, and no further one would.

        Args:
            removed: agents.
            small: agents on the cheaper model.
            part: of what all agents add, that may be lost.
        """
        may_lose = part * abs(self.worth(self.agents) - self.nobody) + 1e-9
        worth = self.changed(removed, small)
        least = max(worth, self.worth(self.agents)) - may_lose
        rest = {*self.agents} - {*removed}
        further = [({*removed, agent}, {*small} - {agent}) for agent in rest]
        further += [({*removed}, {*small, agent}) for agent in rest - {*small}]
        return worth >= least and all(self.changed(*one) < least for one in further)

    def shapley(self) -> dict[str, float]:
        """Return each agent's exact Shapley value, from the terms alone."""
        shares = [(term.of, term.share(self.chance)) for term in self.terms]
        return {a: sum(share for of, share in shares if a in of) for a in self.agents}


def known_apps(names: Sequence[str] = ()) -> list[KnownApp]:
    """Read the apps of these names; all if there are none."""
    found = [KnownApp(**one) for one in yaml.safe_load(FILE.read_text(encoding="utf-8"))]
    return [app for app in found if not names or app.name in names]

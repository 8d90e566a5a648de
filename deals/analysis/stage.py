"""The finite stage game of a contract, read from the facts that every letter shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.games import Game
from shapley_coop.games.symmetric import formulas_for

Play = tuple[str, ...]
"""A joint action: one action for each agent, in the order of the agents."""

MAX_PLAYS = 4_096


class NotFinite(ValueError):
    """The error raised if a game's payoffs are unknown or the game is too large to enumerate."""


@lru_cache(maxsize=256)
def facts_of(game: Game) -> Mapping[str, Any]:
    """Return a game's facts as letters show them, always with agents, actions and turns."""
    known = {"agents": list(game.agents), "actions": game.actions, "turns": game.turns}
    return known | game.facts()


@dataclass(frozen=True)
class StageGame:
    """A normal-form game, repeated for `turns` turns.

    Attributes:
        agents: the players.
        actions: agent → its actions.
        pays: joint action → exact payoffs in the order of the agents.
        turns: the number of turns.
    """

    agents: tuple[str, ...]
    actions: dict[str, tuple[str, ...]]
    pays: dict[Play, tuple[Fraction, ...]]
    turns: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "StageGame":
        """Return the game given by the facts `agents`, `actions`, `turns` and payoffs or formula.

        Raises:
            NotFinite: a fact is missing or incomplete, or there are too many joint actions.
        """
        formulas = formulas_for(facts)
        needed = ("agents", "actions", *(() if formulas else ("payoffs",)), "turns")
        if lacking := [k for k in needed if not facts.get(k)]:
            raise NotFinite(f"the game's facts lack {', '.join(lacking)}")
        agents = tuple(facts["agents"])
        actions = {agent: tuple(facts["actions"][agent]) for agent in agents}
        if (count := prod(len(known) for known in actions.values())) > MAX_PLAYS:
            raise NotFinite(f"{count} joint actions are too many to enumerate")
        if formulas:
            return cls(agents, actions, formulas.listed(facts), int(facts["turns"]))
        pays = {
            tuple(cell["play"][a] for a in agents): tuple(exact(cell["pays"][a]) for a in agents)
            for cell in facts["payoffs"]
        }
        if missing := [play for play in product(*actions.values()) if play not in pays]:
            raise NotFinite(f"the game's facts lack the payoffs of {missing[0]}")
        return cls(agents, actions, pays, int(facts["turns"]))

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """All joint actions."""
        return tuple(product(*(self.actions[agent] for agent in self.agents)))

    @cached_property
    def equilibria(self) -> dict[Play, bool]:
        """Map each pure Nash equilibrium of one turn to whether the equilibrium is strict.

        In a weak equilibrium some agent can change its action without a loss.
        """
        found = {}
        for play in self.plays:
            losses = [self._losses(play, i) for i in range(len(self.agents))]
            if all(loss >= 0 for others in losses for loss in others):
                found[play] = all(loss > 0 for others in losses for loss in others)
        return found

    @cached_property
    def best_total(self) -> Fraction:
        """The largest sum of all agents' payoffs in one turn."""
        return max(sum(pays, Fraction(0)) for pays in self.pays.values())

    @cached_property
    def safe(self) -> Play:
        """Each agent's maximin action: the first action with the largest worst payoff."""

        def worst(i: int, action: str) -> Fraction:
            return min(pays[i] for play, pays in self.pays.items() if play[i] == action)

        return tuple(
            max(self.actions[agent], key=lambda action, i=i: worst(i, action))  # type: ignore[misc]
            for i, agent in enumerate(self.agents)
        )

    @cached_property
    def disagreement(self) -> tuple[Fraction, ...]:
        """Each agent's security level over all turns: its maximin payoff without a deal."""
        return tuple(
            self.turns * min(pays[i] for play, pays in self.pays.items() if play[i] == safe)
            for i, safe in enumerate(self.safe)
        )

    @property
    def most(self) -> dict[str, Fraction]:
        """Agent → its largest possible payoff over the whole game."""
        return {
            agent: self.turns * max(pays[i] for pays in self.pays.values())
            for i, agent in enumerate(self.agents)
        }

    def _losses(self, play: Play, i: int) -> list[Fraction]:
        """Return agent i's loss if it took each of its other actions instead."""
        return [
            self.pays[play][i] - self.pays[(*play[:i], action, *play[i + 1 :])][i]
            for action in self.actions[self.agents[i]]
            if action != play[i]
        ]

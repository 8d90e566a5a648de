"""Payoffs as a table: a row for each joint action."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from shapley_coop.amounts import exact
from shapley_coop.by_class import ByClass
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.enumeration import Enumeration
from shapley_coop.games.replay import Replays
from shapley_coop.games.table_replay import Pays, surviving_baseline, table_replays

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame
    from shapley_coop.games.turns import Turn

MAX_LOOKED_THROUGH = 4_096


class Payoffs(Protocol):
    """The payoffs of one turn of a normal-form game: a table, or a formula."""

    def rewards(self, actions: Mapping[str, str]) -> dict[str, Any]: ...  # noqa: D102
    def surviving(self) -> Baseline: ...  # noqa: D102
    def replays(self, game: "MatrixGame", record: "Sequence[Turn]") -> Replays | None: ...  # noqa: D102
    def classes(self, record: "Sequence[Turn]") -> tuple[ByClass, ...] | None: ...  # noqa: D102
    def secure(self, coalition: frozenset[str]) -> Fraction: ...  # noqa: D102
    def most(self, agent: str) -> Fraction: ...  # noqa: D102
    @property
    def best_total(self) -> Fraction: ...  # noqa: D102
    @property
    def unasked(self) -> dict[str, str] | None: ...  # noqa: D102
    def rules(self, times: str) -> list[str]: ...  # noqa: D102
    def facts(self) -> dict[str, Any]: ...  # noqa: D102


class PayoffTable:
    """The payoffs of every joint action.

    Args:
        agents: the agents in order.
        actions: agent → its actions.
        pays: joint action → agent → payoff.
    """

    def __init__(
        self, agents: Sequence[str], actions: Mapping[str, Sequence[str]], pays: Pays
    ) -> None:
        self.agents, self.actions, self.pays = tuple(agents), actions, pays

    def rewards(self, actions: Mapping[str, str]) -> dict[str, Any]:
        """Return each agent's payoff: the lowest over all actions of agents that did not act."""
        choices = [[actions[a]] if a in actions else self.actions[a] for a in self.agents]
        plays = [self.pays[play] for play in product(*choices)]
        return {agent: min(pays[agent] for pays in plays) for agent in self.agents}

    def surviving(self) -> Baseline:
        """Return the one profile that survives strict dominance, or `away` and a warning."""
        return surviving_baseline(self.agents, self.actions, self.pays)

    def replays(self, game: "MatrixGame", record: "Sequence[Turn]") -> Replays | None:
        """Return replays of many coalitions at once; None if baseline or table size forbid it."""
        return table_replays(game, record, self.pays)

    def classes(self, record: "Sequence[Turn]") -> None:
        """Return None: a table does not say which agents are interchangeable."""

    def secure(self, coalition: frozenset[str]) -> Fraction:
        """Return the α-value of one turn: max over the members' actions of min over the others'."""
        return max(
            min(self._total(coalition, ours | theirs) for theirs in self._plays(coalition, False))
            for ours in self._plays(coalition, True)
        )

    def most(self, agent: str) -> Fraction:
        """Return the most that an agent can earn in one turn."""
        return max(exact(pays[agent]) for pays in self.pays.values())

    @property
    def best_total(self) -> Fraction:
        """The highest total payoff of one turn."""
        return max(sum(map(exact, pays.values()), Fraction(0)) for pays in self.pays.values())

    @cached_property
    def unasked(self) -> dict[str, str] | None:
        """Agent → its best response to uniformly random others.

        None if the table is too large to be searched.
        """
        if len(self.pays) > MAX_LOOKED_THROUGH:
            return None
        told = {"agents": list(self.agents), "actions": self.actions, "turns": 1, **self.facts()}
        facts = {**told, "you": self.agents[0], "turn": 1}
        return Enumeration(facts, [], lambda *_: ()).default

    def rules(self, times: str) -> list[str]:
        """Return the table, in Markdown.

        Args:
            times: how often the game is played, in words.
        """
        return [
            f"{', '.join(self.agents)} choose an action at the same time, {times}. The table "
            "says what each then gets.",
            "",
            "| " + " | ".join([*self.agents, *(f"{a} gets" for a in self.agents)]) + " |",
            "|" + " --- |" * (2 * len(self.agents)),
            *(
                "| " + " | ".join([*play, *(f"{x:.10g}" for x in pay.values())]) + " |"
                for play, pay in self.pays.items()
            ),
        ]

    def facts(self) -> dict[str, Any]:
        """Return the table as JSON facts for programs."""
        cells = [
            {"play": dict(zip(self.agents, play, strict=True)), "pays": pays}
            for play, pays in self.pays.items()
        ]
        return {"payoffs": cells}

    def _total(self, coalition: frozenset[str], actions: Mapping[str, str]) -> Fraction:
        pays = self.pays[tuple(actions[a] for a in self.agents)]
        return sum((exact(pays[a]) for a in coalition), start=Fraction(0))

    def _plays(self, coalition: frozenset[str], members: bool) -> Iterable[dict[str, str]]:
        who = [a for a in self.agents if (a in coalition) == members]
        return [
            dict(zip(who, play, strict=True)) for play in product(*(self.actions[a] for a in who))
        ]

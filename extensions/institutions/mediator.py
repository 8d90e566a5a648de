"""A mediator: it plays for whoever delegates its move, by one rule that all were shown.

Delegation is an institution beside contracts (Monderer and Tennenholtz, "Strong mediated
equilibrium", Artificial Intelligence 173, 2009): nobody signs and nobody pays. An agent chooses an
action of its own, or to delegate, at the same time as all others; the mediator then plays for
those who delegated, and what it plays depends on who they are and on nothing else.

The rule, for one turn of a normal-form game:

- If all delegate, they play the joint action that pays all together most; of several the one whose
  lowest payoff is highest; of several of those, one after the other, turn by turn.
- Otherwise, those who delegate play what leaves the others together least, whatever these do
  (minimax); of several such plays the one that secures themselves most together.

>>> cells = [("c", "c", 2, 2), ("c", "d", 0, 3), ("d", "c", 3, 0), ("d", "d", 1, 1)]
>>> told = {"agents": ["Ann", "Ben"], "actions": {"Ann": ["c", "d"], "Ben": ["c", "d"]},
...         "turns": 1, "payoffs": [{"play": {"Ann": a, "Ben": b}, "pays": {"Ann": x, "Ben": y}}
...                                 for a, b, x, y in cells]}
>>> dilemma = Mediator(StageGame.of(told))
>>> dilemma.plays({"Ann", "Ben"}, turn=1), dilemma.plays({"Ben"}, turn=1)
({'Ann': 'c', 'Ben': 'c'}, {'Ben': 'd'})
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import Any

from shapley_coop.deals.analysis.stage import Play, StageGame, facts_of
from shapley_coop.games import Game, Turn

DELEGATE = "delegate"
"""What an agent chooses in place of an action; where a game has an action of that name, longer."""

DELEGATED = "delegated"
"""The effect in the record of a turn in which the mediator played for an agent."""

MOST_AGENTS_IN_FULL = 4
"""Among so many agents letters give what is played for every set of those who delegate."""


@dataclass(frozen=True, eq=False)
class Mediator:
    """The rule for one game.

    Attributes:
        stage: the game of one turn.
    """

    stage: StageGame

    @cached_property
    def word(self) -> str:
        """What an agent chooses to delegate its move; no action of the game is called so."""
        taken = {action for known in self.stage.actions.values() for action in known}
        word = DELEGATE
        while word in taken:
            word += " to the mediator"
        return word

    def plays(self, delegating: Collection[str], turn: int) -> dict[str, str]:
        """Agent → the action that is played for it, of those who delegate.

        Args:
            delegating: who delegates.
            turn: the turn, from 1.
        """
        members = tuple(i for i, agent in enumerate(self.stage.agents) if agent in delegating)
        if len(members) == len(self.stage.agents):
            play = self._together[(turn - 1) % len(self._together)]
        else:
            play = self._against(members)
        return {self.stage.agents[i]: action for i, action in zip(members, play, strict=True)}

    def promised(self, turn: int) -> list[dict[str, Any]]:
        """Return what is played for whom, by who delegates: as letters give it.

        All agents first; then every smaller set where the agents are few, else every set that
        lacks one agent.

        Args:
            turn: the turn, from 1.
        """
        agents = self.stage.agents
        few = len(agents) <= MOST_AGENTS_IN_FULL
        sizes = range(len(agents) - 1, 0 if few else len(agents) - 2, -1)
        smaller = chain.from_iterable(combinations(agents, size) for size in sizes)
        return [
            {"delegating": list(who), "plays": self.plays(who, turn)} for who in (agents, *smaller)
        ]

    @cached_property
    def _together(self) -> list[Play]:
        """What all play who all delegate, one after the other."""
        stage = self.stage
        best = [play for play in stage.plays if sum(stage.pays[play]) == stage.best_total]
        even = max(min(stage.pays[play]) for play in best)
        return [play for play in best if min(stage.pays[play]) == even]

    @cached_property
    def _known(self) -> dict[tuple[int, ...], Play]:
        return {(): ()}

    def _against(self, members: tuple[int, ...]) -> Play:
        """Return what those play who delegate while others do not."""
        if members not in self._known:
            left: dict[Play, Fraction] = {}
            secure: dict[Play, Fraction] = {}
            for play, pays in self.stage.pays.items():
                part = tuple(play[i] for i in members)
                own = sum((pays[i] for i in members), Fraction(0))
                others = sum(pays, Fraction(0)) - own
                left[part] = max(left.get(part, others), others)
                secure[part] = min(secure.get(part, own), own)
            self._known[members] = min(left, key=lambda part: (left[part], -secure[part]))
        return self._known[members]


def delegated(record: Sequence[Turn]) -> list[tuple[Turn, list[str]]]:
    """Return the turns in which somebody delegated, each with who did.

    >>> turn = {"turn": 1, "actions": {"Ann": "c"}, "rewards": {},
    ...         "effects": [{"effect": "delegated", "agent": "Ann"}]}
    >>> [who for _, who in delegated([turn, {**turn, "effects": []}])]
    [['Ann']]
    """
    rows = [
        (turn, [e["agent"] for e in turn.get("effects", []) if e.get("effect") == DELEGATED])
        for turn in record
    ]
    return [(turn, who) for turn, who in rows if who]


def misplayed(game: Game, record: Sequence[Turn]) -> list[str]:
    """Return what was not played by the rule for those who delegated, a line each.

    Raises:
        NotFinite: somebody delegated in a game that has no mediator.
    """
    found = []
    for turn, who in delegated(record):
        for agent, due in mediator_of(game).plays(who, turn["turn"]).items():
            if (did := turn["actions"].get(agent)) != due:
                found.append(f"turn {turn['turn']} {agent} is {did!r}, and should be {due!r}")
    return found


@lru_cache(maxsize=64)
def mediator_of(game: Game) -> Mediator:
    """Return the mediator of a game.

    Raises:
        NotFinite: it has no table of payoffs, or one with too many joint actions.
    """
    return Mediator(StageGame.of(facts_of(game)))

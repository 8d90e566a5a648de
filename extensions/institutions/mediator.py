"""A mediator, which plays for agents that delegate their moves, by one public rule.

Delegation is an alternative to contracts (Monderer and Tennenholtz, "Strong mediated
equilibrium", Artificial Intelligence 173, 2009): agents sign and pay nothing. All agents choose
at the same time: each takes an action of its own, or delegates. The mediator then plays for the
delegators, and its actions depend on the set of delegators alone.

The rule, for one turn of a normal-form game:

- If all delegate, they play the joint action with the highest total payoff. Among several, the
  highest minimum payoff decides. If some are still equal, the mediator plays them in rotation.
- Otherwise, the delegators minimise the highest total that the others can reach (minimax). Among
  several minimax actions, the delegators' highest guaranteed total payoff decides.

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
"""The word for the choice to delegate; it gets longer if a game has an action of this name."""

DELEGATED = "delegated"
"""The name of the effect that records that the mediator played for an agent."""

MOST_AGENTS_IN_FULL = 4
"""The most agents for which letters give the mediator's actions for every set of delegators."""


@dataclass(frozen=True, eq=False)
class Mediator:
    """The mediator's rule for one game.

    Attributes:
        stage: the game of one turn.
    """

    stage: StageGame

    @cached_property
    def word(self) -> str:
        """The word by which an agent delegates its move; no action of the game has this name."""
        taken = {action for known in self.stage.actions.values() for action in known}
        word = DELEGATE
        while word in taken:
            word += " to the mediator"
        return word

    @property
    def also_called(self) -> list[str]:
        """Other words by which an agent delegates."""
        whole = [f"{DELEGATE} {move}to the mediator" for move in ("", "my move ")]
        lets = [f"let the mediator {play}" for play in ("play", "move", "choose", "decide", "act")]
        return [*whole, *lets, *(f"{let} for me" for let in lets)]

    def plays(self, delegating: Collection[str], turn: int) -> dict[str, str]:
        """Return agent → the mediator's action, for each agent that delegates.

        Args:
            delegating: the agents that delegate.
            turn: the turn, from 1.
        """
        members = tuple(i for i, agent in enumerate(self.stage.agents) if agent in delegating)
        if len(members) == len(self.stage.agents):
            play = self._together[(turn - 1) % len(self._together)]
        else:
            play = self._against(members)
        return {self.stage.agents[i]: action for i, action in zip(members, play, strict=True)}

    def promised(self, turn: int) -> list[dict[str, Any]]:
        """Return the mediator's actions for sets of delegators, as letters show them.

        The set of all agents comes first. All smaller sets follow if there are few agents;
        with many agents, only the sets that lack one agent follow.

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
        """The joint actions that the mediator plays in rotation if all agents delegate."""
        stage = self.stage
        best = [play for play in stage.plays if sum(stage.pays[play]) == stage.best_total]
        even = max(min(stage.pays[play]) for play in best)
        return [play for play in best if min(stage.pays[play]) == even]

    @cached_property
    def _known(self) -> dict[tuple[int, ...], Play]:
        return {(): ()}

    def _against(self, members: tuple[int, ...]) -> Play:
        """Return the mediator's actions for the delegators if some agents do not delegate."""
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
    """Return pairs of a turn in which some agent delegated and the agents that delegated.

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
    """Return a line for each delegator's recorded action that differs from the rule.

    Raises:
        NotFinite: an agent delegated in a game that has no mediator.
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
        NotFinite: the game has no table of payoffs, or one with too many joint actions.
    """
    return Mediator(StageGame.of(facts_of(game)))

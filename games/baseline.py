"""Baselines: the assumed conduct of absent agents, against which credit measures a play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from shapley_coop.games.actions import actions_of_all, told_actions

if TYPE_CHECKING:
    from shapley_coop.games.game import Game
    from shapley_coop.games.turns import Position

Absent = str | dict[str, str]
"""A declared baseline: one action for all agents, agent → action, or one of the words below."""

AWAY: Literal["away"] = "away"
IDLE: Literal["idle"] = "idle"
POLICY: Literal["policy"] = "policy"
RANDOM: Literal["random"] = "random"

LEAST_EACH_TURN = "each turn the absent leave those present least"
"""The conduct of absent agents under `away`: each turn they minimise the present agents' total."""

Kind = Literal["actions", "away", "idle", "policy", "random", "nothing"]


@dataclass(frozen=True)
class Baseline:
    """The conduct that replaces agents outside a coalition.

    Attributes:
        kind: `actions` (fixed actions), `away` (absent agents earn 0 and, each turn, minimise
            the others' total), `idle` (no action), `policy` (the game computes the actions),
            `random` (the mean of plays with random actions), or `nothing` (they make nothing).
        words: a description of the baseline in a few words.
        actions: agent → action, if the actions are fixed.
        warning: why users should confirm a baseline that they did not declare; empty otherwise.
    """

    kind: Kind
    words: str
    actions: Mapping[str, str] = field(default_factory=dict)
    warning: str = ""

    @property
    def short(self) -> str:
        """The description in at most eight words; `docs/credit.md` has the full description."""
        return _SHORT.get(self.kind, self.words)

    @property
    def no_value(self) -> str:
        """Why no values are defined until a baseline is declared; empty if they are defined."""
        undeclared = self.kind == "nothing" and self.warning
        return f"no value is defined here: {self.warning}" if undeclared else ""


_SHORT = {AWAY: "an absent agent is away", RANDOM: "an absent agent acts at random"}

ALL_AWAY = Baseline(
    AWAY,
    f"an absent agent is away: it earns 0, and {LEAST_EACH_TURN} (own consumption and threats "
    "never carried out count as contribution)",
)
ALL_IDLE = Baseline(IDLE, "an absent agent stands idle")
ALL_RANDOM = Baseline(
    RANDOM, "an absent agent acts at random, in the mean of 16 plays with seeded dice"
)
MADE_NOTHING = Baseline("nothing", "an absent agent made nothing (what each made adds up)")
BY_POLICY = Baseline(POLICY, "an absent agent does what the game's own policy does")


@runtime_checkable
class Computed(Protocol):
    """A game that computes the actions of absent agents."""

    def policy(self, position: "Position", agent: str) -> str | None:
        """Return the absent agent's action at a position, or None for no action."""
        ...


def absent_action(game: "Game", baseline: Baseline, position: "Position", agent: str) -> str | None:
    """Return an agent's action under the baseline, or None for no action."""
    if baseline.kind == POLICY:
        assert isinstance(game, Computed), "no other game is declared so"
        return game.policy(position, agent)
    return None if baseline.kind == IDLE else baseline.actions.get(agent)


def read_baseline(game: "Game", absent: Absent) -> Baseline | None:
    """Return the declared baseline, or None if none is declared.

    A word such as `idle` means the action of this name, if every agent has one.

    Raises:
        GameError: the game's baseline is fixed, or `absent` names something unknown.
    """
    from shapley_coop.games.params import GameError

    if absent and game.own_baseline:
        own = game.default_baseline().words
        raise GameError(f"{game.name}: {own}; no other baseline can be chosen: leave out `absent`")
    if isinstance(absent, dict):
        if set(absent) != set(game.agents):
            raise GameError(f"absent names {sorted(absent)}: name each of {', '.join(game.agents)}")
        chosen = absent
    elif absent and all(absent in game.actions[agent] for agent in game.agents):
        chosen = dict.fromkeys(game.agents, absent)
    else:
        known = {"": None, AWAY: ALL_AWAY, IDLE: ALL_IDLE, POLICY: BY_POLICY, RANDOM: ALL_RANDOM}
        if absent not in known:
            acts = actions_of_all(game.actions)
            raise GameError(
                f"absent is {absent!r}: give an action of all ({', '.join(acts[:12])}), "
                f"{{agent: action}}, {AWAY}, {IDLE}, {RANDOM}"
                + (f", or {POLICY}" if isinstance(game, Computed) else "")
            )
        if absent == POLICY and not isinstance(game, Computed):
            raise GameError(f"{game.name} computes no policy for absent agents: give an action")
        return known[absent]
    for agent, action in chosen.items():
        if action not in game.actions[agent]:
            known_acts = ", ".join(told_actions(game.actions[agent]))
            raise GameError(f"absent: {agent} cannot {action!r}: its actions are {known_acts}")
    return Baseline("actions", in_words(game.agents, chosen), dict(chosen))


def in_words(agents: Sequence[str], actions: Mapping[str, str]) -> str:
    """Return a phrase that names the actions of absent agents."""
    if len(set(actions.values())) == 1:
        return f"an absent agent plays {actions[agents[0]]}"
    return "an absent agent plays as follows: " + ", ".join(f"{a} {actions[a]}" for a in agents)

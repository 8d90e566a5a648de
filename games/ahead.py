"""Simulations of the remaining turns under a plan, made before agents sign a deal.

The recorded turns stay unchanged. In all later turns agents follow the plan, on newly drawn dice,
because the game's own dice would reveal the future.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from shapley_coop.games.baseline import IDLE, POLICY, absent_action
from shapley_coop.games.dice import dice
from shapley_coop.games.goods import Gift, with_gifts
from shapley_coop.games.params import EVERYONE
from shapley_coop.games.simulation import simulate

if TYPE_CHECKING:
    from shapley_coop.games.foresight import Asked, Owed
    from shapley_coop.games.game import Game
    from shapley_coop.games.turns import Position, Step, Turn

UNASKED = "\0unasked"
"""The value of `Plan.instead` for a breaker that acts as if it had no duty."""

Foreseeable = Literal["all", "own", "none"]

MOST_PLAYS = 500
FEWEST_PLAYS = 8
MOST_STEPS = 2_000
"""The most game steps in all plays for one offer, if plays are simulated turn by turn."""


@dataclass(frozen=True, eq=False)
class Plan:
    """The actions to simulate: agents do their duties, and act as assumed when they have none.

    Attributes:
        asked: the function that gives the deal's duties at a turn.
        fixed: whether the duties depend on the turn alone, and on no earlier action.
        breaker: the agent that breaches all its duties; empty if no agent does.
        instead: the breaker's action when it breaches a duty; None for no action, UNASKED, or
            one of the simulator's `ways` of a breach.
        gifts: the function that returns the goods transferred at a turn's end, or None.
    """

    asked: "Asked"
    fixed: bool
    breaker: str = ""
    instead: str | None = None
    gifts: "Gifts | None" = None

    def choice(
        self, agent: str, owed: "Sequence[Owed]", legal: Sequence[str], unasked: str | None
    ) -> str | None:
        """Return an agent's action at a turn of a simulated play, or None for no action.

        Args:
            owed: the duties of all agents at this turn.
            legal: the agent's legal actions.
            unasked: the agent's action if it has no duty.
        """
        own = [duty for duty in owed if duty.agent in (agent, EVERYONE)]
        if agent == self.breaker and own:
            if self.instead is None:
                return None
            wanted = unasked if self.instead == UNASKED else self.instead
            if wanted in legal:
                return wanted
        for duty in own:
            if not duty.forbidden and duty.action in legal:
                return duty.action
        barred = {duty.action for duty in own if duty.forbidden}
        if unasked in legal and unasked not in barred:
            return unasked
        return next((action for action in legal if action not in barred), None) if barred else None


@dataclass(frozen=True, eq=False)
class Played:
    """One simulated play of the game, or several with the same turns.

    Attributes:
        record: the recorded turns, then the simulated ones.
        times: the number of simulated plays with exactly these turns.
        game: the game with the dice of this play; None if many plays were simulated at once.
    """

    record: "list[Turn]"
    times: int = 1
    game: "Game | None" = None


class Ahead:
    """A simulator of the remaining turns, which calls the game's `step` for each turn.

    A game defines a subclass to simulate many plays at once, or to predict agents without a duty.

    Args:
        game: the game that is being played.
    """

    ways: Sequence[str] = ()
    """More ways of a breach, which depend on what only the breaker knows; `break_by` plays them."""

    def __init__(self, game: "Game") -> None:
        self.game = game

    @property
    def foreseeable(self) -> Foreseeable:
        """The payoffs that an agent knows enough to simulate: all agents', its own, or none."""
        from shapley_coop.games.game import Game

        kind = type(self.game)
        public = kind.view is Game.view and kind.private is Game.private
        return "all" if public else "none"

    @property
    def words(self) -> str:
        """The assumed conduct of agents without a duty, in words."""
        return "who is asked for nothing acts as its baseline does, or else does nothing"

    @property
    def unasked_words(self) -> str:
        """The assumed conduct of an agent without a duty, in a few words."""
        return "its baseline, or else nothing"

    def breaking(self, agent: str) -> Sequence[str]:
        """Return the actions to try when searching for an agent's best breach."""
        return self.game.actions[agent]

    def break_by(
        self, way: str, position: "Position", agent: str, owed: "Sequence[Owed]"
    ) -> str | None:
        """Return the action of an agent that breaks its duties in one of `ways`."""
        raise NotImplementedError(way)

    def broken_by(self, agent: str, record: "Sequence[Turn]", played: int) -> str:
        """Return how an agent broke its duties after `played` turns; "" if by doing nothing."""
        return ""

    def outcome(self, play: Played) -> str:
        """Say what agents agreed on in a simulated play, if its payoffs do not show that."""
        return ""

    def most(self) -> Mapping[str, Fraction] | None:
        """Return agent → an upper bound of its payoff at the game's end; None if unknown."""
        return None

    def together(self) -> Fraction | None:
        """Return an upper bound of the total payoff at the game's end; None if unknown."""
        most = self.most()
        return None if most is None else sum(most.values(), Fraction(0))

    def unasked(self, position: "Position", agent: str, waiting: bool) -> str | None:
        """Return the action of an agent that has no duty at this turn.

        Args:
            position: the current position.
            waiting: whether the agent has a duty at a later turn.
        """
        baseline = self.game.baseline
        if baseline.kind not in ("actions", POLICY, IDLE):
            return None
        return absent_action(self.game, baseline, position, agent)

    def count(self, plan: Plan, sims: int, turns: int) -> int:
        """Return how many times to play each of `sims` plans, if `turns` turns remain."""
        if not self.game.rolls_dice:
            return 1
        return max(FEWEST_PLAYS, min(MOST_PLAYS, MOST_STEPS // max(1, sims * turns)))

    def plays(
        self, position: "Position", record: "Sequence[Turn]", plan: Plan, count: int
    ) -> list[Played]:
        """Simulate the remaining turns under a plan.

        Args:
            position: the current position.
            record: the turns before the position.
            plan: the assumed actions of all agents.
            count: the number of plays; one is enough for a game without dice.
        """
        found = []
        for game in self._worlds(count, len(record)):
            choose = self._chooser(plan, len(record))
            found.append(Played(played_on(game, position, record, choose, plan.gifts), 1, game))
        return found

    def idle_play(self, position: "Position", record: "Sequence[Turn]") -> Played:
        """Simulate the remaining turns once, on new dice, with all agents at their baselines."""
        game = self._worlds(1, len(record))[0]

        def choose(at: "Position", before: "Sequence[Turn]", agent: str) -> str | None:
            return absent_action(game, game.baseline, at, agent)

        return Played(played_on(game, position, record, choose), 1, game)

    def on_other_dice(self, seed: int) -> "Game":
        """Return a copy of the game with another seed."""
        other = copy(self.game)
        other.seed = seed
        other.__dict__.pop("analysis", None)  # the cached analysis has the old seed
        return other

    def _worlds(self, count: int, played: int) -> "list[Game]":
        if not self.game.rolls_dice:
            return [self.game]
        drawn = dice(self.game.seed, played, "ahead").integers(2**62, size=count)
        return [self.on_other_dice(int(seed)) for seed in drawn]

    def _chooser(self, plan: Plan, played: int) -> "Chooser":
        last_duty = self._last_duties(plan, played) if plan.fixed else {}
        asked: dict[int, list[Owed]] = {}  # turn → the duties of all agents at this turn

        def choose(at: "Position", before: "Sequence[Turn]", agent: str) -> str | None:
            turn = len(before) + 1
            waiting = last_duty.get(agent, 0) > turn
            unasked = self.unasked(at, agent, waiting)
            if turn not in asked:
                asked[turn] = list(plan.asked(before, turn))
            way = plan.instead if agent == plan.breaker else None
            if way is not None and way in self.ways:
                return self.break_by(way, at, agent, asked[turn])
            return plan.choice(agent, asked[turn], self.game.legal(at, agent), unasked)

        return choose

    def _last_duties(self, plan: Plan, played: int) -> dict[str, int]:
        """Return agent → the last turn at which the agent has a duty under a fixed plan."""
        found: dict[str, int] = {}
        for turn in range(played + 1, self.game.turns + 1):
            asked = {duty.agent for duty in plan.asked((), turn) if not duty.forbidden}
            found |= dict.fromkeys(self.game.agents if EVERYONE in asked else asked, turn)
        return found


class BountyAhead(Ahead):
    """The simulator of a game in which a bounty is the only payoff."""

    def __init__(self, game: "Game", bounty: Fraction) -> None:
        super().__init__(game)
        self._bounty = bounty

    def most(self) -> dict[str, Fraction]:
        """Return the whole bounty as the upper bound of each agent's payoff."""
        return dict.fromkeys(self.game.agents, self._bounty)

    def together(self) -> Fraction:
        """Return the bounty, which is paid only once, as the upper bound of the total."""
        return self._bounty


Chooser = Callable[[dict[str, Any], "Sequence[Turn]", str], str | None]
"""(position, the turns before, agent) → the agent's action, or None for no action."""


Gifts = Callable[["Sequence[Turn]", "Turn"], "Sequence[Gift]"]
"""(the turns before, this turn with its actions) → the goods transferred at this turn's end."""


def played_on(
    game: "Game",
    position: "Position",
    record: "Sequence[Turn]",
    choose: Chooser,
    gifts: Gifts | None = None,
) -> "list[Turn]":
    """Play the remaining turns with the actions that `choose` gives; return the extended record."""
    turns = list(record)

    def policy(_: int, at: "Position") -> dict[str, str]:
        actions = {}
        for agent in game.agents:
            legal = game.legal(at, agent)
            action = choose(at, turns, agent) if legal else None
            if action is not None and action in legal:
                actions[agent] = action
        return actions

    def transition(at: "Position", actions: dict[str, str]) -> "Step":
        turn: Turn = {"turn": len(turns) + 1, "actions": actions, "rewards": {}}
        given = gifts(turns, turn) if gifts else ()
        after = game.step(with_gifts(at, given), actions)
        turn["rewards"] = after.rewards
        if given:
            turn["effects"] = after.effects
        if after.pot:
            turn["pot"] = after.pot
        turns.append(turn)
        return after

    left = range(len(record) + 1, game.turns + 1)
    for _ in simulate(game, position, left, policy, transition):
        pass
    return turns

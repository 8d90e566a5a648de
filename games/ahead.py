"""Plays of the turns left, in thought: what a plan would come to, before anybody signs it.

What happened stays as it was recorded. From there on everybody acts by a plan, on dice that are
drawn for the purpose: the game's own would tell what is still to come.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

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
"""Instead of what is asked: what the agent would do if nothing were."""

MOST_PLAYS = 500
FEWEST_PLAYS = 8
MOST_STEPS = 2_000
"""Steps of a game that is played one turn after the other, over all plays of one outlook."""


@dataclass(frozen=True, eq=False)
class Plan:
    """How everybody acts: by what a deal asks for, and else as the game takes it to.

    Attributes:
        asked: what the deal asks for.
        fixed: whether that depends on the turn alone, and on nothing that was done.
        breaker: who does something else wherever it is asked for anything; empty for nobody.
        instead: what the breaker does: an action, UNASKED, or None for nothing.
        gifts: the goods that change hands by the end of a turn; None where there are none.
    """

    asked: "Asked"
    fixed: bool
    breaker: str = ""
    instead: str | None = None
    gifts: "Gifts | None" = None

    def choice(
        self, agent: str, owed: "Sequence[Owed]", legal: Sequence[str], unasked: str | None
    ) -> str | None:
        """Return what an agent does at a turn; None is nothing.

        Args:
            agent: who.
            owed: what is asked of all.
            legal: what it can do.
            unasked: what it does where nothing is asked of it.
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
    """One course of the game.

    Attributes:
        record: the turns played, and those pictured.
        times: how many plays went this way.
        game: the game on the dice of this play, if it was played alone.
    """

    record: "list[Turn]"
    times: int = 1
    game: "Game | None" = None


class Ahead:
    """Plays one turn after the other, by the game's own `step`.

    A game that can play many at once, or knows what its agents do unasked, brings a subclass.

    Args:
        game: the game as it is played.
    """

    def __init__(self, game: "Game") -> None:
        self.game = game

    @property
    def open(self) -> bool:
        """Whether all that a play depends on is public, so that it can be pictured for anybody."""
        from shapley_coop.games.game import Game

        kind = type(self.game)
        return kind.view is Game.view and kind.private is Game.private

    @property
    def own_payoffs_only(self) -> bool:
        """Whether all is public but what it is worth to each agent."""
        return False

    @property
    def words(self) -> str:
        """What agents are taken to do where nothing is asked of them."""
        return "who is asked for nothing acts as its baseline does, or else does nothing"

    @property
    def unasked_words(self) -> str:
        """What each of them does there, in a few words."""
        return "its baseline, or else nothing"

    def most(self) -> Mapping[str, Fraction] | None:
        """Agent → more than which it can hold at no end of the game; None where that is unknown."""
        return None

    def together(self) -> Fraction | None:
        """More than which all of them can hold at no end of the game; None where unknown."""
        most = self.most()
        return None if most is None else sum(most.values(), Fraction(0))

    def unasked(self, position: "Position", agent: str, waiting: bool) -> str | None:
        """Return what an agent does where nothing is asked of it.

        Args:
            position: where the game stands.
            agent: who.
            waiting: whether something is asked of it at a later turn.
        """
        baseline = self.game.baseline
        if baseline.kind not in ("actions", POLICY, IDLE):
            return None
        return absent_action(self.game, baseline, position, agent)

    def count(self, plan: Plan, sims: int, turns: int) -> int:
        """Return how many plays there are of each of `sims` plans over `turns` turns."""
        if not self.game.rolls_dice:
            return 1
        return max(FEWEST_PLAYS, min(MOST_PLAYS, MOST_STEPS // max(1, sims * turns)))

    def plays(
        self, position: "Position", record: "Sequence[Turn]", plan: Plan, count: int
    ) -> list[Played]:
        """Play the turns left by a plan.

        Args:
            position: where the game stands.
            record: the turns before.
            plan: how everybody acts.
            count: how many plays; of a game without dice there is one.
        """
        found = []
        for game in self._worlds(count, len(record)):
            choose = self._chooser(plan, len(record))
            found.append(Played(played_on(game, position, record, choose, plan.gifts), 1, game))
        return found

    def idle_play(self, position: "Position", record: "Sequence[Turn]") -> Played:
        """The turns left if everybody does what its baseline does; on one throw of the dice."""
        game = self._worlds(1, len(record))[0]

        def choose(at: "Position", before: "Sequence[Turn]", agent: str) -> str | None:
            return absent_action(game, game.baseline, at, agent)

        return Played(played_on(game, position, record, choose), 1, game)

    def on_other_dice(self, seed: int) -> "Game":
        """Return the same world with other dice."""
        other = copy(self.game)
        other.seed = seed
        other.__dict__.pop("analysis", None)  # it knows the dice that it was made with
        return other

    def _worlds(self, count: int, played: int) -> "list[Game]":
        if not self.game.rolls_dice:
            return [self.game]
        drawn = dice(self.game.seed, played, "ahead").integers(2**62, size=count)
        return [self.on_other_dice(int(seed)) for seed in drawn]

    def _chooser(self, plan: Plan, played: int) -> "Chooser":
        last_duty = self._last_duties(plan, played) if plan.fixed else {}
        asked: dict[int, list[Owed]] = {}  # turn → what is owed by all, worked out once

        def choose(at: "Position", before: "Sequence[Turn]", agent: str) -> str | None:
            turn = len(before) + 1
            waiting = last_duty.get(agent, 0) > turn
            unasked = self.unasked(at, agent, waiting)
            if turn not in asked:
                asked[turn] = list(plan.asked(before, turn))
            return plan.choice(agent, asked[turn], self.game.legal(at, agent), unasked)

        return choose

    def _last_duties(self, plan: Plan, played: int) -> dict[str, int]:
        """Agent → the last turn at which a fixed plan asks it for an action."""
        found: dict[str, int] = {}
        for turn in range(played + 1, self.game.turns + 1):
            asked = {duty.agent for duty in plan.asked((), turn) if not duty.forbidden}
            found |= dict.fromkeys(self.game.agents if EVERYONE in asked else asked, turn)
        return found


class PrivateWorths(Ahead):
    """A game in which what changes hands is public, and what it is worth is each agent's own."""

    @property
    def open(self) -> bool:
        """To each agent with its own payoffs alone."""
        return False

    @property
    def own_payoffs_only(self) -> bool:
        """Who holds what is public, what it is worth is not."""
        return True


class BountyAhead(Ahead):
    """A game in which a bounty is all that there is to earn."""

    def __init__(self, game: "Game", bounty: Fraction) -> None:
        super().__init__(game)
        self._bounty = bounty

    def most(self) -> dict[str, Fraction]:
        """Return all of it."""
        return dict.fromkeys(self.game.agents, self._bounty)

    def together(self) -> Fraction:
        """It is there once."""
        return self._bounty


Chooser = Callable[[dict[str, Any], "Sequence[Turn]", str], str | None]
"""(position, the turns before, agent) → its action, or None for none."""


Gifts = Callable[["Sequence[Turn]", "Turn"], "Sequence[Gift]"]
"""(the turns before, the turn as far as it is chosen) → the goods that change hands by its end."""


def played_on(
    game: "Game",
    position: "Position",
    record: "Sequence[Turn]",
    choose: Chooser,
    gifts: Gifts | None = None,
) -> "list[Turn]":
    """Return the record after the turns left, in which each agent does what is chosen for it."""
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

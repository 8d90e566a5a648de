"""What some games say of themselves: of goods, phases, and how they are shown."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from shapley_coop.games.goods import Holdings
from shapley_coop.games.open_turns import Spans
from shapley_coop.games.turns import Position, Turn, effect_words


class Marks:
    """Everything of a game that has a default which fits most."""

    name: ClassVar[str]

    workflow: ClassVar[str] = ""
    """The one workflow that can play it; empty if there are others."""

    signable: ClassVar[bool] = True
    """Whether its agents agree by offers of clauses, which parties can sign."""

    goal: ClassVar[str] = "best total"
    """What reaching the best collective payoff is called in tables."""

    rolls_dice: ClassVar[bool] = True
    """Whether what the same actions lead to depends on the seed."""

    needs_seed: ClassVar[bool] = True
    """Whether anything of it depends on the seed: its dice, or what is drawn before play."""

    symmetric: ClassVar[bool] = False
    """Whether the rules treat all agents alike: their names could be exchanged."""

    own_baseline: ClassVar[bool] = False
    """Whether the game has a rule of its own for the absent, which no run replaces."""

    goods: Sequence[str] = ()
    """What can change hands by a deal, in a game in which agents hold goods."""

    currency: str = ""
    """In which rewards are, where they are money; else they are points."""

    @classmethod
    def called(cls, params: Mapping[str, Any]) -> str:
        """Return how errors call a game of these parameters."""
        return cls.name

    def summary(self) -> str:
        """Return one line for lists: by default the first of the class's docstring."""
        return (type(self).__doc__ or self.name).strip().splitlines()[0]

    def agreed(self, record: Sequence[Turn]) -> bool:
        """Return whether what was done shows that agents agreed, without a deal that was signed."""
        return False

    def make_ready(self) -> None:
        """Refuse, before anything is played, what could not be played to its end here."""

    def holdings(self, position: Position) -> Holdings:
        """Return what everybody holds of the goods."""
        return {}

    def purse(self, agent: str) -> Fraction | None:
        """The most that an agent can pay in all; it is told to that agent alone. None: no limit."""
        return None

    def reservation(self, position: Position, agent: str) -> Fraction | None:
        """What a deal has to leave an agent with at least; it is told to that agent alone."""
        return None

    def open_turns(self, agent: str, action: str) -> Spans | None:
        """Return the turns at which an action can be taken; None where the play alone decides."""
        return None

    def happened(self, turn: Turn) -> str:
        """What a turn's effects were, in few words of one line, for the letters' table of turns."""
        return "; ".join(effect_words(effect) for effect in turn.get("effects", []))

    def action_label(self, action: str) -> str:
        """The name under which an action is recorded and agreed on: without what it carries."""
        return action

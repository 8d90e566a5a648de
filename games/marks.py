"""Optional attributes of games: workflow, dice, goods, and texts for letters."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from shapley_coop.games.goods import Holdings
from shapley_coop.games.open_turns import Spans
from shapley_coop.games.turns import Position, Turn, effect_words


class Marks:
    """The optional attributes and methods of a game; their defaults fit most games."""

    name: ClassVar[str]

    workflow: ClassVar[str] = ""
    """The only workflow that can play the game; empty if several can."""

    signable: ClassVar[bool] = True
    """Whether agents agree by offers of clauses, which parties can sign."""

    goal: ClassVar[str] = "best total"
    """The name by which tables of results call reaching the best total payoff."""

    rolls_dice: ClassVar[bool] = True
    """Whether the outcome of the same actions depends on the seed."""

    needs_seed: ClassVar[bool] = True
    """Whether anything in the game depends on the seed: its dice, or draws before play."""

    symmetric: ClassVar[bool] = False
    """Whether the rules treat all agents alike, so that their names could be exchanged."""

    own_baseline: ClassVar[bool] = False
    """Whether the game fixes the conduct of absent agents, so that no run can replace it."""

    goods: Sequence[str] = ()
    """The goods that a deal can transfer, in a game in which agents hold goods."""

    currency: str = ""
    """The currency of rewards; empty if rewards are points."""

    @property
    def unit(self) -> str:
        """The unit of the game's rewards, in words."""
        return self.currency or "points"

    @classmethod
    def called(cls, params: Mapping[str, Any]) -> str:
        """Return the name that errors use for a game with these parameters."""
        return cls.name

    def summary(self) -> str:
        """Return a one-line summary for lists: by default the first line of the docstring."""
        return (type(self).__doc__ or self.name).strip().splitlines()[0]

    def for_people(self, text: str) -> str:
        """Return a letter's text for people: the game's codes, if any, are replaced by words."""
        return text

    def also_called(self, action: str) -> Sequence[str]:
        """Return other words for an action, which answers may use; here, for doing nothing."""
        return ("do nothing", "no action") if action in ("pass", "wait") else ()

    def offer_line(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message as a line of the history, if offers are not of clauses; else {}."""
        return {}

    def agreed(self, record: Sequence[Turn]) -> bool:
        """Return whether the recorded actions show that agents agreed without a signed deal."""
        return False

    def make_ready(self) -> None:
        """Raise an error before play if something that the game needs is missing."""

    def holdings(self, position: Position) -> Holdings:
        """Return agent → good → the quantity that it holds."""
        return {}

    def purse(self, agent: str) -> Fraction | None:
        """Return an agent's spending limit, or None; only the agent's own letters show it."""
        return None

    def reservation(self, position: Position, agent: str) -> Fraction | None:
        """Return an agent's minimum payoff from a deal, or None; only its own letters show it."""
        return None

    def open_turns(self, agent: str, action: str) -> Spans | None:
        """Return the turns at which an action is possible; None if it is possible at every turn."""
        return None

    def happened(self, turn: Turn) -> str:
        """Return a turn's effects in one short line, for the table of turns in letters."""
        return "; ".join(effect_words(effect) for effect in turn.get("effects", []))

    def action_label(self, action: str) -> str:
        """Return an action's name in records and agreements, without the action's content."""
        return action

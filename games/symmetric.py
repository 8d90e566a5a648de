"""Symmetric games, each defined by a formula and not by a table.

All agents have the same actions, and action k adds k to a sum. An agent's payoff depends on its own
action and on the others' sum (an aggregative game: Selten 1970; Corchón 1994). A subclass states
only the actions and their payoffs. Play uses a table of payoffs, or, if the table is long and an
extension computes with formulas, the formula.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Protocol

from shapley_coop import extension
from shapley_coop.amounts import MICRO, exact
from shapley_coop.games.foresight import Foresight
from shapley_coop.games.matrix import MAX_JOINT_ACTIONS, MatrixGame, MatrixParams, check_names
from shapley_coop.games.params import GameError, Number
from shapley_coop.games.table import Payoffs

MOST_PRINTED = 200
"""The most actions and payoffs in a table that letters print; a larger game prints its formula."""


@dataclass(frozen=True)
class Piece:
    """A linear piece of a formula: `pays` at its first sum, and `each` per unit above it.

    Attributes:
        start: the first sum; the piece ends where the next piece starts.
        pays: the payoff at the first sum, in the game's unit.
        each: the increase for each further unit of the sum.
    """

    start: int
    pays: Any
    each: Any = 0


Formula = Mapping[str, Sequence[Piece]]
"""Action → its payoff as a function of the others' sum, piece by piece."""


class Formulas(Protocol):
    """The interface of an extension's module that evaluates the formulas of symmetric games."""

    Foresight: type[Foresight]

    def payoffs(self, agents: Sequence[str], formula: Formula, rounds: int) -> Payoffs:
        """Return the payoffs object of a formula, which replaces a table.

        Raises:
            ValueError: a payoff is too large, or the module refuses the formula.
        """
        ...

    def listed(self, facts: Mapping[str, Any]) -> dict[tuple[str, ...], tuple[Fraction, ...]]:
        """Return joint action → its payoffs, from the facts of a letter."""
        ...


def formulas_for(facts: Mapping[str, Any]) -> Formulas | None:
    """Return the module that reads the formula in a letter's facts; None if there is no formula."""
    known = extension.offered("formulas")
    return next((extension.load("formulas", fact) for fact in known if facts.get(fact)), None)


def is_printed(actions: int, agents: int) -> bool:
    """Return whether a table is short enough to print: two entries per agent and joint action.

    >>> is_printed(actions=2, agents=4), is_printed(actions=2, agents=5)
    (True, False)
    """
    entries: int = 2 * agents * actions**agents
    return entries <= MOST_PRINTED


def payoff_at(pieces: Sequence[Piece], others: int) -> Number:
    """Return an action's payoff, given the others' sum, to the nearest millionth.

    >>> payoff_at([Piece(0, -1), Piece(3, 10, "1/3")], 5)
    10.666667
    """
    piece = next(p for p in reversed(pieces) if p.start <= others)
    amount = exact(piece.pays) + exact(piece.each) * (others - piece.start)
    whole = Fraction((2 * amount * MICRO + 1) // 2, MICRO)
    return whole.numerator if whole.denominator == 1 else float(whole)


class SymmetricGame(MatrixGame):
    """A game whose payoffs follow from an agent's own action and one sum over the others."""

    title: str
    symmetric = True

    @abstractmethod
    def formula(self) -> Formula:
        """Return each action's payoff; action k, counted from 0, adds k to the sum."""

    @abstractmethod
    def story(self) -> str:
        """Return a sentence or two for letters."""

    def build(self) -> Payoffs:
        """Return a table for few joint actions, else a formula if an extension can use it.

        Raises:
            GameError: an action's name is invalid, or a payoff or the table is too large.
        """
        formula, known = self.formula(), extension.offered("formulas")
        if is_printed(len(formula), len(self.agents)):
            return super().build()
        if not known and len(formula) ** len(self.agents) > MAX_JOINT_ACTIONS:
            raise GameError(
                f"{self.name}: {len(self.agents)} agents have more than {MAX_JOINT_ACTIONS} joint "
                "actions: use fewer agents, or install an extension that computes with formulas"
            )
        if not known:
            return super().build()
        self.actions = {agent: list(formula) for agent in self.agents}
        self.about = self.story()
        by_formula: Formulas = extension.load("formulas", next(iter(known)))
        try:
            check_names(self.agents[0], list(formula))
            return by_formula.payoffs(self.agents, formula, self.params.rounds)
        except ValueError as error:
            raise GameError(f"{self.name}: {error}") from None

    def table(self) -> MatrixParams:
        """Return the table of every joint action."""
        formula = self.formula()
        plays = product(formula, repeat=len(self.agents))
        return MatrixParams(
            name=self.title,
            about=self.story(),
            agents=list(self.agents),
            rounds=self.params.rounds,
            actions={agent: list(formula) for agent in self.agents},
            payoffs=[{"play": list(play), "pays": _pays(formula, play)} for play in plays],
        )


def _pays(formula: Formula, play: Sequence[str]) -> list[Number]:
    code = {action: k for k, action in enumerate(formula)}
    total = sum(code[action] for action in play)
    return [payoff_at(formula[action], total - code[action]) for action in play]

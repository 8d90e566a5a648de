"""Symmetric games by a formula.

All agents have the same actions, and the k-th adds k to a sum; what an agent gets depends on its
own action and on the sum of the others' (an aggregative game: Selten 1970; Corchón 1994). A game of
this kind states two lines, its actions and what each of them pays. It is played by its table, and
where that is long by the formula, if an extension plays such games.
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
"""Actions and payoffs in a table, up to which letters print it; beyond, the formula."""


@dataclass(frozen=True)
class Piece:
    """A line over a range of sums: `pays` at its first sum, and `each` more for every further one.

    Attributes:
        start: the first sum; the range goes on to the start of the next piece.
        pays: there, in the game's unit.
        each: more for each further one.
    """

    start: int
    pays: Any
    each: Any = 0


Formula = Mapping[str, Sequence[Piece]]
"""Action → what it pays, piece by piece, in terms of the sum of the others."""


class Formulas(Protocol):
    """What an extension's module knows of formulas; letters give one by a fact that it names."""

    Foresight: type[Foresight]

    def payoffs(self, agents: Sequence[str], formula: Formula, rounds: int) -> Payoffs:
        """Return what answers for a formula in place of a table.

        Raises:
            ValueError: too much is paid, or there are too many cases.
        """
        ...

    def listed(self, facts: Mapping[str, Any]) -> dict[tuple[str, ...], tuple[Fraction, ...]]:
        """Return what every joint action pays, from the facts of a letter."""
        ...


def formulas_for(facts: Mapping[str, Any]) -> Formulas | None:
    """Return what reads the formula that the facts of a letter give; None where they give none."""
    known = extension.offered("formulas")
    return next((extension.load("formulas", fact) for fact in known if facts.get(fact)), None)


def is_printed(actions: int, agents: int) -> bool:
    """Whether the table is short enough: a row for each joint action, two entries for each agent.

    >>> is_printed(actions=2, agents=4), is_printed(actions=2, agents=5)
    (True, False)
    """
    entries: int = 2 * agents * actions**agents
    return entries <= MOST_PRINTED


def payoff_at(pieces: Sequence[Piece], others: int) -> Number:
    """Return what an action pays at a sum of the others, to the nearest millionth.

    >>> paid([Piece(0, -1), Piece(3, 10, "1/3")], 5)
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
        """Return what each action pays; the k-th action adds k to the sum."""

    @abstractmethod
    def story(self) -> str:
        """Return a sentence or two for letters."""

    def build(self) -> Payoffs:
        """Few joint actions as a table; more of them by an extension, where one is installed.

        Raises:
            GameError: an action's name is none, a payoff is too large, or the table.
        """
        formula, known = self.formula(), extension.offered("formulas")
        if is_printed(len(formula), len(self.agents)):
            return super().build()
        if not known and len(formula) ** len(self.agents) > MAX_JOINT_ACTIONS:
            raise GameError(
                f"{self.name}: {len(self.agents)} agents have more than {MAX_JOINT_ACTIONS} joint "
                "actions: take fewer, or install an extension that plays formulas"
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
        """Return every joint action."""
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

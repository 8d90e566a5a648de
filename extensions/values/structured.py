"""Games whose structure gives values without a table of all coalitions, for any number of agents.

A file with `weights` has a voting game (`voting`), a file with `airport` a game of costs
(`airport`). Values of costs are what each agent pays.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from math import comb
from typing import Any

from shapley_coop.amounts import normalise
from shapley_coop.credit.coalitions import MAX_AGENTS
from shapley_coop.credit.norms import OfTable
from shapley_coop.extensions.values.airport import AirportGame, read_airport
from shapley_coop.extensions.values.voting import VotingGame, read_voting

Structured = VotingGame | AirportGame

Watch = Callable[[int, str], AbstractContextManager[Callable[[], None]]]
"""A function from a number of steps and their name to a function to call after each step."""


def unwatched(_: int, __: str) -> AbstractContextManager[Callable[[], None]]:
    """Show no progress."""
    return nullcontext(lambda: None)


def read_structured(content: Mapping[str, Any]) -> Structured | None:
    """Return the voting or airport game of a file, or None if the file has neither.

    Raises:
        ValueError: the game is invalid; the message is one line.
    """
    if "weights" in content:
        return read_voting(content)
    return read_airport(content) if "airport" in content else None


def values_by(
    game: Structured, norm: str, rule: OfTable, moved: Callable[[], None]
) -> list[Fraction]:
    """Return the agents' values, exact under the Shapley and the Banzhaf norms.

    Args:
        game: the game.
        norm: the norm's name.
        rule: the norm's function of a table, for all other norms and at most MAX_AGENTS agents.
        moved: called after each agent.

    Raises:
        ValueError: there are too many agents for this norm.
    """
    n = len(game.agents)
    if norm == "shapley":
        return game.semivalues([Fraction(1, n * comb(n - 1, size)) for size in range(n)], moved)
    if norm in ("banzhaf", "banzhaf_normalised"):
        values = game.semivalues([Fraction(1, 1 << (n - 1))] * n, moved)
        return normalise(game.total, values) if norm == "banzhaf_normalised" else values
    if norm == "nucleolus" and isinstance(game, VotingGame):
        from shapley_coop.extensions.values.voting_nucleolus import voting_nucleolus

        return voting_nucleolus(game, moved)
    if n > MAX_AGENTS:
        raise ValueError(
            f"{norm} of {n} agents: give at most {MAX_AGENTS}, or choose shapley, banzhaf, "
            "banzhaf_normalised, or for votes nucleolus"
        )
    return [game.sign * value for value in rule(game.table())]

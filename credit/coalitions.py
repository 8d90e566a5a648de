"""Coalitions as bit masks, and characteristic functions as tables.

Bit i of a mask stands for `agents[i]`, least significant bit first: with agents A, B, C the mask
0b101 is the coalition {A, C} and 0b001 is {A}.
A characteristic function v is a table of 2**n worths indexed by mask, from v(∅) to v(N).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import Number, OneNumber, exact

Floats = NDArray[np.float64]

Table = Sequence[Number] | Floats
"""A characteristic function: 2**n worths, in the game's unit, indexed by mask."""

Coalitions = NDArray[np.bool_]
"""An array of m coalitions of n agents: True at (k, i) if coalition k contains agent i."""

BatchWorth = Callable[[Coalitions], Floats]
"""A function from m coalitions to an array of their m worths, in the game's unit."""

MAX_AGENTS = 20
"""The largest number of agents of a table: 2**20 worths take 8 MB as floats."""


def members(mask: int, agents: Sequence[str]) -> tuple[str, ...]:
    """Return the agents of a coalition, in the order of `agents`."""
    return tuple(agent for i, agent in enumerate(agents) if mask >> i & 1)


def coalition_key(mask: int, agents: Sequence[str]) -> str:
    """Return a coalition as files write it, such as "A,C"; the empty coalition is ""."""
    return ",".join(members(mask, agents))


def agents_in(table: Table | NDArray[Any]) -> int:
    """Return the number of agents n of a table of 2**n worths.

    Raises:
        ValueError: the length is not 2**n for 1 ≤ n ≤ MAX_AGENTS.
    """
    n = len(table).bit_length() - 1
    if not 1 <= n <= MAX_AGENTS or len(table) != 1 << n:
        raise ValueError(
            f"a table of {len(table)} worths: 2**n are needed, one for each coalition of "
            f"1 to {MAX_AGENTS} agents"
        )
    return n


def worth_table(
    agents: Sequence[str], worth: Callable[[frozenset[str]], OneNumber]
) -> list[OneNumber]:
    """Return the table of a characteristic function that takes sets of names.

    Args:
        agents: the players; n distinct names.
        worth: the characteristic function. It is called once for each of the 2**n coalitions,
            including the empty one.

    Returns:
        2**n worths indexed by mask, of the number type that `worth` returns.

    Raises:
        ValueError: there are no agents or too many, a name repeats, or a worth is not finite.
    """
    check_agents(agents)
    if len(agents) > MAX_AGENTS:
        raise ValueError(
            f"{len(agents)} agents have 2**{len(agents)} coalitions: a table holds at most "
            f"{MAX_AGENTS} agents, sample_shapley takes any number"
        )
    table = []
    for mask in range(1 << len(agents)):
        value = worth(frozenset(members(mask, agents)))
        exact(value, f"the worth of {{{coalition_key(mask, agents)}}}")
        table.append(value)
    return table


def check_agents(agents: Sequence[str]) -> None:
    """Check that there are agents, and that their names are distinct and fit into a key.

    Raises:
        ValueError: there are no agents, or a name repeats or is invalid.
    """
    if not agents:
        raise ValueError("no agents: name at least one")
    for name in agents:
        if not isinstance(name, str) or not name or name != name.strip() or "," in name:
            raise ValueError(
                f"{name!r} is not a valid agent name: use text without commas or blanks at the ends"
            )
    if len(set(agents)) < len(agents):
        twice = next(name for name in agents if list(agents).count(name) > 1)
        raise ValueError(f"agent {twice!r} is named twice: give each agent its own name")


def rounded(values: Floats) -> list[Fraction]:
    """Return floats as fractions, rounded to 1e-9."""
    return [Fraction(round(float(value) * 10**9), 10**9) for value in values]

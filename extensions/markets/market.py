"""Markets: public holdings of goods, and each agent's private worths of the goods.

>>> worth_of([5, 3], 1), worth_of([5, 3], 4), worth_of("5/2", 4)
(Fraction(5, 1), Fraction(8, 1), Fraction(10, 1))
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from shapley_coop.amounts import MAX_AMOUNT, exact, parse_exact
from shapley_coop.games.files import read_file, read_once
from shapley_coop.games.goods import Holdings
from shapley_coop.games.params import GameError
from shapley_coop.invalid import first_error

MOST_GOODS = 12
MOST_OF_A_GOOD = 10**9
MOST_OPTIONS = 13

Amount = int | float | str
Worth = Amount | list[Amount] | dict[str, Amount]
"""An agent's worth of a good: one amount per unit, or a list by unit, with 0 beyond the list.
For an issue: count ("0", "1", …) → worth, or option → worth in a market file.
"""


def worth_of(worth: Worth, count: int) -> Fraction:
    """Return the worth of `count` units of a good, in the game's unit."""
    if isinstance(worth, dict):
        return exact(worth[str(min(count, len(worth) - 1))])
    if isinstance(worth, list):
        return sum((exact(one) for one in worth[:count]), Fraction(0))
    return exact(worth) * count


class Trader(BaseModel):
    """One agent of a market file."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    holds: dict[str, int] = Field(default={}, description="Good → the agent's count of it; public.")
    worth: dict[str, Worth] = Field(
        default={},
        description="Good → the worth of each unit, or a list: of the first, the second, … Issue "
        "→ option → its worth.",
    )
    purse: int | float | str | None = Field(default=None, description="The most that it can pay.")
    otherwise: int | float | str = Field(default=0, description="Its payoff without a division.")


class MarketFile(BaseModel):
    """A market: `agents` in speaking order; with `pool`, goods are lost unless all accept.

    An issue is played as a good of a pool. The first agent holds one unit less than there are
    options; the units that the second agent gets are the index, from 0, of the agreed option.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str = Field(default="market", description="The market's name.")
    about: str = Field(default="", description="One sentence of background story; public.")
    pool: bool = Field(
        default=False,
        description="Whether the first agent divides its goods, which are lost unless all others "
        "accept.",
    )
    issues: dict[str, list[str]] = Field(
        default={}, description="Issue → its options, of which the two agents choose one together."
    )
    agents: dict[str, Trader] = Field(
        min_length=2, description="Agent → its goods and their worth."
    )

    @model_validator(mode="after")
    def _sound(self) -> "MarketFile":
        goods = self._goods()
        for name, trader in self.agents.items():
            if unknown := set(trader.worth) - set(goods):
                raise ValueError(f"{name} values {min(unknown)}, but nobody holds it")
            for good, worth in trader.worth.items():
                self._check_worth(name, good, worth)
            if not _is_amount(trader.otherwise):
                raise ValueError(f"the value of {name} without a deal (otherwise) is not a number")
            if trader.purse is not None and not _is_amount(trader.purse, least=0):
                raise ValueError(f"the purse of {name} is not a number of 0 or more")
        if not 1 <= len(goods) <= MOST_GOODS:
            raise ValueError(f"{len(goods)} goods: give 1 to {MOST_GOODS}")
        for good in goods:
            if not good.strip() or good != good.strip() or len(good) > 32 or not _plain(good):
                raise ValueError(f"{good!r} cannot name a good: use 1 to 32 letters and spaces")
        return self

    def _goods(self) -> list[str]:
        """Return the names of all goods held and all issues, after checking holdings and issues."""
        goods = list(dict.fromkeys(good for one in self.agents.values() for good in one.holds))
        for name, trader in self.agents.items():
            for good, count in trader.holds.items():
                if not 0 <= count <= MOST_OF_A_GOOD:
                    raise ValueError(f"{name} holds {count} {good}: give 0 to {MOST_OF_A_GOOD}")
        if self.issues and len(self.agents) != 2:
            raise ValueError(f"issues are for two agents, not {len(self.agents)}")
        for issue, options in self.issues.items():
            if issue in goods:
                raise ValueError(f"{issue} is an issue, so no agent can hold it")
            if not 2 <= len(set(options)) == len(options) <= MOST_OPTIONS:
                raise ValueError(f"{issue}: give 2 to {MOST_OPTIONS} different options")
        return [*goods, *self.issues]

    def _check_worth(self, name: str, good: str, worth: Worth) -> None:
        if isinstance(worth, dict) and set(worth) != set(self.issues.get(good, ())):
            raise ValueError(f"{name} values options of {good} that do not exist")
        if good in self.issues and not isinstance(worth, dict):
            raise ValueError(f"{name} values {good}: give what each option is worth")
        told = worth.values() if isinstance(worth, dict) else worth
        if not all(map(_is_amount, [told] if isinstance(told, Amount) else told)):
            raise ValueError(f"the worth of {good} to {name} is not a number")


def _is_amount(told: int | float | str, least: int = -MAX_AMOUNT) -> bool:
    try:
        return parse_exact(told) >= least
    except ValueError:
        return False


def _plain(good: str) -> bool:
    return all(char.isalpha() or char in " -_" for char in good)


@dataclass(frozen=True)
class Market:
    """A market as the game plays it, made from a market file (`MarketFile`).

    Attributes:
        name: the name of the market.
        about: a sentence of its story.
        goods: the names of the goods, in order.
        holds: agent → good → count at the start; public.
        pool: whether goods are lost unless all others accept the first agent's division.
        worths: agent → good → its worth to the agent; private.
        purses: agent → the largest amount that it can pay in all; private.
        otherwise: agent → its payoff if a pool is not divided; private.
        issues: issue → its options. An issue is also a good; the second agent's count of it is the
            index of the agreed option.
    """

    name: str
    about: str
    goods: tuple[str, ...]
    holds: Holdings
    pool: bool
    worths: Mapping[str, Mapping[str, Worth]] = field(repr=False)
    purses: Mapping[str, Fraction] = field(default_factory=dict, repr=False)
    otherwise: Mapping[str, Fraction] = field(default_factory=dict, repr=False)
    issues: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents in speaking order."""
        return tuple(self.holds)

    @property
    def totals(self) -> dict[str, int]:
        """Good → the number of units in the market."""
        return {good: sum(own[good] for own in self.holds.values()) for good in self.goods}

    def worth(self, agent: str, held: Mapping[str, int]) -> Fraction:
        """Return the worth of these goods for an agent."""
        known = self.worths[agent]
        parts = (worth_of(known[good], held.get(good, 0)) for good in known)
        return sum(parts, Fraction(0))

    def alone(self, agent: str) -> Fraction:
        """Return an agent's payoff without a deal."""
        if self.pool:
            return self.otherwise.get(agent, Fraction(0))
        return self.worth(agent, self.holds[agent])


def market_of(content: MarketFile) -> Market:
    """Return the market that a file describes."""
    traders, issues = content.agents.items(), content.issues
    held = dict.fromkeys(good for one in content.agents.values() for good in one.holds)
    goods, first = (*held, *issues), next(iter(content.agents))
    holds = {name: {good: one.holds.get(good, 0) for good in goods} for name, one in traders}
    holds[first] |= {issue: len(options) - 1 for issue, options in issues.items()}
    return Market(
        name=content.name,
        about=content.about,
        goods=goods,
        holds=holds,
        pool=content.pool or bool(issues),
        worths={name: _worths(one, issues, name == first) for name, one in traders},
        purses={name: exact(one.purse) for name, one in traders if one.purse is not None},
        otherwise={name: exact(one.otherwise) for name, one in traders},
        issues=issues,
    )


def _worths(trader: Trader, issues: Mapping[str, list[str]], first: bool) -> dict[str, Worth]:
    """Return good → worth to an agent, with an issue's worths by the agent's count."""
    found = dict(trader.worth)
    for issue, options in issues.items():
        if isinstance(worth := found.get(issue), dict):
            by_count = [worth[option] for option in (reversed(options) if first else options)]
            found[issue] = {str(n): one for n, one in enumerate(by_count)}
    return found


def read_market(path: str | Path) -> Market:
    """Return the market in a YAML or JSON file. The file is not copied, because worths are private.

    Raises:
        GameError: the file cannot be read or is inconsistent; the one-line message shows no worth.
    """
    return read_once(path, "market file", _read)


def _read(path: Path) -> Market:
    content = read_file(path, "a market")
    if not isinstance(content, dict):
        raise GameError(f"{path}: contains no market: give agents with their goods")
    try:
        return market_of(MarketFile.model_validate(content))
    except ValidationError as error:
        raise GameError(f"{path}: {first_error(error, MarketFile)}") from None

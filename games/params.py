"""The parameters that all games have, and the errors for wrong parameters."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from shapley_coop.amounts import MICRO, exact
from shapley_coop.escaping import is_one_line
from shapley_coop.files import did_you_mean
from shapley_coop.games.baseline import Absent
from shapley_coop.games.look_alikes import find_mixed, look_alike
from shapley_coop.invalid import first_error

Number = int | float
"""An amount in the game's own unit."""


MOST_AGENTS = 1_000
"""The most agents in a game; the number is limited because every agent acts in every turn."""

EVERYONE = "everyone"
"""The name for all agents in a deal or a plan that addresses them as one."""

COUNT = "the count"
"""The name shown as proposer of a split that no agent proposed, because the run computed it."""

_ACCOUNTS = frozenset({"pot", "world", "escrow", "treasury", EVERYONE, "others", "*"})
RESERVED = _ACCOUNTS | {"summariser", "judge", COUNT}
"""Names that no agent can have: ledger accounts, words for all agents, and other roles."""


def _of_ratio(written: Any) -> Any:
    """Return the value of a ratio such as '1/4'; the value must be a multiple of a millionth."""
    if not isinstance(written, str):
        return written
    ratio = exact(written, "a payoff")
    if (ratio * MICRO).denominator != 1:
        near = f"{float(ratio):.6f}"
        raise ValueError(
            f"a payoff is {written!r}, which is not a multiple of a millionth: multiply all "
            f"payoffs by {ratio.denominator}, or give {near}"
        )
    return int(ratio) if ratio.denominator == 1 else float(ratio)


Payoff = Annotated[Number, BeforeValidator(_of_ratio)]
"""A payoff in a file: a number, or a ratio such as '1/4'."""


def is_name(text: str) -> bool:
    """Return whether a text is one visible line of 1 to 64 characters, not padded by blanks."""
    return 0 < len(text) <= 64 and text == text.strip() and is_one_line(text)


def _number_names(written: Any) -> Any:
    """Replace a number n of agents by n names; return any other value unchanged."""
    if isinstance(written, bool) or not isinstance(written, int):
        return written
    if not 2 <= written <= MOST_AGENTS:
        raise ValueError(f"{written} agents: give 2 to {MOST_AGENTS}, or their names")
    return [f"Agent{k}" for k in range(1, written + 1)]


Names = Annotated[list[str], BeforeValidator(_number_names), Field(min_length=2)]
"""Names of agents, or their number: 3 stands for Agent1, Agent2 and Agent3."""


class GameError(ValueError):
    """The error raised for an invalid game, parameter or action; one line gives the correction."""


class Params(BaseModel):
    """The parameters that every game has; a game adds its own in a subclass."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    agents: Names = Field(
        default=["Alice", "Bob"],
        description="The agents' names, in speaking order; a number n stands for Agent1 to Agentn.",
    )
    rounds: int = Field(default=1, ge=1, le=10_000, description="The number of turns.")
    absent: Absent = Field(
        default="",
        description="The baseline: one action for all, one for each agent, away, idle or random; "
        "empty: the game's own.",
    )
    worth: Literal["record", "potential"] = Field(
        default="record",
        description="The worth of a coalition: from its members' recorded actions, or the most it "
        "can secure by the rules alone.",
    )

    @field_validator("agents")
    @classmethod
    def _distinct_names(cls, agents: list[str]) -> list[str]:
        if len(agents) > MOST_AGENTS:
            raise ValueError(f"{len(agents)} agents: name at most {MOST_AGENTS}")
        for name in agents:
            if not is_name(name):
                raise ValueError(
                    f"{name!a} is not a valid agent name: 1 to 64 printable characters"
                )
        if len(agents) == 1:
            raise ValueError(f"{agents[0]} is alone: name two agents or more")
        if len(set(agents)) < len(agents):
            raise ValueError(f"agents {agents} repeat a name: give each agent its own")
        if alike := look_alike(agents):
            raise ValueError(f"{alike[0]!a} and {alike[1]!a} look alike: rename one")
        if mix := find_mixed(agents):
            raise ValueError(f"{mix!a} mixes alphabets in a word: write it in one alphabet")
        if reserved := (_ACCOUNTS | {COUNT}) & set(agents):
            raise ValueError(
                f"{sorted(reserved)} are reserved for accounts of the ledger, all agents, or "
                "nobody: choose other names"
            )
        return agents


def one_line(name: str, params: type[Params], error: ValidationError) -> str:
    """Return the fault of a game's parameters in one line."""
    first = first_error(error)
    if first.unknown:
        known = ", ".join(params.model_fields)
        meant = did_you_mean(first.where, params.model_fields).removeprefix(":")
        return f"{name} has no parameter {first.where!r}: it has {known}{meant and f';{meant}'}"
    return f"{name}: parameter {first}" if first.where else f"{name}: {first}"

"""Read-only tools for models: over public facts and the caller's own secrets."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from shapley_coop.state.turn import TurnContext


@dataclass(frozen=True)
class PublicTool:
    """One tool.

    Attributes:
        name: as it is called.
        description: for the model.
        arguments: what it takes.
        run: computes; the answer is in words.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[BaseModel], str]


def tools_of(turn: TurnContext, agent: str) -> tuple[PublicTool, ...]:
    """The tools that an agent may call now."""
    return ()

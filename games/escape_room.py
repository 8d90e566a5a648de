"""Escape Room: one agent must pull a lever, at a cost, so that another wins a prize."""

from typing import ClassVar

from pydantic import Field, model_validator

from shapley_coop.games.baseline import AWAY, Absent
from shapley_coop.games.params import Number, Params
from shapley_coop.games.symmetric import Formula, Piece, SymmetricGame
from shapley_coop.games.turns import Position, Step


class EscapeRoomParams(Params):
    """The payoffs of the game and the names of its actions."""

    prize: Number = Field(default=10, description="Each agent's reward at the open door.")
    cost: Number = Field(default=1, description="The cost that every other agent bears.")
    levers: int = Field(default=1, ge=1, description="How many must pull to open the door.")
    door: str = Field(default="door", description="The name of the action at the door.")
    lever: str = Field(default="lever", description="The name of the action at the lever.")
    absent: Absent = Field(default=AWAY, description="The baseline.")

    @model_validator(mode="after")
    def _escapable(self) -> "EscapeRoomParams":
        if self.door == self.lever:
            raise ValueError(f"door and lever are both {self.door!r}: give them different names")
        if self.levers >= len(self.agents):
            raise ValueError(f"{self.levers} levers leave nobody at the door: give at most n - 1")
        return self


class EscapeRoom(SymmetricGame):
    """The players are locked in; the door opens while enough of them pull the lever.

    With the defaults: (door, door) and (lever, lever) pay −1 each, (door, lever) pays 10 and −1;
    v(i) = −1, v(N) = 9 and φ = 4.5 each, so the agent at the door owes the other 5.5.
    """

    name = "escape_room"
    title = "Escape Room"
    goal = "escaped"
    Params: ClassVar[type[Params]] = EscapeRoomParams
    params: EscapeRoomParams  # type: ignore[assignment]

    def story(self) -> str:
        """Return the game's story, as letters tell it."""
        return (
            f"You are locked in. The door opens while {self.params.levers} or more pull the "
            "lever; only who stands at the open door gets out."
        )

    def formula(self) -> Formula:
        """Return the payoffs by the number of other agents that pull a lever."""
        p = self.params
        return {
            p.door: [Piece(0, -p.cost), Piece(p.levers, p.prize)],
            p.lever: [Piece(0, -p.cost)],
        }

    def step(self, position: Position, actions: dict[str, str]) -> Step:  # type: ignore[override]
        """Return the table's payoffs; an effect also names the agents that escaped."""
        after = super().step(position, actions)
        pulls = sum(action == self.params.lever for action in actions.values())
        out = [a for a, action in actions.items() if action == self.params.door]
        if pulls < self.params.levers or not out:
            return after
        escaped = {"effect": "escaped", "agents": out}
        return Step(after.position, after.rewards, effects=[*after.effects, escaped])


GAME = EscapeRoom

"""The arguments and results of the tools, whose JSON schemas go to models."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop import games
from shapley_coop.graphs import names


class Asked(BaseModel):
    """Arguments of a tool; an unknown key is refused by name."""

    model_config = ConfigDict(extra="forbid")


class Negotiation(Asked):
    """The game to play, its workflow and its seats."""

    game: str | dict[str, Any] = Field(
        default="escape_room",
        description="A game's name, or a table of payoffs: {name, agents, actions: {agent: "
        "[action]}, payoffs: [{play: [an action each], pays: [a number each]}]}.",
        examples=games.names(),
    )
    workflow: str = Field(
        default="shapley_coop",
        description="The workflow, which sets how agents bargain.",
        json_schema_extra={"enum": list(names())},
    )
    seed: int = 0
    model: str = Field(
        default="embedded:rational", description="provider:name: the model at every seat."
    )
    seats: dict[str, str] = Field(
        default={}, description="Agent → another model, or 'human' for a person."
    )
    params: dict[str, Any] = Field(default={}, description="The game's parameters.")
    rounds: int | None = Field(default=None, ge=1, le=50, description="Rounds of talk.")
    wait: float = Field(default=50, ge=0, le=600, description="Seconds to wait for the end.")

    def room(self) -> dict[str, Any]:
        """Return the run's configuration, as JSON.

        Raises:
            ValueError: there is no such workflow.
        """
        if self.workflow not in names():
            raise ValueError(f"workflow: choose from {', '.join(names())}")
        given = {"game": self.game, "params": self.params, "seed": self.seed}
        seats = {"*": {"model": self.model}}
        seats |= {agent: {"model": model} for agent, model in self.seats.items()}
        rounds = {} if self.rounds is None else {"rounds": self.rounds}
        return {**given, "seats": seats, **rounds}


class Said(BaseModel):
    """A public message."""

    by: str
    text: str


class Transferred(BaseModel):
    """A payment at the end."""

    payer: str
    payee: str
    amount: float

    @classmethod
    def read(cls, transfer: Mapping[str, Any]) -> "Transferred":
        """Make a payment from a transfer of a result."""
        return cls(**{key: transfer[key] for key in cls.model_fields})


class Report(BaseModel):
    """The state of a run; amounts are in the game's unit."""

    run: str
    state: str = Field(description="started, waiting (for people), ended or failed.")
    status: str | None = Field(
        default=None, description="The outcome of an ended run: agreed, no_deal, …"
    )
    why: str | None = None
    waits_for: dict[str, str] | None = Field(default=None, description="Agent → its seat.")
    simulated: bool | None = Field(default=None, description="Whether embedded agents played.")
    happened: list[str] = []
    contract: str | None = None
    talk: list[Said] = []
    rewards: dict[str, float] | None = None
    transfers: list[Transferred] = []
    payoffs: dict[str, float] | None = None
    values: dict[str, float] | None = Field(
        default=None,
        description="Shapley values: gains beyond the baseline; payoffs include the baseline.",
    )


class ContractToCheck(Asked):
    """A contract, and the game that it is written for."""

    clauses: list[dict[str, Any]] = Field(
        description="Clauses, as in an offer: {kind: do, agent, action}, {kind: pay, payer, payee, "
        "amount}, {kind: give, giver, receiver, good, quantity}, {kind: share, fractions}, …",
        min_length=1,
    )
    game: str | dict[str, Any]
    params: dict[str, Any] = {}
    enforcement: Literal["notional", "enforced", "escrow"] = "enforced"
    deposit: str = Field(
        default="", description="Each party's deposit; if empty, a sufficient one."
    )


class Wrong(BaseModel):
    """A fault that forbids signing a contract."""

    label: str
    why: str


class PartyTo(BaseModel):
    """A contract's effect on one party's incentives."""

    individually_rational: bool
    best_response: bool
    dominant: bool


class Checked(BaseModel):
    """The findings about a contract."""

    sound: bool
    faults: list[Wrong]
    parties: dict[str, PartyTo] = {}
    words: str


class CreditAsked(Asked):
    """An ended run, or agents and the worth of each coalition."""

    run: str = ""
    norm: str = Field(default="shapley", description="A norm: shapley, equal, …")
    agents: list[str] = []
    worth: dict[str, float] = Field(default={}, description='{"A": 0, "B": 0, "A,B": 9}')


class Credit(BaseModel):
    """Values; for a run, also the baseline and the payoffs due."""

    norm: str
    method: str | None = Field(default=None, description="exact or sampled.")
    values: dict[str, float]
    standard_error: dict[str, float] | None = None
    baseline: str | None = None
    warning: str | None = None
    improvement: float | None = None
    alone: dict[str, float] | None = None
    marginal: dict[str, float] | None = None
    due: dict[str, float] | None = Field(default=None, description="Baseline plus value.")
    payoff: dict[str, float] | None = None


class VerifyAsked(Asked):
    """The run to verify."""

    run: str


class OneCheck(BaseModel):
    """The result of recomputing one part of a run."""

    what: str
    sound: bool
    found: str


class Verified(BaseModel):
    """Whether all results of a run follow from its record and database."""

    run: str
    sound: bool
    checks: list[OneCheck]


class RunsAsked(Asked):
    """One run by its name, or the newest runs."""

    run: str = ""
    game: str = Field(default="", description="Only runs of this game.")
    limit: int = Field(default=20, ge=1, le=100)


class RunLine(BaseModel):
    """One line of a list of runs."""

    run: str
    game: str
    graph: str
    seed: int | None = None
    created: str
    state: str
    status: str | None = None


class Runs(BaseModel):
    """Runs, newest first; of a run given by name, also the state."""

    runs: list[RunLine]
    report: Report | None = None

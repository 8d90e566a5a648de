"""The arguments and results of the tools, whose JSON schemas go to models."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop import games
from shapley_coop.graphs import names


class Asked(BaseModel):
    """Arguments; a key that a tool does not know is refused by name."""

    model_config = ConfigDict(extra="forbid")


class Negotiation(Asked):
    """What to play."""

    game: str | dict[str, Any] = Field(
        default="escape_room",
        description="A game's name, or a table of payoffs: {name, agents, actions: {agent: "
        "[action]}, payoffs: [{play: [an action each], pays: [a number each]}]}.",
        examples=games.names(),
    )
    workflow: str = Field(
        default="shapley_coop",
        description="How they talk.",
        json_schema_extra={"enum": list(names())},
    )
    seed: int = 0
    model: str = Field(default="embedded:rational", description="provider:name, at every seat.")
    seats: dict[str, str] = Field(
        default={}, description="Agent → another model, or 'human' for a person."
    )
    params: dict[str, Any] = Field(default={}, description="The game's parameters.")
    rounds: int | None = Field(default=None, ge=1, le=50, description="Of talk.")
    wait: float = Field(default=50, ge=0, le=600, description="Seconds to wait for the end.")

    def room(self) -> dict[str, Any]:
        """Return the run's configuration, as JSON.

        Raises:
            ValueError: there is no such workflow.
        """
        if self.workflow not in names():
            raise ValueError(f"workflow: there are {', '.join(names())}")
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
    """How a run stands; amounts are in the game's unit."""

    run: str
    state: str = Field(description="started, waiting (for people), ended or failed.")
    status: str | None = Field(default=None, description="Of an ended run: agreed, no_deal, …")
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
        description="Shapley values: gains beyond the baseline, which payoffs include.",
    )


class ContractToCheck(Asked):
    """A contract, and the game that it is written for."""

    clauses: list[dict[str, Any]] = Field(
        description="As in an offer: {kind: do, agent, action}, {kind: pay, payer, payee, amount}, "
        "{kind: give, giver, receiver, good, quantity}, {kind: share, fractions} and so on.",
        min_length=1,
    )
    game: str | dict[str, Any]
    params: dict[str, Any] = {}
    enforcement: Literal["notional", "enforced", "escrow"] = "enforced"
    deposit: str = Field(default="", description="Of each party; empty for as much as is needed.")


class Wrong(BaseModel):
    """Why a contract is not to be signed."""

    label: str
    why: str


class PartyTo(BaseModel):
    """What a contract does to one party's incentives."""

    individually_rational: bool
    best_response: bool
    dominant: bool


class Checked(BaseModel):
    """What was found out about a contract."""

    sound: bool
    faults: list[Wrong]
    parties: dict[str, PartyTo] = {}
    words: str


class CreditAsked(Asked):
    """An ended run; or agents and what each coalition of them earns."""

    run: str = ""
    norm: str = Field(default="shapley", description="shapley, banzhaf, nucleolus, equal, …")
    agents: list[str] = []
    worth: dict[str, float] = Field(default={}, description='{"A": 0, "B": 0, "A,B": 9}')


class Credit(BaseModel):
    """Values; of a run also what they are compared with and what they come to."""

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
    """Which run."""

    run: str


class OneCheck(BaseModel):
    """One thing that was recomputed."""

    what: str
    sound: bool
    found: str


class Verified(BaseModel):
    """Whether everything that a run states is what its record and books give."""

    run: str
    sound: bool
    checks: list[OneCheck]


class RunsAsked(Asked):
    """One run by name, or the newest."""

    run: str = ""
    game: str = Field(default="", description="Of this game.")
    limit: int = Field(default=20, ge=1, le=100)


class RunLine(BaseModel):
    """A run in a line."""

    run: str
    game: str
    graph: str
    seed: int | None = None
    created: str
    state: str
    status: str | None = None


class Runs(BaseModel):
    """Runs, newest first; of a run that was named, how it stands."""

    runs: list[RunLine]
    report: Report | None = None

"""The table: what all agents may know. It is the shared, checkpointed state of every workflow.

Plain JSON throughout. Nothing private has a key here: drafts and reasoning wait in the operator's
journal, and the table holds a pointer, the attempt and the label of the fault.
"""

from typing import Annotated, Any, Literal, NotRequired

from langgraph.channels import DeltaChannel, EphemeralValue
from pydantic import BaseModel, Field, field_validator
from typing_extensions import TypedDict

from shapley_coop.deals.contract import Contract
from shapley_coop.deals.language.deal import Offer
from shapley_coop.games import Position, Turn
from shapley_coop.seats.records import Pointer
from shapley_coop.state.reducers import (
    Folded,
    add_up,
    gather,
    gather_drafts,
    keep_by_id,
    keep_by_turn,
    latest,
)
from shapley_coop.state.run_config import RunConfig

Status = Literal["open", "agreed", "no_deal", "no_play", "unreadable", "error", "budget"]

SNAPSHOT_EVERY = 10_000
"""Above the turns expected, so that checkpoints grow with the events and not their square."""


class PublicMessage(TypedDict):
    """One public message."""

    id: str  # m1, m2, …
    topic: str  # the bargaining it belongs to
    turn: int  # the turn it was said before
    round: int
    by: str
    act: Literal["propose", "accept", "reject", "leave", "pass", "claim", "write"]
    text: str  # the speech; escaped wherever it is delivered
    deal: NotRequired[dict[str, Any]]  # the offer or counter-offer made in it
    puts: NotRequired[int]  # the revision under which that offer came to stand
    about: NotRequired[int]  # the revision that it accepts, rejects or leaves
    to: NotRequired[str]  # who alone heard it
    meeting: NotRequired[int]  # in which of several it was said
    label: NotRequired[str]  # of the fault that ended in a pass
    repairs: NotRequired[list[str]]  # what was repaired in reading it, in words
    more: NotRequired[dict[str, Any]]  # extension → what it adds to the offer or acceptance


class Acceptance(TypedDict):
    """What an acceptance binds to: the offer that its author's letter showed."""

    revision: int
    hash: str


class AgentOutput(TypedDict):
    """What one agent answered, ready for the table."""

    act: Literal[
        "propose", "accept", "reject", "leave", "pass", "claim", "write", "act", "think", "vote"
    ]
    text: str
    choice: NotRequired[str]  # of a delegate
    part: NotRequired[str]  # of the total, claimed
    deal: NotRequired[dict[str, Any]]
    label: NotRequired[str]
    accepts: NotRequired[Acceptance]
    repairs: NotRequired[list[str]]  # what was repaired in reading it, in words
    pointer: NotRequired[Pointer]
    more: NotRequired[dict[str, Any]]  # extension → what it adds to what is said


class Draft(TypedDict):
    """One agent's latest draft: where it waits in the journal, and whether it counts."""

    at: str  # the asking it belongs to: topic, act, round and turn
    attempt: int  # from 1; 0 if the seat was never asked
    sound: bool  # whether it counts; otherwise it is to be validated, or was refused
    pointer: NotRequired[Pointer]  # absent if the seat was never asked
    label: NotRequired[str]  # of the fault it was refused for, or of the pass it ended in


class Reasoned(TypedDict):
    """Where one agent's reasoning before one bargaining waits in the journal."""

    id: str  # turn and agent
    turn: int  # the turn it was worked out before
    agent: str
    pointer: Pointer


class Spent(TypedDict, total=False):
    """What one phase cost: wall time in seconds, and calls and tokens per agent."""

    seconds: float
    agents: dict[str, dict[str, int]]  # agent → calls, input_tokens, output_tokens, refused


class Accounts(TypedDict):
    """Where the money stands before the last bargaining, in the game's unit, exact."""

    total: str
    earned: dict[str, str]
    as_signed: dict[str, str]  # as earned, where contracts are not enforced


class Result(TypedDict, total=False):
    """What a workflow returns: how it ended, and all that its results and measures follow from.

    All else of the table stays in the thread. The summary that `play` returns is made of it
    (`state.result`).
    """

    episode: str
    """The id of one play with its settlement; every fork keeps it, one from before `open`, too.
    Written by `open`."""

    agents: list[str]
    """The agents, in speaking order. Written by `open`."""

    status: Status
    """How the run stands. Written by `open`, `settle` and `fail`."""

    outcome: dict[str, Any] | None
    """What all earned, paid and end up with, for readers: amounts are in the game's unit. Written
    by `settle`."""

    contract: Contract | None
    """The one contract that stands, with its amendments. Written by `summarize` and `clear`."""

    amendments: list[dict[str, Any]]
    """What was amended, chained by hash. Written by `open` and `summarize`."""

    record: Annotated[
        list[Turn], DeltaChannel(keep_by_turn, list, snapshot_frequency=SNAPSHOT_EVERY)
    ]
    """The append-only trajectory: actions, rewards, effects. Written by `swap`, `step` and
    `mediate`."""

    talk: Annotated[
        list[PublicMessage], DeltaChannel(keep_by_id, list, snapshot_frequency=SNAPSHOT_EVERY)
    ]
    """Every public message. Written by `validate`, `respond`, `speak`, `tally`, `write`, `count`,
    `put_count`, `clear`, `collect_claims`, `deliver` and `judge`."""

    settings: dict[str, Any]
    """The run's configuration, resolved, without secrets. Written by `open`."""

    position: Position
    """Where the game stands. Written by `open`, `call`, `swap`, `step` and `mediate`."""

    claims: Annotated[dict[str, str], Folded(dict, gather)]
    """Agent → the part of the total it says it earned. Written by `collect_claims`."""

    reckoning: dict[str, Any] | None
    """Outcome, marginal contributions and values from the record, and under `skipped` why no
    bargaining followed. Written by `attribute`."""

    lapsed: str | None
    """Why what all had accepted binds nobody. Written by `write` and `count`. Cleared by
    `convene` and `summarize`."""

    settlement: dict[str, Any] | None
    """Who ends up with what, and why, for the ledger: amounts are millionths of the game's unit.
    Written by `settle`."""

    spent: Annotated[dict[str, Spent], Folded(dict, add_up)]
    """Cost by phase (negotiation, action, settlement). Written by every node that asks or
    validates, and by `check`."""


class Table(Result, total=False):
    """What every workflow's table holds. Each key: what it is; who writes it; when it is cleared.

    Nodes are named as any workflow has them, extensions' too; `X` stands for `X_split` as well,
    and `open` clears what an earlier play left. Keys that one workflow alone needs are in a
    subclass of this (`WorkflowBuilder(state=…)`).
    """

    aside: dict[str, Any]
    """Extension → what it keeps at the table. Written by `open`."""

    thoughts: Annotated[dict[str, Pointer], Folded(dict, gather)]
    """Agent → where its reasoning waits in the journal. Written by `reason` and `consider`. Cleared
    by `convene`."""

    reasoned: Annotated[
        list[Reasoned], DeltaChannel(keep_by_id, list, snapshot_frequency=SNAPSHOT_EVERY)
    ]
    """Where all reasoning of the run waits, for evaluation after it. Written by `reason`."""

    notes: Annotated[dict[str, Pointer], Folded(dict, gather)]
    """Agent → where its latest notes wait in the journal. Written by `reason`,
    `consider`, and whatever node reads an answer that holds notes."""

    drafts: Annotated[dict[str, Draft], Folded(dict, gather_drafts)]
    """Agent → its latest draft. Written by every node that asks or validates. Entries of an earlier
    asking are dropped by the first of a later one, and are ignored until then."""

    sealed: Annotated[dict[str, AgentOutput], Folded(dict, gather)]
    """Agent → its sealed action of this turn, or its sealed orders. Written by `act` and `bid`.
    Cleared by `step`, `mediate` and `clear`; not where the budget ended the run before the turn."""

    answers: Annotated[dict[str, AgentOutput], Folded(dict, gather)]
    """Agent → its answer, signature, vote or claim, until those of all are in. Written by `answer`,
    `sign`, `elect`, `ratify`, `claim` and `speak`. Cleared by `tally`, `count`, `delegate`,
    `collect_claims`, `deliver` and `convene`."""

    round: Annotated[int, Folded(int, latest)]
    """The round of talk, from 1; in a task exchange the turn of talk. Written by `open`, `convene`,
    `collect_plans`, `tally`, `pass_on`, `count`, `pair` and `deliver`."""

    speaker: str
    """Whose turn it is to speak. Written by `open`, `convene`, `delegate`, `put_count`, `tally` and
    `pass_on`."""

    revision: int
    """The number of the latest offer of this bargaining. Written by `open`, `convene`, `validate`,
    `put_count`, `respond`, `speak`, `tally`, `write`, `count`, `deliver` and `clear`."""

    offer: Offer | None
    """The offer that stands. Written by `validate`, `respond`, `speak`, `tally`, `pass_on`,
    `write`, `count` and `put_count`. Cleared by `convene`, `validate`, `tally`, `pass_on`,
    `write`, `count`, `check` and `summarize`."""

    verdict: str
    """What the latest node found, by which its page branches. Written by `open`, `convene`,
    `collect_reasons`, `collect_plans`, `collect_claims`, `attribute`, `validate`, `speak`, `check`,
    `tally`, `pass_on`, `write`, `group`, `delegate`, `count`, `clear`, `deliver`, `swap`,
    `step` and `mediate`."""

    negotiators: list[str]
    """Who bargains, where not all agents do. Written by `delegate`."""

    accounts: Accounts | None
    """Where the money stands before the last bargaining. Written by `account`."""

    asked: list[str]
    """Who is asked. Only in the payload of a `Send`; never stored."""

    concurrent_agents: list[str]
    """Who else is asked at the same time. Only in the payload of a `Send`; never stored."""


class Opening(BaseModel):
    """The input of every workflow. An empty one plays by the context, or by the defaults."""

    room: RunConfig | None = Field(
        default=None,
        title="Run configuration",
        description="What to play; what it does not set is the context's, else the default.",
    )
    # Of this input alone: one that was refused leaves none to the next.
    idempotency_key: Annotated[str, EphemeralValue] = Field(
        default="",
        max_length=200,
        title="Idempotency key",
        description="A name for this request, of your own: given again on the same thread it plays "
        "and pays nothing twice, and another request under it is refused.",
    )

    @field_validator("room", mode="before")
    @classmethod
    def _of_any_workflow(cls, room: Any) -> Any:
        """A configuration that a program made, whichever workflow it had in mind."""
        return room.model_dump(exclude_unset=True) if isinstance(room, RunConfig) else room

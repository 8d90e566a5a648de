"""The table: the shared, checkpointed state of every workflow, which all agents may know.

The table is plain JSON and holds nothing private. Answers and reasoning are in the operator's
journal; the table has only pointers to them, numbers of attempts, and labels of faults.
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
)
from shapley_coop.state.run_config import RunConfig

Status = Literal["open", "agreed", "no_deal", "no_play", "unreadable", "error", "budget"]

SNAPSHOT_EVERY = 10_000
"""Updates between full copies of a key; more than any run has, so that no copies are stored."""


class PublicMessage(TypedDict):
    """One public message in the talk."""

    id: str  # m1, m2, …
    topic: str  # the bargaining to which the message belongs
    turn: int  # the turn before which the agent spoke
    round: int
    by: str
    act: Literal["propose", "accept", "reject", "leave", "pass", "claim", "write"]
    text: str  # the unescaped speech; letters and the viewer escape this text
    deal: NotRequired[dict[str, Any]]  # the offer or counter-offer in the message
    puts: NotRequired[int]  # the revision of that offer
    about: NotRequired[int]  # the revision that the message accepts, rejects or leaves
    to: NotRequired[str]  # the only agent that heard the message
    meeting: NotRequired[int]  # the number of the meeting, if several are held
    label: NotRequired[str]  # the label of the fault that ended in a pass
    repairs: NotRequired[list[str]]  # the parser's repairs of the message, in words
    more: NotRequired[dict[str, Any]]  # extension → its addition to the offer or acceptance


class Acceptance(TypedDict):
    """The offer that an acceptance accepts, which is the one that its author's letter showed."""

    revision: int
    hash: str


class AgentOutput(TypedDict):
    """One agent's answer, as it is written to the table."""

    act: Literal[
        "propose", "accept", "reject", "leave", "pass", "claim", "write", "act", "think", "vote"
    ]
    text: str
    choice: NotRequired[str]  # the delegate that the agent votes for
    part: NotRequired[str]  # the claimed part of the total
    deal: NotRequired[dict[str, Any]]
    label: NotRequired[str]
    accepts: NotRequired[Acceptance]
    repairs: NotRequired[list[str]]  # the parser's repairs of the answer, in words
    pointer: NotRequired[Pointer]
    more: NotRequired[dict[str, Any]]  # extension → its addition to the answer


class Draft(TypedDict):
    """A note on one agent's latest answer: where it is in the journal, and whether it is valid."""

    at: str  # the answered question: topic, act, round and turn
    attempt: int  # the number of the attempt, from 1; 0 if the seat was never asked
    sound: bool  # False if the draft was refused or is not validated yet
    pointer: NotRequired[Pointer]  # absent if the seat was never asked
    label: NotRequired[str]  # the label of the fault in the draft, or of the resulting pass


class Reasoned(TypedDict):
    """The pointer to one agent's reasoning before one bargaining."""

    id: str  # "TURN.AGENT"
    turn: int  # the turn before which the agent reasoned
    agent: str
    pointer: Pointer


class Spent(TypedDict, total=False):
    """The cost of one phase: wall time in seconds, and calls and tokens per agent."""

    seconds: float
    agents: dict[str, dict[str, int]]  # agent → calls, input_tokens, output_tokens, refused


REFUSED = "refused_"
"""The prefix of keys in an agent's cost: this prefix + a fault's label → number of refusals."""


class Accounts(TypedDict):
    """The exact amounts over which the last bargaining is held, in the game's unit."""

    total: str
    earned: dict[str, str]
    as_signed: dict[str, str]  # payoffs under the contract, or `earned` if it is not enforced


class Result(TypedDict, total=False):
    """The output of a workflow: its status, and the keys from which results are computed.

    The table's other keys stay in the thread. `state.result` makes the summary that `play`
    returns from these keys.
    """

    episode: str
    """The id of one play with its settlement; all forks share it, even forks from before `open`.
    Written by `open`."""

    agents: list[str]
    """The agents, in speaking order. Written by `open`."""

    status: Status
    """The run's status. Written by `open`, `settle` and `fail`."""

    outcome: dict[str, Any] | None
    """Rewards, transfers and payoffs for readers: amounts are in the game's unit. Written
    by `settle`."""

    contract: Contract | None
    """The contract in force, with its amendments. Written by `summarize` and `clear`."""

    amendments: list[dict[str, Any]]
    """The amendments, chained by hash. Written by `open` and `summarize`."""

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
    """The run's resolved configuration, without secrets. Written by `open`."""

    position: Position
    """The game's position. Written by `open`, `swap`, `step` and `mediate`."""

    claims: Annotated[dict[str, str], Folded(dict, gather)]
    """Agent → its claimed part of the total. Written by `collect_claims`."""

    reckoning: dict[str, Any] | None
    """Outcome, marginal contributions and values from the record; under `skipped` the reason if
    no bargaining followed. Written by `attribute`."""

    lapsed: str | None
    """The reason why an accepted offer is not binding. Written by `write` and `count`. Cleared by
    `convene` and `summarize`."""

    settlement: dict[str, Any] | None
    """The settlement for the ledger: amounts are millionths of the game's unit.
    Written by `settle`."""

    spent: Annotated[dict[str, Spent], Folded(dict, add_up)]
    """Cost by phase (negotiation, action, settlement). Written by every node that asks or
    validates, and by `check`."""


class Table(Result, total=False):
    """The state of every workflow; each key's docstring names the nodes that write and clear it.

    They name nodes of all workflows, including those of extensions. `X` also stands for
    `X_split`. `open` also clears the keys of an earlier play. Keys that only one workflow needs are
    in a subclass of this class (`WorkflowBuilder(state=…)`).
    """

    aside: dict[str, Any]
    """Extension → its own data at the table. Written by `open`."""

    thoughts: Annotated[dict[str, Pointer], Folded(dict, gather)]
    """Agent → the pointer to its reasoning. Written by `reason` and `consider`. Cleared
    by `convene`."""

    reasoned: Annotated[
        list[Reasoned], DeltaChannel(keep_by_id, list, snapshot_frequency=SNAPSHOT_EVERY)
    ]
    """The pointers to all reasoning of the run, for later evaluation. Written by `reason`."""

    notes: Annotated[dict[str, Pointer], Folded(dict, gather)]
    """Agent → the pointer to its latest notes. Written by `reason`,
    `consider`, and whatever node reads an answer that holds notes."""

    drafts: Annotated[dict[str, Draft], Folded(dict, gather_drafts)]
    """Agent → its latest draft. Written by every node that asks or validates. Drafts of an earlier
    question are ignored, and the first draft for a later question removes them."""

    sealed: Annotated[dict[str, AgentOutput], Folded(dict, gather)]
    """Agent → its sealed action of this turn, or its sealed orders. Written by `act` and `bid`.
    Cleared by `step`, `mediate` and `clear`; not if the budget ended the run before the turn."""

    answers: Annotated[dict[str, AgentOutput], Folded(dict, gather)]
    """Agent → its answer, signature, vote or claim, until all have arrived. Written by `answer`,
    `sign`, `elect`, `ratify`, `claim` and `speak`. Cleared by `tally`, `count`, `delegate`,
    `collect_claims`, `deliver` and `convene`."""

    round: int
    """The round of talk, from 1; where agents speak in turn, the turn of talk. Written by `open`,
    `convene`, `collect_plans`, `tally`, `pass_on`, `count`, `pair` and `deliver`."""

    speaker: str
    """The current speaker. Written by `open`, `convene`, `delegate`, `put_count`, `tally` and
    `pass_on`."""

    revision: int
    """The latest offer's number in this run. Written by `open`, `validate`, `put_count`,
    `respond`, `speak`, `tally`, `write`, `count`, `deliver` and `clear`."""

    offer: Offer | None
    """The current offer. Written by `validate`, `respond`, `speak`, `tally`, `pass_on`,
    `write`, `count` and `put_count`. Cleared by `convene`, `validate`, `tally`, `pass_on`,
    `write`, `count`, `check` and `summarize`."""

    verdict: str
    """The latest node's verdict, which selects the next edge. Written by `open`, `convene`,
    `attribute`, `validate`, `speak`, `check`, `tally`, `pass_on`, `write`, `group`, `delegate`,
    `count`, `clear`, `deliver`, `swap`, `step` and `mediate`."""

    negotiators: list[str]
    """The agents that bargain, if only some do. Written by `delegate`."""

    accounts: Accounts | None
    """The amounts before the last bargaining. Written by `account`."""

    asked: list[str]
    """The agents to ask. Only in the payload of a `Send`; never stored."""

    concurrent_agents: list[str]
    """Other agents, asked in parallel. Only in the payload of a `Send`; never stored."""


class Opening(BaseModel):
    """The input of every workflow; if it is empty, the context and the defaults set the run."""

    room: RunConfig | None = Field(
        default=None,
        title="Run configuration",
        description="The run's configuration. Settings that it leaves out come from the context, "
        "or else from the defaults.",
    )
    # Not stored, so that a refused input's key does not apply to the next input.
    idempotency_key: Annotated[str, EphemeralValue] = Field(
        default="",
        max_length=200,
        title="Idempotency key",
        description="Your own idempotency key for this request. On the same thread, a repeated "
        "request plays and pays nothing twice; another request with the key is refused.",
    )

    @field_validator("room", mode="before")
    @classmethod
    def _of_any_workflow(cls, room: Any) -> Any:
        """Return a `RunConfig` as plain data, so that any workflow's subclass is accepted."""
        return room.model_dump(exclude_unset=True) if isinstance(room, RunConfig) else room

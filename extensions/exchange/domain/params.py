"""The parameters of task exchange."""

from pydantic import Field

from shapley_coop.games.params import Params


class TaskExchangeParams(Params):
    """The tasks, the agents' preferences, and the limits of the protocol."""

    scenario: str = Field(
        default="paper_cooperative",
        description="paper_cooperative, paper_competitive, a scenario file, or 'generated'.",
    )
    variant: int = Field(default=0, ge=0, description="Seed of utilities that the paper omits.")
    records: str = Field(
        default="", description="A file of TaskBench records, whose calls are the tasks."
    )
    ids: list[str] = Field(default=[], description="Ids of records; by default drawn by seed.")
    tools: str = Field(default="", description="A tool catalogue for the records' calls.")
    atoms: int = Field(
        default=6, ge=2, le=100_000, description="Number of tasks to generate or draw."
    )
    additive: bool = Field(
        default=False,
        description="Generated: whether a set is worth the sum of its tasks, which allows more "
        "than 16 tasks.",
    )
    competition: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Generated or drawn: how similar the agents' preferences are.",
    )
    failures: float = Field(default=0, ge=0, le=1, description="Probability that a call fails.")
    talk: int = Field(default=10, ge=2, le=1000, description="Turns of talk; the first is private.")
    attempts: int = Field(
        default=5, ge=1, le=50, description="Invalid messages in one turn that end the talk."
    )
    exact: bool = Field(default=False, description="Whether proposals are read without repairs.")
    rounds: int = Field(default=40, ge=1, le=1000, description="Most turns of transfers and work.")

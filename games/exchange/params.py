"""The parameters of task exchange."""

from pydantic import Field

from shapley_coop.games.params import Params


class TaskExchangeParams(Params):
    """The tasks, the agents' tastes, and the limits of the protocol."""

    scenario: str = Field(
        default="paper_cooperative",
        description="paper_cooperative, paper_competitive, a scenario file, or 'generated'.",
    )
    variant: int = Field(
        default=0, ge=0, description="Seed of the utilities that the paper does not print."
    )
    records: str = Field(default="", description="A file of TaskBench records to trade over.")
    ids: list[str] = Field(default=[], description="Which records; empty draws them by seed.")
    tools: str = Field(default="", description="A tool catalogue for the records' calls.")
    atoms: int = Field(
        default=6, ge=2, le=100_000, description="Generated or drawn: how many tasks."
    )
    additive: bool = Field(
        default=False,
        description="Generated: a set of tasks is worth the sum of its tasks, so that there can be "
        "more than 16.",
    )
    competition: float = Field(
        default=0.5, ge=0, le=1, description="Generated or drawn: how alike the tastes are."
    )
    failures: float = Field(default=0, ge=0, le=1, description="How likely a simulated call fails.")
    talk: int = Field(default=10, ge=2, le=1000, description="Turns of talk, the first private.")
    attempts: int = Field(default=5, ge=1, le=50, description="Invalid proposals that end a run.")
    rounds: int = Field(default=40, ge=1, le=1000, description="Most turns of handing over, work.")

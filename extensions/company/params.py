"""The parameters of a software company."""

from typing import Any

from pydantic import Field, field_validator

from shapley_coop.earned_value import WEIGHTS, Weights
from shapley_coop.extensions.company.artefacts import PHASES, ROLES
from shapley_coop.extensions.company.task import read_task
from shapley_coop.games.params import Number, Params


class SoftwareCompanyParams(Params):
    """The parameters of a software company: roles, rounds, task, phases, bounty and weights."""

    agents: list[str] = Field(default=list(ROLES), min_length=2, description="The roles that play.")
    rounds: int = Field(default=1, ge=1, le=50, description="How often all four phases are run.")
    task: str | dict[str, Any] = Field(
        default="bmi",
        validate_default=True,
        description="A task: its name, its file, the file's content, or a description in words.",
    )
    phases: dict[str, int] = Field(
        default={"design": 1, "coding": 2, "testing": 2, "documentation": 1},
        description="Phase → its number of turns, in the order of the phases.",
    )
    bounty: Number = Field(
        default=100, gt=0, le=10**9, description="The reward that is paid once all checks pass."
    )
    currency: str = Field(default="", max_length=16, description="The bounty's currency.")
    weights: Weights = Field(
        default=WEIGHTS, description="Kind of artefact → its lowest and highest weight, in percent."
    )
    unsafe_no_sandbox: bool = Field(
        default=False, description="Run the agents' programs without a sandbox: at your own risk."
    )

    @field_validator("agents")
    @classmethod
    def _known_roles(cls, agents: list[str]) -> list[str]:
        if strangers := set(agents) - set(ROLES):
            raise ValueError(f"{sorted(strangers)} are not roles: choose from {', '.join(ROLES)}")
        return agents

    @field_validator("phases")
    @classmethod
    def _known_phases(cls, phases: dict[str, int]) -> dict[str, int]:
        if set(phases) != set(PHASES) or not all(1 <= n <= 50 for n in phases.values()):
            raise ValueError(f"give 1 to 50 turns to each of {', '.join(PHASES)}")
        return {phase: phases[phase] for phase in PHASES}

    @field_validator("task")
    @classmethod
    def _readable(cls, task: str | dict[str, Any]) -> dict[str, Any]:
        return read_task(task)

    @field_validator("weights")
    @classmethod
    def _known_kinds(cls, weights: Weights) -> Weights:
        if set(weights) != set(WEIGHTS):
            raise ValueError(f"give a weight to each of {', '.join(WEIGHTS)}")
        return weights

"""What a seat is: which model answers for an agent, and with what settings."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

EMBEDDED = "embedded"
RECORDING = "recording"
HUMAN = "human"


class SeatError(RuntimeError):
    """A seat did not answer. The text names agent, model and kind of failure, and no content."""


class CredentialsMissing(RuntimeError):
    """A model needs a key that is not set; one line names the variable."""


class Seat(BaseModel):
    """Who answers one agent's letters.

    A plain string stands for the model alone: `"openai:gpt-5"`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(
        default="embedded:rational",
        title="Model",
        description="provider:name. 'embedded:…' is a simulated character and needs no key; "
        "'human' is a person; 'recording:FILE' replays letters; others go through LangChain.",
        examples=["embedded:rational", "human", "openai:gpt-5-mini", "recording:letters.jsonl"],
    )
    base_url: str | None = Field(
        default=None,
        title="Base URL",
        description="Of any OpenAI-compatible endpoint; its key is read from OPENAI_API_KEY.",
    )
    temperature: float | None = Field(default=None, ge=0, le=2, title="Temperature")
    max_tokens: int | None = Field(default=None, ge=16, le=200_000, title="Longest answer, tokens")
    timeout: float = Field(
        default=60, gt=0, le=3600, title="Timeout", description="Seconds for one request."
    )

    of_simulation: bool = Field(
        default=False,
        title="Of a simulation",
        description="Of a recording: whether embedded agents answered in it. It is read from the "
        "recording when the run begins.",
    )

    @field_validator("model")
    @classmethod
    def _provider_and_name(cls, model: str) -> str:
        provider, _, name = model.partition(":")
        if model == HUMAN:
            return model
        if not provider or not name:
            raise ValueError(f"{model!r} is no model: give provider:name, as in embedded:rational")
        return model

    @property
    def provider(self) -> str:
        """The part before the colon."""
        return self.model.partition(":")[0]

    @property
    def name(self) -> str:
        """The part after the colon."""
        return self.model.partition(":")[2]

    @property
    def human(self) -> bool:
        """Whether a person answers here."""
        return self.model == HUMAN

    @property
    def simulated(self) -> bool:
        """Whether no language model answers here."""
        return self.provider == EMBEDDED


def as_seat(value: Any) -> Any:
    """A string stands for a seat with that model."""
    return {"model": value} if isinstance(value, str) else value

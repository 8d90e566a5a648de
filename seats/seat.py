"""The configuration of a seat: the model that answers for an agent, and its settings."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

EMBEDDED = "embedded"
RECORDING = "recording"
HUMAN = "human"
PYTHON = "python"
FUNCTION, MODEL, GRAPH = "function", "model", "graph"
OBJECTS = frozenset({FUNCTION, MODEL, GRAPH})
"""The kinds of Python objects at seats (`seats.objects`); a record holds their names only."""


def is_object(model: str) -> bool:
    """Return whether a seat's model names a Python object of the program that plays."""
    return model.partition(":")[0] in OBJECTS


Answers = Literal["auto", "text", "schema", "tools"]
"""The mode of answers: tagged text, JSON of a schema, a tool call, or `auto` (`answers_of`)."""


class SeatError(RuntimeError):
    """A seat did not answer. The text names agent, model and kind of failure, and no content.

    Attributes:
        busy: the pause in seconds after which an endpoint may answer: see `faults.busy_for`.
        said: the last line of a program's exception, for the operator only, as the line may quote
            private facts.
    """

    busy: float | None = None
    said: str = ""


class SeatUnavailable(SeatError):
    """A seat did not answer now, but may answer later: `busy` is not None."""


class SeatFault(Exception):
    """The failure of a program or extension to answer at a seat, with the reason in its own words.

    The text is one line: the problem and how to fix it, without private content.
    """


AGAIN = "resume the run to try again"


def describe_failure(error: BaseException, limit: float) -> str:
    """Return the failure of a model to answer, and its remedy, in one line.

    Args:
        error: the error that the model raised.
        limit: the time limit for the whole answer, in seconds.
    """
    if isinstance(error, SeatFault):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"no answer within {limit:g} s; raise the seat's timeout, or set max_tokens"
    return f"{type(error).__name__}; {AGAIN}"


class CredentialsMissing(RuntimeError):
    """A model's API key is not set; the text names its environment variable in one line."""


def title_of(field: str, _: Any) -> str:
    """Return the title that forms show for a setting without an explicit title."""
    return field.replace("_", " ").capitalize()


class Seat(BaseModel):
    """The model, program or person that answers one agent's letters.

    A plain string stands for the model alone: `"openai:gpt-5"`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, field_title_generator=title_of)

    model: str = Field(
        default="embedded:rational",
        description="provider:name. 'embedded:…' is a simulated character and needs no key; "
        "'human' is a person; 'recording:FILE' replays letters; 'python:module:factory' is a "
        "callable; an extension brings providers of its own; others go through LangChain.",
        examples=["embedded:rational", "human", "openai:gpt-5-mini", "recording:letters.jsonl"],
    )
    base_url: str | None = Field(
        default=None,
        title="Base URL",
        description="URL of any OpenAI-compatible endpoint; its key is read from OPENAI_API_KEY, "
        "or from the variable that `key_env` names.",
    )
    key_env: str = Field(
        default="",
        pattern=r"^([A-Z][A-Z0-9_]{0,80}_(KEY|TOKEN))?$",
        title="Key's variable",
        description="The environment variable with this endpoint's key, if it is not the "
        "provider's own: NAME_KEY or NAME_TOKEN.",
        examples=["", "LOCAL_API_KEY"],
    )
    answers: Answers = Field(
        default="auto",
        description="The form of answers: text (tags), schema (JSON by a schema), tools (a tool "
        "call), or auto: by the model's known abilities.",
    )
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(
        default=None, ge=0, le=2**63 - 1, description="The seed of the endpoint's sampling."
    )
    stop: tuple[str, ...] = Field(
        default=(),
        max_length=4,
        description="Texts that end the answer when the model writes them.",
    )
    reasoning_effort: str | None = Field(
        default=None,
        pattern=r"^[a-z]{1,16}$",
        description="The effort of a reasoning model: minimal, low, medium or high.",
        examples=[None, "low"],
    )
    extra_body: Mapping[str, Any] = Field(
        default={},
        description="Further fields of each request's body, as the endpoint defines them.",
        examples=[{}, {"top_k": 20}],
    )
    stream: bool = Field(
        default=True,
        description="Whether the answer may be streamed; false for endpoints that cannot stream.",
    )
    system: bool = Field(
        default=True,
        description="Whether the model takes a system message; if not, the user message holds it.",
    )
    max_tokens: int | None = Field(default=None, ge=16, le=200_000, title="Longest answer, tokens")
    timeout: float = Field(default=60, gt=0, le=3600, description="Seconds for one request.")

    options: Mapping[str, Any] = Field(
        default={},
        description="Settings of a provider that an extension brings, as that extension's page "
        "says.",
    )

    of_simulation: bool = Field(
        default=False,
        title="Of a simulation",
        description="Whether embedded agents gave a recording's answers; read from the recording "
        "when the run begins.",
    )

    def __hash__(self) -> int:
        """Hash the settings as JSON: values in `extra_body` and `options` may be unhashable."""
        return hash(self.model_dump_json())

    @field_validator("model")
    @classmethod
    def _provider_and_name(cls, model: str) -> str:
        provider, _, name = model.partition(":")
        if model == HUMAN:
            return model
        if not provider or not name:
            form = "provider:name, as in embedded:rational"
            raise ValueError(f"{model!r} is not a model: give {form}")
        return model

    @property
    def provider(self) -> str:
        """The part of `model` before the first colon."""
        return self.model.partition(":")[0]

    @property
    def name(self) -> str:
        """The part of `model` after the first colon."""
        return self.model.partition(":")[2]

    @property
    def human(self) -> bool:
        """Whether a person answers at this seat."""
        return self.model == HUMAN

    @property
    def simulated(self) -> bool:
        """Whether an embedded agent answers at this seat."""
        return self.provider == EMBEDDED

    @property
    def program(self) -> bool:
        """Whether a program in this process answers at this seat, always in text."""
        return self.provider in (EMBEDDED, PYTHON, FUNCTION, GRAPH)


def as_seat(value: Any) -> Any:
    """Return a seat's configuration; a string becomes a seat with that model.

    Raises:
        ValueError: the value is a Python object, which a resumed run could not look up.
    """
    if isinstance(value, str):
        return {"model": value}
    if not isinstance(value, (Seat, Mapping)):
        kind = type(value).__name__
        raise ValueError(
            f"a {kind} cannot be a seat: give 'provider:name', or for your own function "
            f"'python:module:factory'; play(…, seats={{…}}) takes the function itself"
        )
    return value

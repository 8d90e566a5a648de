"""The options that only seats of remote agents have."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.invalid import first_error
from shapley_coop.seats.seat import Seat


class Options(BaseModel):
    """The `options` of a seat at `a2a:URL`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    memory: bool = Field(
        default=False,
        description="Whether all letters of a play share one conversation with the agent.",
    )
    card_key: str = Field(
        default="",
        max_length=1000,
        description="The file of the public key (PEM) with which the agent's card must be signed.",
    )


FOR_TENANTS = frozenset({"memory"})
"""The options that tenants may set, because these options open no file."""


def options_of(seat: Seat) -> Options:
    """Return a seat's options.

    Raises:
        ValueError: the seat has an unknown option or a wrong value.
    """
    try:
        return Options.model_validate(dict(seat.options))
    except ValidationError as error:
        raise ValueError(f"{seat.model}: {first_error(error, Options)}") from None

"""Mandates: limits that a principal sets for its agent, signed before any bargaining."""

from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.amounts import Exact
from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.envelope import Envelope, sign_envelope
from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey, read_public
from shapley_coop.invalid import first_error

MANDATE = "application/vnd.coop.mandate+json"
"""The payload type of a mandate."""


class Mandate(BaseModel):
    """The limits of one agent; fields that are left out set no limit.

    Amounts are in the game's unit, and hold for the whole game.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent: str = Field(min_length=1, max_length=64, description="The agent that is limited.")
    max_pay: Exact | None = Field(default=None, ge=0, description="The most the agent may promise.")
    min_end: Exact | None = Field(
        default=None, description="The least payoff under any deal that the agent signs."
    )
    never: tuple[str, ...] = Field(
        default=(),
        max_length=256,
        description="Actions that the agent may neither promise nor take.",
    )
    expires: AwareDatetime | None = Field(
        default=None,
        description="The time, with its time zone, from which the agent may sign nothing.",
    )
    principal: str = Field(description="The public key (PEM) of the principal, the signer.")

    @property
    def key(self) -> PublicKey:
        """The public key of the principal."""
        return read_public(self.principal, "the mandate's principal")

    def expired(self, now: datetime) -> bool:
        """Return whether the mandate has expired, so that the agent may sign nothing more."""
        return self.expires is not None and now >= self.expires


class SignedMandate(BaseModel):
    """A mandate whose signature was verified."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    mandate: Mandate
    envelope: Envelope

    @property
    def sha256(self) -> str:
        """The hash of the signed envelope, by which a record names the mandate."""
        return digest(self.envelope.record())


def sign_mandate(key: PrivateKey, **limits: Any) -> SignedMandate:
    """Sign a mandate as its principal.

    Args:
        key: the principal's key.
        limits: the fields of `Mandate` except `principal`.

    Raises:
        ValueError: no limit is given, or a limit is unknown or has an invalid value.
    """
    if not any(limit for name, limit in limits.items() if name != "agent"):
        raise ValueError("a mandate without a limit allows everything: give a limit")
    try:
        mandate = Mandate.model_validate({**limits, "principal": key.public.pem})
    except ValidationError as error:
        raise ValueError(f"a mandate's {first_error(error)}") from None
    content = mandate.model_dump(mode="json", exclude_defaults=True)
    return SignedMandate(mandate=mandate, envelope=sign_envelope(MANDATE, content, [key]))


def read_mandate(envelope: Envelope, source: str = "the mandate") -> SignedMandate:
    """Return the mandate in an envelope after verifying its principal's signature.

    Raises:
        ValueError: the envelope has no mandate, or is not signed by the mandate's principal.
    """
    if envelope.payload_type != MANDATE:
        raise ValueError(f"{source} is not a mandate: its payload is {envelope.payload_type}")
    try:
        mandate = Mandate.model_validate(envelope.content)
    except ValidationError as error:
        raise ValueError(f"{source}: {first_error(error)}") from None
    except ValueError:
        raise ValueError(f"{source} is damaged: its payload is not JSON") from None
    key = mandate.key
    signature = envelope.signatures.get(key.keyid, b"")
    if len(envelope.signatures) != 1 or not key.verifies(envelope.message, signature):
        raise ValueError(f"{source} is not signed by the principal that it names")
    return SignedMandate(mandate=mandate, envelope=envelope)

"""The fields that the extension adds to a run's configuration: keys and mandates of agents."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from shapley_coop.extensions.proof.home_keys import key_of
from shapley_coop.extensions.proof.keys import PublicKey, read_public
from shapley_coop.state.run_config import RunConfig

NAME = "proof"
"""The extension's name in a run's settings, table and messages."""


class PartyKey(BaseModel):
    """One party's key. A string is read as a public key in PEM, or as a key's name in this home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9_-][A-Za-z0-9_.-]{0,63})?$",
        title="Key of this home",
        description="A key of this home, with which the seat signs automatically; coop keys new "
        "makes one.",
    )
    public: str = Field(
        default="",
        max_length=10_000,
        title="Public key",
        description="The public key (PEM) of a party that signs its own answers.",
    )

    def resolved(self) -> "PartyKey":
        """Return the key with its public part in canonical PEM.

        Raises:
            ValueError: the key does not exist, or is of an unsupported kind.
        """
        if self.public:
            return self.model_copy(update={"public": read_public(self.public).pem})
        return self.model_copy(update={"public": key_of(self.name).public.pem})

    @property
    def key(self) -> PublicKey:
        """The public part as a key that verifies signatures."""
        return PublicKey(self.public)


def as_party_key(value: Any) -> Any:
    """Read a text as a party's key: a public key as PEM, else the name of a key of this home."""
    if not isinstance(value, str):
        return value
    return {"public": value} if value.lstrip().startswith("-----BEGIN") else {"name": value}


class Settings(BaseModel):
    """The fields of a run's configuration for the parties' signatures and mandates."""

    model_config = ConfigDict(extra="forbid")

    keys: dict[str, Annotated[PartyKey, BeforeValidator(as_party_key)]] = Field(
        default={},
        description="Agent → its key: the name of a key in this home, with which its seat signs "
        "acceptances, or the public key (PEM) of a party that signs its own answers.",
    )
    require_signed: bool = Field(
        default=False,
        description="Whether offers and acceptances of a party with a key count only if they are "
        "signed.",
    )
    mandates: dict[str, Annotated[str, Field(max_length=50_000)]] = Field(
        default={},
        description="Agent → its principal's mandate, as coop mandate wrote it: the most it may "
        "pay, the least it may end with, the actions that it may never take. The table holds only "
        "a hash.",
    )


def settings_in(config: RunConfig) -> Settings:
    """Return this extension's settings of a run; defaults if the run has none."""
    return Settings.model_validate(config.extensions.get(NAME, {}))

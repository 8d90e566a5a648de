"""What the extension adds to a run's configuration: keys of parties, and mandates."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from shapley_coop.extensions.proof.home_keys import key_of
from shapley_coop.extensions.proof.keys import PublicKey, read_public
from shapley_coop.state.run_config import RunConfig

NAME = "proof"
"""By which a run's settings, its table and its messages name this extension."""


class PartyKey(BaseModel):
    """One party's key. A text in PEM stands for a public key, any other for a key of this home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9_-][A-Za-z0-9_.-]{0,63})?$",
        title="Key of this home",
        description="The seat signs with it by itself; coop keys new makes one.",
    )
    public: str = Field(
        default="",
        max_length=10_000,
        title="Public key",
        description="In PEM, of a party that signs its answers itself.",
    )

    def resolved(self) -> "PartyKey":
        """With the public part, in the one form that it has.

        Raises:
            ValueError: there is no such key, or it is of another kind.
        """
        if self.public:
            return self.model_copy(update={"public": read_public(self.public).pem})
        return self.model_copy(update={"public": key_of(self.name).public.pem})

    @property
    def key(self) -> PublicKey:
        """The public part."""
        return PublicKey(self.public)


def as_party_key(value: Any) -> Any:
    """Read a text as a party's key: a public key as PEM, else the name of a key of this home."""
    if not isinstance(value, str):
        return value
    return {"public": value} if value.lstrip().startswith("-----BEGIN") else {"name": value}


class Settings(BaseModel):
    """The fields of a run's configuration by which parties sign and are kept to mandates."""

    model_config = ConfigDict(extra="forbid")

    keys: dict[str, Annotated[PartyKey, BeforeValidator(as_party_key)]] = Field(
        default={},
        description="Agent → its key: the name of one of this home, with which its seat signs what "
        "it accepts, or a public key in PEM, of a party that signs its answers itself.",
    )
    require_signed: bool = Field(
        default=False,
        description="Whether an offer or acceptance of a party with a key counts only if it is "
        "signed.",
    )
    mandates: dict[str, Annotated[str, Field(max_length=50_000)]] = Field(
        default={},
        description="Agent → what its principal allows it, as coop mandate wrote it: the most it "
        "may pay, the least it may end with, what it may never do. The table holds a hash in its "
        "place.",
    )


def settings_in(config: RunConfig) -> Settings:
    """Return a run's settings of this extension; none is set where it has none."""
    return Settings.model_validate(config.extensions.get(NAME, {}))

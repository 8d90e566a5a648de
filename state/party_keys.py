"""The keys that a run knows its parties by, as its configuration names them."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from shapley_coop.deals.signing.keys import PublicKey


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
        from shapley_coop.deals.signing.keys import read_public
        from shapley_coop.state.home_files.keys import key_of

        if self.public:
            return self.model_copy(update={"public": read_public(self.public).pem})
        return self.model_copy(update={"public": key_of(self.name).public.pem})

    @property
    def key(self) -> "PublicKey":
        """The public part."""
        from shapley_coop.deals.signing.keys import PublicKey

        return PublicKey(self.public)


def as_party_key(value: Any) -> Any:
    """A text stands for a key."""
    if not isinstance(value, str):
        return value
    return {"public": value} if value.lstrip().startswith("-----BEGIN") else {"name": value}

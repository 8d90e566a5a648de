"""The server's callers, operators and parties, identified by bearer tokens or signed JWTs.

Every caller is the operator, unless one of these is set:

- `COOP_AUTH_TOKENS`: a YAML file with one token per line, read again when it changes::

      - {sha256: 9f86d081…, identity: ann, role: operator}
      - {token: a-long-random-text, identity: bob, role: party, episode: 5c1f…, agent: Bob}

  A line may have `expires` (a time with its zone). An operator's line may limit its runs by
  `models` (globs of allowed models), `tokens` and `usd`.

- `COOP_AUTH_JWT_PUBLIC_KEY`: a PEM file, or the PEM itself. A token needs `exp`, `sub` (the
  identity) and `coop_role`, for a party also `coop_episode` and `coop_agent`. If
  `COOP_AUTH_JWT_AUDIENCE` is set, the token needs that audience too.
"""

import base64
import binascii
import hashlib
import os
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, TOKENS
from shapley_coop.extras import require_extra
from shapley_coop.files import read_data
from shapley_coop.invalid import first_error

AUDIENCE = "COOP_AUTH_JWT_AUDIENCE"

ALGORITHMS = ["EdDSA", "ES256", "RS256"]
"""The signature algorithms, all public-key: a shared secret would let a verifier forge tokens."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$", max_length=64)]
"""A valid identity: the prefix of the caller's store namespaces and, with `__`, of its secrets."""


class Caller(BaseModel):
    """The operator or party that a valid token identifies.

    Attributes:
        identity: the caller's name.
        role: operator or party, which decides what the caller may use.
        episode: a party's episode.
        agent: a party's agent.
        expires: the time at which the token expires; None for never.
        models: globs of the models that the caller's runs may name; None for the server's list.
        tokens: the most tokens, in and out, of all the caller's runs; 0 for the server's limit.
        usd: the most cost of all the caller's runs in USD; 0 for the server's limit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    identity: Name
    role: Literal["operator", "party"]
    episode: str = ""
    agent: str = ""
    expires: AwareDatetime | None = None
    models: tuple[str, ...] | None = None
    tokens: int = Field(default=0, ge=0)
    usd: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _a_party_has_a_seat(self) -> "Caller":
        if {bool(self.episode), bool(self.agent)} != {self.role == "party"}:
            raise ValueError("give both episode and agent for a party, or neither for an operator")
        return self

    @property
    def expired(self) -> bool:
        """Whether the token is no longer valid."""
        return self.expires is not None and self.expires <= datetime.now(UTC)

    def sits_at(self, episode: str, agent: str) -> bool:
        """Return whether this caller is the party at an agent's seat in an episode."""
        return self.role == "party" and (self.episode, self.agent) == (episode, agent)


class _Line(Caller):
    """One line of the file of tokens: a caller, with its token or the token's digest."""

    token: str | None = Field(default=None, min_length=16)
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _either_token_or_digest(self) -> "_Line":
        if (self.token is None) == (self.sha256 is None):
            raise ValueError("give either a token or its sha256")
        return self

    def entry(self) -> tuple[str, Caller]:
        """Return the token's digest, and the caller without the token."""
        caller = self.model_dump(exclude={"token", "sha256"})
        return self.sha256 or _digest(self.token or ""), Caller(**caller)


_lines = TypeAdapter(list[_Line])


def check_configuration() -> None:
    """Check at start-up that the file of tokens and the public key can be read.

    Raises:
        ValueError: the file of tokens or the public key cannot be read.
    """
    if path := os.environ.get(TOKENS):
        _tokens(path, _changed(path))
    if key := os.environ.get(PUBLIC_KEY):
        _public_key(key)


def identify(authorization: str | None, *, basic: bool = False) -> Caller | None:
    """Return the caller that an `Authorization` header identifies; None if no token is valid.

    The function reads files, so call it in a worker thread.

    Args:
        authorization: the header's value.
        basic: whether to accept HTTP Basic from a browser, with the token as the password.

    Raises:
        ValueError: the file of tokens or the public key cannot be read.
    """
    token = _token(authorization or "", basic)
    if not token:
        return None
    path, key = os.environ.get(TOKENS), os.environ.get(PUBLIC_KEY)
    found = _tokens(path, _changed(path)).get(_digest(token)) if path else None
    if found:
        return None if found.expired else found
    if not key or (signed := _from_jwt(token, _public_key(key))) is None:
        return None
    _signed[signed.identity] = signed
    return signed


_signed: dict[str, Caller] = {}
"""Identity → the caller in the last valid signed token of this identity."""


def known_as(identity: str) -> list[Caller]:
    """Return the callers with an identity, for crons, which have no token; call this in a thread.

    Returns:
        The unexpired callers with this identity in the file of tokens. With signed tokens on, they
        include the caller of the identity's last signed token, even if that token has expired.
    """
    path = os.environ.get(TOKENS)
    lines = _tokens(path, _changed(path)).values() if path else ()
    signed = [_signed[identity]] if identity in _signed and os.environ.get(PUBLIC_KEY) else []
    return signed + [one for one in lines if one.identity == identity and not one.expired]


def _token(authorization: str, basic: bool) -> str:
    scheme, _, given = authorization.partition(" ")
    match scheme.lower():
        case "bearer":
            return given.strip()
        case "basic" if basic:
            try:
                return base64.b64decode(given, validate=True).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return ""
        case _:
            return ""


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError as error:
        raise ValueError(f"{TOKENS}: {path} cannot be read ({type(error).__name__})") from None


@lru_cache(maxsize=4)  # cached, since every request calls this; `_` is the file's modification time
def _tokens(path: str, _: int) -> dict[str, Caller]:
    """Return a dict from the digest of each token in the file to its caller."""
    # `private` hides the parser's own message, which would quote the file.
    content = read_data(path, f"the tokens of {TOKENS}", private=True)
    try:
        return dict(line.entry() for line in _lines.validate_python(content))
    except ValidationError as error:
        raise ValueError(f"{TOKENS}: {path}: {first_error(error)}") from None


@lru_cache(maxsize=4)  # every request calls this
def _public_key(key: str) -> Any:
    from shapley_coop.weak_keys import check_strength

    with require_extra("dev", PUBLIC_KEY):
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    try:
        pem = key if key.startswith("-----BEGIN") else Path(key).read_text(encoding="utf-8")
        found = load_pem_public_key(pem.encode())
    except (OSError, ValueError):
        raise ValueError(f"{PUBLIC_KEY}: give a PEM public key, or the path of one") from None
    try:
        check_strength(found)
    except ValueError as error:
        raise ValueError(f"{PUBLIC_KEY}: {error}") from None
    return found


def _from_jwt(token: str, key: Any) -> Caller | None:
    with require_extra("dev", PUBLIC_KEY):
        import jwt
    audience = os.environ.get(AUDIENCE) or None
    try:
        claims = jwt.decode(
            token, key, ALGORITHMS, audience=audience, options={"require": ["exp", "sub"]}
        )
        return Caller(
            identity=claims["sub"],
            role=claims.get("coop_role"),
            models=claims.get("coop_models"),
            tokens=claims.get("coop_tokens", 0),
            usd=claims.get("coop_usd", 0),
            episode=claims.get("coop_episode", ""),
            agent=claims.get("coop_agent", ""),
        )
    except (jwt.PyJWTError, ValidationError):
        return None

"""An agent's card: its address, the checks that it must pass, and the agent's token."""

import asyncio
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import httpx

from shapley_coop.extensions.a2a.asking.options import options_of
from shapley_coop.seats.keys import key_for
from shapley_coop.seats.seat import Seat
from shapley_coop.seats.tracing import keep_out

if TYPE_CHECKING:
    from a2a.types import AgentCard

WELL_KNOWN = ".well-known/agent-card.json"
ALGORITHMS = ["ES256", "EdDSA"]
"""The algorithms that may sign a card."""

TOKEN = "COOP_A2A_TOKEN_"  # noqa: S105 - the name of an environment variable, not a secret
"""The prefix of the variable with an agent's token; the agent's name in capitals follows."""


class CardRefused(Exception):
    """The error if a card cannot be trusted or used; its message does not quote the card."""


class Card(NamedTuple):
    """An agent's card and its digest.

    Attributes:
        agent: the parsed card.
        digest: the SHA-256 of the card's bytes in hexadecimal.
    """

    agent: "AgentCard"
    digest: str


def card_url(seat: Seat) -> str:
    """Return the URL of the card of a seat's agent.

    Raises:
        ValueError: the seat names no HTTP address.
    """
    parts = urlsplit(seat.name)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError(f"{seat.model}: give a2a:URL, as in a2a:https://bob.example")
    if parts.path.endswith(".json"):
        return seat.name
    return f"{seat.name.rstrip('/')}/{WELL_KNOWN}"


def token_of(seat: Seat, agent: str) -> str:
    """Return the bearer token for an agent, or "" if there is none."""
    variable = TOKEN + re.sub(r"\W", "_", agent).upper()
    token = key_for(seat.model_copy(update={"base_url": seat.name}), variable)
    if token:
        keep_out([token])
    return token


async def read_card(seat: Seat, http: httpx.AsyncClient) -> Card:
    """Read an agent's card and check it.

    Raises:
        httpx.HTTPError: the request fails.
        AnswerTooLarge: the response is too large.
        CardRefused: the response is no card, or its signature is wrong, or it names another host.
    """
    from a2a.client.card_resolver import parse_agent_card
    from google.protobuf.json_format import ParseError

    url = card_url(seat)
    response = await http.get(url)
    response.raise_for_status()
    if response.is_redirect:
        raise CardRefused("its card redirects: give the address to which it redirects")
    content = response.content
    try:
        card = parse_agent_card(json.loads(content))
    except (ParseError, ValueError, RecursionError):
        raise CardRefused("there is no agent card at this address") from None
    addresses = [one.url for one in card.supported_interfaces]
    if not addresses:
        raise CardRefused("its card contains no address")
    # A card that names another host would send letters and a token to a third party.
    if any(_origin(one) != _origin(url) for one in addresses):
        raise CardRefused("its card names an address on another host")
    if named := options_of(seat).card_key:
        key = await asyncio.to_thread(read_card_key, Path(named))
        _check_signature(card, key)
    return Card(card, hashlib.sha256(content).hexdigest())


def read_card_key(path: Path) -> bytes:
    """Return the public key, in PEM, that must verify a card.

    Raises:
        ValueError: the file cannot be read, holds no public key, or holds a weak key.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    from shapley_coop.weak_keys import check_strength

    try:
        content = path.read_bytes()
        key = load_pem_public_key(content)
    except OSError as error:
        raise ValueError(f"card_key: {path}: {error.strerror or error}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError(f"card_key: {path} is not a public key in PEM") from None
    try:
        check_strength(key)
    except ValueError as error:
        raise ValueError(f"card_key: {path}: {error}") from None
    return content


def _check_signature(card: "AgentCard", key: bytes) -> None:
    from a2a.utils.signing import (
        InvalidSignaturesError,
        NoSignatureError,
        create_signature_verifier,
    )

    verify = create_signature_verifier(lambda kid, jku: key, ALGORITHMS)
    try:
        verify(card)
    except NoSignatureError:
        raise CardRefused("its card is not signed, but card_key requires a signature") from None
    except InvalidSignaturesError:
        raise CardRefused("its card is not signed with the key of card_key") from None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        port = None
    return parts.scheme, parts.hostname, port

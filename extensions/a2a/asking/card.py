"""An agent's card: where it is, what may be believed of it, and the token that it is sent."""

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
"""With which a card may be signed."""

TOKEN = "COOP_A2A_TOKEN_"  # noqa: S105 - a variable's name
"""Beginning of the variable that holds an agent's token; its name follows in capitals."""


class CardRefused(Exception):
    """A card that cannot be believed, or used; the text is one line and quotes nothing of it."""


class Card(NamedTuple):
    """An agent's card, as it was read.

    Attributes:
        agent: what it says.
        digest: SHA-256 of its bytes, in hexadecimal digits.
    """

    agent: "AgentCard"
    digest: str


def card_url(seat: Seat) -> str:
    """Return where a seat's card is.

    Raises:
        ValueError: the seat names no address.
    """
    parts = urlsplit(seat.name)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError(f"{seat.model}: give a2a:URL, as in a2a:https://bob.example")
    if parts.path.endswith(".json"):
        return seat.name
    return f"{seat.name.rstrip('/')}/{WELL_KNOWN}"


def token_of(seat: Seat, agent: str) -> str:
    """Return the token that an agent is sent; empty if there is none for it."""
    variable = TOKEN + re.sub(r"\W", "_", agent).upper()
    token = key_for(seat.model_copy(update={"base_url": seat.name}), variable)
    if token:
        keep_out([token])
    return token


async def read_card(seat: Seat, http: httpx.AsyncClient) -> Card:
    """Read an agent's card and check it.

    Raises:
        httpx.HTTPError: it cannot be had.
        AnswerTooLarge: it is too large.
        CardRefused: it is none, is not signed as it should be, or leads to another host.
    """
    from a2a.client.card_resolver import parse_agent_card
    from google.protobuf.json_format import ParseError

    url = card_url(seat)
    response = await http.get(url)
    response.raise_for_status()
    if response.is_redirect:
        raise CardRefused("its card is elsewhere: give the address that it redirects to")
    content = response.content
    try:
        card = parse_agent_card(json.loads(content))
    except (ParseError, ValueError, RecursionError):
        raise CardRefused("there is no agent card at this address") from None
    addresses = [one.url for one in card.supported_interfaces]
    if not addresses:
        raise CardRefused("its card names no address")
    # A card that leads elsewhere would have letters, and a token, sent to somebody else.
    if any(_origin(one) != _origin(url) for one in addresses):
        raise CardRefused("its card names an address on another host")
    if named := options_of(seat).card_key:
        key = await asyncio.to_thread(read_card_key, Path(named))
        _check_signature(card, key)
    return Card(card, hashlib.sha256(content).hexdigest())


def read_card_key(path: Path) -> bytes:
    """Return the public key with which a card has to be signed.

    Raises:
        ValueError: the file cannot be read, or holds no public key.
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
        raise ValueError(f"card_key: {path} is no public key in PEM") from None
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
        raise CardRefused("its card is not signed, and card_key asks for that") from None
    except InvalidSignaturesError:
        raise CardRefused("its card is not signed with the key of card_key") from None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        port = None
    return parts.scheme, parts.hostname, port

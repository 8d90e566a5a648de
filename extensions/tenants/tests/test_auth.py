"""Who is let in on the server, and what a tenant's request may reach for."""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from extensions.tenants.tests.tenants import ANN, BOB, EPISODE, PARTY, write_tokens
from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, TOKENS
from shapley_coop.extensions.tenants.authorization import allowed
from shapley_coop.extensions.tenants.callers import (
    ALGORITHMS,
    Caller,
    check_configuration,
    identify,
    known_as,
)
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.extensions.tenants.policy import complaint_about
from tests.brought import with_all_extensions

jwt = pytest.importorskip("jwt", reason="tenants need the dev extra")

ANNS = Caller(identity="ann", role="operator")


# Who somebody is


@pytest.fixture
def tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "tokens.yaml"
    write_tokens(path, {"ann": ANN})
    monkeypatch.setenv(TOKENS, str(path))
    return path


def test_a_token_tells_operators_from_parties(tokens: Path) -> None:
    assert identify(f"Bearer {ANN}") == Caller(identity="ann", role="operator")
    party = identify(f"Bearer {PARTY}")
    assert party is not None
    assert party.sits_at(EPISODE, "Alice")
    assert not party.sits_at(EPISODE, "Bob")


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer nobody's", f"Token {ANN}", "Basic !!"]
)
def test_anything_else_is_nobody(tokens: Path, header: str | None) -> None:
    assert identify(header, basic=True) is None


def test_a_password_prompt_does_only_where_people_browse(tokens: Path) -> None:
    header = "Basic " + base64.b64encode(f"whoever:{ANN}".encode()).decode()
    assert identify(header) is None
    assert identify(header, basic=True) == Caller(identity="ann", role="operator")


def test_a_token_that_is_taken_out_of_the_file_lets_nobody_in_any_more(tokens: Path) -> None:
    assert identify(f"Bearer {ANN}")
    write_tokens(tokens, {"bob": BOB})
    assert identify(f"Bearer {ANN}") is None


@pytest.mark.parametrize(
    "line",
    [
        {"token": "short", "identity": "ann", "role": "operator"},
        {"identity": "ann", "role": "operator"},
        {"token": ANN, "identity": "ann__bob", "role": "operator"},
        {"token": ANN, "identity": "ann", "role": "king"},
        {"token": ANN, "identity": "ann", "role": "party"},
        {"token": ANN, "identity": "ann", "role": "operator", "agent": "Alice"},
    ],
)
def test_a_wrong_line_stops_the_server_and_is_not_quoted(
    tokens: Path, line: dict[str, str]
) -> None:
    tokens.write_text(yaml.safe_dump([line]))
    with pytest.raises(ValueError, match=TOKENS) as refused:
        check_configuration()
    assert "\n" not in str(refused.value)
    assert ANN not in str(refused.value)


@dataclass(frozen=True)
class Keys:
    private: Any
    public: str


@pytest.fixture(scope="module")
def keys() -> Keys:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    private = Ed25519PrivateKey.generate()
    shown = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return Keys(private, shown.decode())


def claims(**more: Any) -> dict[str, Any]:
    return {"sub": "ann", "coop_role": "operator", "exp": time.time() + 60, **more}


def test_a_signed_token_is_believed(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PUBLIC_KEY, keys.public)
    seat = {"coop_role": "party", "coop_episode": EPISODE, "coop_agent": "Alice"}
    operator = jwt.encode(claims(), keys.private, "EdDSA")
    party = jwt.encode(claims(**seat), keys.private, "EdDSA")
    assert identify(f"Bearer {operator}") == Caller(identity="ann", role="operator")
    assert (found := identify(f"Bearer {party}"))
    assert found.sits_at(EPISODE, "Alice")
    bounds = {"coop_models": ["embedded:*"], "coop_tokens": 7, "coop_usd": 2.5}
    bounded = identify(f"Bearer {jwt.encode(claims(**bounds), keys.private, 'EdDSA')}")
    assert bounded == Caller(
        identity="ann", role="operator", models=("embedded:*",), tokens=7, usd=2.5
    )
    assert known_as("ann") == [bounded], "a cron of hers is bound by it"
    forged = jwt.encode(claims(coop_usd="any"), keys.private, "EdDSA")
    assert identify(f"Bearer {forged}") is None


def test_a_token_that_is_not_properly_signed_is_not(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    monkeypatch.setenv(PUBLIC_KEY, keys.public)
    forged = [
        jwt.encode(claims(), Ed25519PrivateKey.generate(), "EdDSA"),
        jwt.encode(claims(), "", "none"),
        with_public_key_as_secret(keys),
        jwt.encode(claims(exp=time.time() - 1), keys.private, "EdDSA"),
        jwt.encode({k: v for k, v in claims().items() if k != "exp"}, keys.private, "EdDSA"),
        jwt.encode(claims(aud="elsewhere"), keys.private, "EdDSA"),
        jwt.encode(claims(coop_role="king"), keys.private, "EdDSA"),
        jwt.encode(claims(sub="a.b"), keys.private, "EdDSA"),
    ]
    assert [identify(f"Bearer {token}") for token in forged] == [None] * len(forged)
    assert not {"none", "HS256"} & {*ALGORITHMS}


def test_a_key_with_which_anybody_can_sign_checks_no_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    weak = Ed25519PublicKey.from_public_bytes(bytes([1, *[0] * 31]))
    pem = weak.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    monkeypatch.setenv(PUBLIC_KEY, pem)
    with pytest.raises(ValueError, match="signatures can be forged"):
        check_configuration()


def with_public_key_as_secret(keys: Keys) -> str:
    """A known attack: a symmetric signature whose key is the public key."""
    import hashlib
    import hmac

    def packed(content: bytes) -> str:
        return base64.urlsafe_b64encode(content).decode().rstrip("=")

    head = packed(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    signed = f"{head}.{packed(json.dumps(claims()).encode())}"
    mac = hmac.new(keys.public.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{packed(mac)}"


# What a tenant's request may reach for


@pytest.mark.parametrize(
    "room",
    [
        {"secrets": "bob__whisper"},
        {"secrets": "annette__whisper"},
        {"secrets": "whisper"},
        {"episode": EPISODE},
        {"game": "/etc/passwd"},
        {"game": "../home/notes.yaml"},
        {"game": "pettingzoo:os:system"},
        {"params": {"factory": "os:system"}},
        {"params": {"scenario": "/etc/secrets.yaml"}},
        {"params": {"scenario": "nobody_built_this_in"}},
        {"params": {"records": "/etc/passwd"}},
        {"params": {"tools": "tools.json"}},
        {"params": {"task": "../tokens.yaml"}},
        {"prompts": "/srv/notes"},
        {"params": {"task": {"title": "x"}, "unsafe_no_sandbox": True}},
        {"seats": {"*": "recording:/etc/passwd"}},
        {"seats": {"*": {"model": "recording:letters.jsonl"}}},
        {"seats": {"*": "python:os:system"}},
        {"seats": {"Bob": {"model": "python:bots:careful"}}},
        {"seats": {"Bob": {"model": "openai:m", "options": {"card_key": "/etc/k.pem"}}}},
        {"seats": {"*": {"model": "openai:m", "base_url": "https://evil.example/v1"}}},
        {"seats": {"*": {"model": "openai:m", "base_url": "https://good.example.evil.example"}}},
        {"seats": {"*": {"model": "openai:m", "base_url": "https://good.example@evil.example"}}},
        {"seats": {"*": {"model": "openai:m", "base_url": "https://good.example/other"}}},
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        lambda room: {"input": {"room": room}},
        lambda room: {"context": room},
        lambda room: {"config": {"configurable": room}},
        lambda room: {"values": {"settings": room}},
        lambda room: {"supersteps": [{"updates": [{"values": {"settings": room}}]}]},
        lambda room: {"params": {"arguments": {"room": room}}},
        lambda room: [{"input": {"room": room}}],
    ],
)
def test_a_tenants_room_reaches_for_nothing_that_is_not_its_own(
    room: dict[str, Any], place: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_ALLOWED_URLS", "https://good.example/v1")
    assert complaint_about(json.dumps(place(room)).encode(), ANNS)


@with_all_extensions
def test_what_is_its_own_it_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COOP_ALLOWED_URLS", "https://good.example/v1/, http://127.0.0.1:8000")
    listed = {"model": "openai:m", "base_url": "https://good.example/v1"}
    rooms: list[dict[str, Any]] = [
        {},
        {"secrets": "ann__whisper", "game": "escape_room", "seats": {"*": "embedded:greedy"}},
        {"game": {"name": "tug", "agents": ["Ann", "Ben"]}},
        {"game": "task_exchange", "params": {"scenario": "paper_competitive"}},
        {"game": "task_exchange", "params": {"scenario": "generated", "records": "", "tools": ""}},
        {"game": "software_company", "params": {"task": "bmi", "unsafe_no_sandbox": False}},
        {"game": "software_company", "params": {"task": "a calculator in yaml"}},
        {"game": "software_company", "params": {"task": {"title": "a calculator"}}},
        {"seats": {"Alice": listed, "Bob": {**listed, "base_url": "http://127.0.0.1:8000/v1"}}},
    ]
    for room in rooms:
        assert complaint_about(json.dumps({"input": {"room": room}}).encode(), ANNS) == ""
    assert complaint_about(b'{"metadata": {"game": "my own", "url": "x"}}', ANNS) == ""


def test_a_token_ends_when_it_says_so(tokens: Path) -> None:
    line = {"identity": "dan", "role": "operator"}
    times = {
        "of-yesterday-0123456789": "2020-01-01T00:00:00Z",
        "of-the-future-0123456": "2999-01-01T00:00:00+02:00",
    }
    tokens.write_text(
        yaml.safe_dump([{**line, "token": t, "expires": at} for t, at in times.items()])
    )
    known = [identify(f"Bearer {token}") for token in times]
    assert [caller and caller.identity for caller in known] == [None, "dan"]
    tokens.write_text(yaml.safe_dump([{**line, "token": ANN, "expires": "2999-01-01"}]))
    with pytest.raises(ValueError, match="expires"):
        check_configuration()


def test_nobodys_thread_stands_in_the_way_of_a_seat() -> None:
    """A seat's thread is found by the episode among its labels."""
    labelled = {"metadata": {"episode": EPISODE}}
    for body in (labelled, {"config": labelled}):
        assert complaint_about(json.dumps(body).encode(), ANNS)


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b"[" * 100_000, b'{"a":' * 500 + b"1" + b"}" * 500]
)
def test_what_cannot_be_looked_through_is_refused(body: bytes) -> None:
    assert complaint_about(body, ANNS)


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5"])
def test_a_limit_is_a_positive_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COOP_MAX_STEPS", given)
    with pytest.raises(ValueError, match="COOP_MAX_STEPS"):
        limits()


@pytest.mark.parametrize(
    "path",
    ["/internal/truncate", "/internal/debug/thread/1", "/deploy", "/profile", "/ui/x", "//ok"],
)
def test_a_door_that_nobody_thought_of_is_shut(path: str) -> None:
    assert not allowed(Caller(identity="ann", role="operator"), path)
    assert not allowed(Caller(identity="a", role="party", episode=EPISODE, agent="Alice"), path)

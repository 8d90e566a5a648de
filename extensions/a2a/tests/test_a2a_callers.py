"""Who may use the table, whom the server calls for tenants, and whose card it shows."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette

from shapley_coop.extensions.a2a.asking.card import read_card_key
from shapley_coop.extensions.a2a.serving.routes import CARD, table_routes
from shapley_coop.extensions.server.serving.browser_guard import HOSTS

pytest.importorskip("shapley_coop.extensions.tenants", reason="the extension tenants is not here")
from shapley_coop.extensions.tenants.authorization import allowed
from shapley_coop.extensions.tenants.callers import Caller
from shapley_coop.extensions.tenants.policy import complaint_about

ANN = Caller(identity="ann", role="operator")
BOB = Caller(identity="bob", role="party", episode="e", agent="Bob")


@pytest.mark.parametrize(
    ("seat", "told"),
    [
        ("a2a:https://good.example/v1/bob", ""),
        ({"model": "a2a:https://good.example/v1/bob", "options": {"memory": True}}, ""),
        ("a2a:https://evil.example", "does not call"),
        (
            {"model": "a2a:https://good.example/v1/bob", "options": {"card_key": "/etc/k.pem"}},
            "sets no card_key for tenants",
        ),
    ],
)
def test_the_server_calls_for_tenants_whom_the_operator_lists(
    seat: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_ALLOWED_URLS", "https://good.example/v1")
    monkeypatch.setenv("COOP_ALLOWED_MODELS", "embedded:*, a2a:*")
    said = complaint_about(json.dumps({"input": {"room": {"seats": {"Bob": seat}}}}).encode(), ANN)
    assert told in said
    assert bool(said) == bool(told)


def test_a_party_uses_the_table_and_an_operator_does_not() -> None:
    assert allowed(BOB, "/table")
    assert not allowed(BOB, "/table/other")
    assert not allowed(ANN, "/table")


def test_a_key_with_which_anybody_can_sign_is_no_cards_key(tmp_path: Path) -> None:
    weak = Ed25519PublicKey.from_public_bytes(bytes([1, *[0] * 31]))
    path = tmp_path / "card.pem"
    path.write_bytes(weak.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(ValueError, match=r"card_key: .*signatures can be forged"):
        read_card_key(path)


async def test_the_card_repeats_no_host_that_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Starlette(routes=table_routes())
    here = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=here, base_url="http://127.0.0.1:8123") as anybody:
        assert (await anybody.get(CARD)).json()["url"] == "http://127.0.0.1:8123/table"
        foreign = {"host": "evil.example"}
        refused = await anybody.get(CARD, headers=foreign)
        assert refused.status_code == 403
        assert "evil" not in refused.text
        monkeypatch.setenv(HOSTS, "coop.example")
        listed = await anybody.get(CARD, headers={"host": "coop.example"})
        assert listed.json()["url"] == "http://coop.example/table"
        assert (await anybody.get(CARD, headers=foreign)).status_code == 403

"""In which form a tenant's request comes, and which models it names."""

import json
import re
from typing import Any

import pytest

from shapley_coop import RunConfig, Seat, games
from shapley_coop.serve.server.callers import Caller
from shapley_coop.serve.server.tenant_policy import BESIDE, complaint_about

ANNS = Caller(identity="ann", role="operator")


def test_a_tenant_uses_the_models_that_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded = Caller(identity="ann", role="operator", models=("embedded:*", "human"))

    def asks(caller: Caller, model: str) -> str:
        seat = {"seats": {"Alice": {"model": model}}}
        return complaint_about(json.dumps({"input": {"room": seat}}).encode(), caller)

    assert asks(ANNS, "openai:large") == asks(bounded, "human") == ""
    assert "may not use" in asks(bounded, "openai:large")
    monkeypatch.setenv("COOP_ALLOWED_MODELS", "embedded:*, openai:small")
    assert asks(ANNS, "openai:small") == ""
    assert "may not use" in asks(ANNS, "openai:large")


@pytest.mark.parametrize(
    "body",
    [
        {"command": {"update": [["episode", "e"]]}},
        {"command": {"update": [["status", "open"]]}},
        {"command": {"goto": [{"node": "propose", "input": [["status", "open"]]}]}},
        {"command": {"resume": ["episode", "e"]}},
        {"values": [["status", "open"]]},
        {"input": [["room", {}]]},
        [{"input": {}}, {"input": [["room", {}]]}],
        {"supersteps": [{"updates": [{"values": [["status", "open"]]}]}]},
        {"supersteps": 3},
        {"params": {"input": [["room", {}]]}},
        {"input": {}, "stream_mode": ["values", "events"]},
    ],
    ids=lambda body: json.dumps(body)[:50],
)
def test_input_has_one_form(body: Any) -> None:
    assert complaint_about(json.dumps(body).encode(), ANNS)


@pytest.mark.parametrize(
    "body",
    [b'{"input": {"game": "escape_room", "game": "/etc/passwd"}}', '{"a": 1}'.encode("utf-16")],
)
def test_a_body_that_readers_may_read_differently_is_refused(body: bytes) -> None:
    assert complaint_about(body, ANNS)


FROM_FILES = re.compile(r"\b(file|folder|catalogue)\b", re.IGNORECASE)


def test_whatever_a_run_would_read_from_a_file_is_known() -> None:
    """A new setting that says in its description that it may be a file has to be refused."""
    settings = [("", RunConfig.model_fields)]
    settings += [(game, type(games.load(game).params).model_fields) for game in games.names()]
    found = [
        (game, name)
        for game, fields in settings
        for name, field in fields.items()
        if FROM_FILES.search(field.description or "")
    ]
    assert {"game", "secrets", "prompts", "records"} <= {name for _, name in found}
    for game, name in found:
        given = {name: "anything.yaml"}
        room = {"game": game, "params": given} if game else given
        assert complaint_about(json.dumps({"context": room}).encode(), ANNS), (game, name)


def test_a_seat_is_paid_for_as_what_it_names() -> None:
    """Else a request to a cheap model could be one to another, for a hundred answers at once."""

    def asks(**beside: Any) -> str:
        seat = {"model": "openai:small", "extra_body": beside}
        return complaint_about(json.dumps({"context": {"seats": {"*": seat}}}).encode(), ANNS)

    for key in ("model", "models", "n", "best_of", "messages", "max_tokens", "service_tier"):
        assert asks(**{key: "openai:small"}).startswith(f"extra_body: here it cannot set {key};")
    assert asks(**dict.fromkeys(BESIDE, 1)) == ""
    own = {"temperature", "top_p", "seed", "stop", "max_tokens", "model", "stream"}
    assert not BESIDE & {*Seat.model_fields, *own}


@pytest.mark.parametrize("key", ["langgraph_auth_user", "langgraph_auth_permissions", "episode"])
def test_whose_a_run_is_is_not_said_by_a_request(key: str) -> None:
    payload = {"schedule": "* * * * *", "config": {"configurable": {key: {"identity": "bob"}}}}
    assert complaint_about(json.dumps(payload).encode(), ANNS) == f"{key}: only the server sets it"


def test_a_tenants_parties_sign_by_keys_of_their_own_alone() -> None:
    public = "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----"
    for keys, allowed in (
        ({"Bob": public}, True),
        ({"Bob": "operator"}, False),
        ({"Bob": {"name": "operator"}}, False),
        ({"Alice": public, "Bob": {"name": "operator", "public": public}}, False),
    ):
        body = json.dumps({"input": {"room": {"keys": keys}}}).encode()
        assert (complaint_about(body, ANNS) == "") == allowed, keys
    kept = json.dumps({"context": {"mandates": {"Bob": "kept:0123"}}}).encode()
    assert "mandates" in complaint_about(kept, ANNS)

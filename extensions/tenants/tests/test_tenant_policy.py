"""In which form a tenant's request comes, and which models it names."""

import json
import re
from typing import Any

import pytest

from shapley_coop import RunConfig, Seat, games
from shapley_coop.extensions.tenants.callers import Caller
from shapley_coop.extensions.tenants.configuration import BESIDE
from shapley_coop.extensions.tenants.policy import complaint_about
from tests.brought import brought_by

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


@brought_by("proof")
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


def refused(body: Any) -> str:
    return complaint_about(json.dumps(body).encode(), ANNS)


PLACES = [
    lambda room: {"input": {"room": room}},
    lambda room: {"context": room},
    lambda room: {"config": {"configurable": room}},
    lambda room: {"params": {"input": {"room": room}}},
    lambda room: {"command": {"update": {"room": room}}},
    lambda room: {"command": {"goto": {"node": "open", "input": {"room": room}}}},
    lambda room: {"supersteps": [{"updates": [{"values": {"room": room}}]}]},
    lambda room: {"params": {"message": {"parts": [{"kind": "data", "data": {"room": room}}]}}},
    lambda room: [{"input": {"room": room}}],
]
"""Where a request can hold a configuration."""

SEATS = [
    {"model": "openai:m", "base_url": "http://127.0.0.1:9"},
    "recording:/etc/passwd",
    {"model": "embedded:rational", "extra_body": {"model": "openai:large"}},
    "openai:large",
]


@pytest.mark.parametrize("agent", ["metadata", "room", "context", "settings", "input", "Alice"])
@pytest.mark.parametrize("place", PLACES)
def test_a_seat_is_a_seat_whatever_its_agent_is_called(
    place: Any, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_ALLOWED_MODELS", "embedded:*, recording:*, openai:m")
    for seat in SEATS:
        assert refused(place({"seats": {agent: seat}})), seat
    assert refused(place({"seats": {agent: "embedded:greedy"}})) == ""


@pytest.mark.parametrize("agent", ["url", "model", "market", "path", "secrets", "game"])
def test_an_agent_may_be_called_like_a_setting(agent: str) -> None:
    assert refused({"input": {"room": {"seats": {agent: "embedded:greedy"}}}}) == ""
    assert refused({"input": {"room": {"personas": {agent: "You are a miser."}}}}) == ""


@pytest.mark.parametrize(
    "key", ["__coop_owner__", "__coop_quota__", "__context_provided__", "__anything"]
)
def test_what_the_server_keeps_of_a_run_is_set_by_no_request(key: str) -> None:
    """Of a context's keys that a workflow does not know, LangGraph drops its own values, too."""
    for body in ({"context": {key: "ann"}}, {"config": {"configurable": {key: ""}}}, {key: 1}):
        assert refused(body) == f"{key}: only the server sets it"
    escaped = b'{"\\u0063ontext": {"\\u005f_coop_owner__": "ann"}}'
    assert complaint_about(escaped, ANNS) == "__coop_owner__: only the server sets it"
    assert "game" in complaint_about(b'{"\\u0063ontext": {"game": "/etc/passwd"}}', ANNS)


@pytest.mark.parametrize("place", PLACES)
@brought_by("proof")
def test_what_a_run_writes_into_its_settings_is_taken_from_no_request(place: Any) -> None:
    kept = "kept:" + "0" * 32
    for room in (
        {"game": {"name": "/dev/zero"}, "digests": {"name": "0:0"}},
        {"personas": {"Alice": kept}},
        {"mandates": {"Alice": kept}},
        {"prompts": kept},
        {"seats": {"*": {"model": "embedded:rational", "of_simulation": True}}},
    ):
        assert refused(place(room)), room
    assert refused({"values": {"settings": {}}}).startswith("settings: only a run writes them")
    # A room as a client makes it of its own settings names none of these.
    assert refused(place(RunConfig(personas={"Alice": "Be kind."}).model_dump(mode="json"))) == ""


def test_a_context_that_names_a_model_is_judged_as_a_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COOP_ALLOWED_MODELS", "openai:m")
    far = {"model": "openai:m", "base_url": "http://127.0.0.1:9"}
    for context in (far, {"model": "openai:large"}):
        assert refused({"assistant_id": "brought", "input": {"messages": []}, "context": context})
    assert refused({"assistant_id": "brought", "context": {"model": "openai:m", "seed": 3}}) == ""
    assert refused({"input": {"messages": [], "game": "/etc/passwd"}})

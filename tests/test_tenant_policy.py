"""In which form a tenant's request comes, and which models it names."""

import json
from typing import Any

import pytest

from shapley_coop.serve.server.callers import Caller
from shapley_coop.serve.server.tenant_policy import complaint_about

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

"""Settings of a run are checked before LangGraph's server begins it, and refused in one line."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from shapley_coop.extensions.server.known_keys import KnownKeys
from shapley_coop.extensions.server.serving.body_limit import BodyLimit


async def _begin(_: Request) -> Response:
    return PlainTextResponse("begun")


GUARDS = [Middleware(BodyLimit, most=10_000), Middleware(KnownKeys)]
CLIENT = TestClient(Starlette(routes=[Route("/runs", _begin, methods=["POST"])], middleware=GUARDS))

WRONG: dict[str, dict[str, Any]] = {
    "input: there is no setting 'room.gmae': did you mean 'game'?": {
        "input": {"room": {"gmae": "escape_room"}}
    },
    "input: room.rounds: it has to be a whole number": {"input": {"room": {"rounds": "many"}}},
    "context: rounds: it has to be a whole number": {"context": {"rounds": "many"}},
    "context: there is no setting 'seats.*.modle': did you mean 'model'?": {
        "context": {"seats": {"*": {"modle": "embedded:rational"}}}
    },
}


@pytest.mark.parametrize("told", WRONG)
def test_a_wrong_setting_is_refused_in_one_line_before_a_run_is_made(told: str) -> None:
    answer = CLIENT.post("/runs", json={"assistant_id": "shapley_coop", **WRONG[told]})
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert detail.startswith(told)
    assert "\n" not in detail


def test_a_conversation_with_a_workflow_that_it_cannot_play_is_refused() -> None:
    pytest.importorskip("shapley_coop.extensions.chat")
    answer = CLIENT.post("/runs", json={"assistant_id": "chat", "context": {"workflow": "nonsens"}})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("context: workflow: it has to be 'llm_only'")


@pytest.mark.parametrize(
    "given",
    [
        {"input": {}, "context": {}},
        {"input": {"room": None}},
        {"input": {"room": {"seats": {"*": "embedded:rational"}, "rounds": 2}, "verdict": "x"}},
        {"input": None, "context": {"preset": "contracts_paper"}},
    ],
)
def test_right_settings_begin_a_run(given: dict[str, Any]) -> None:
    assert CLIENT.post("/runs", json={"assistant_id": "contracts", **given}).text == "begun"

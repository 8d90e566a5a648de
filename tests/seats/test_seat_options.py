"""What a seat says beside its model: sampling, stops, a body of its own, a key, no stream."""

from typing import Any

import pytest
from pydantic import ValidationError

from shapley_coop.cli.options import seats_from
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.models import chat_model, check_seat
from shapley_coop.seats.seat import CredentialsMissing, Seat
from shapley_coop.seats.tracing import redact
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.embedded_reply import reply
from tests.stub_openai import StubOpenAI

KEY, OTHER = "sk-canary-2718281828", "local-canary-1618033"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("LOCAL_API_KEY", OTHER)


async def bodies(**settings: Any) -> list[dict[str, Any]]:
    with StubOpenAI(reply) as stub:
        seat = {"model": "openai:Alice", "base_url": stub.base_url, **settings}
        seats = {"Alice": seat, "*": "embedded:rational"}
        await play("llm_only", RunConfig.model_validate({"seats": seats}))
        return [request.body for request in stub.requests]


async def test_every_setting_reaches_the_endpoint_and_none_that_is_not_given() -> None:
    (plain,) = await bodies()
    assert plain.keys() == {"model", "messages", "stream"}
    given = {
        "temperature": 0.2,
        "top_p": 0.9,
        "seed": 7,
        "stop": ["END", "###"],
        "reasoning_effort": "low",
        "extra_body": {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}},
    }
    (body,) = await bodies(**given)
    extra = given.pop("extra_body")
    assert {key: body[key] for key in given} == given
    assert {key: body[key] for key in extra} == extra


async def test_a_seat_that_does_not_stream_is_asked_for_whole_answers() -> None:
    with StubOpenAI(reply) as stub:
        streams = Seat(model="openai:Alice", base_url=stub.base_url)
        whole = streams.model_copy(update={"stream": False})
        for seat in (streams, whole):
            model = chat_model(seat, agent="Alice", seed=0)
            letter = '```json\n{"you": "Alice", "ask": "reason"}\n```'
            _ = [chunk async for chunk in model.astream(letter)]
        streamed, not_streamed = (request.body for request in stub.requests)
    assert streamed["stream"] is True
    assert not not_streamed["stream"]


async def test_a_key_goes_to_the_endpoint_that_names_it_and_is_told_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with StubOpenAI(reply) as stub:
        seat = {"model": "openai:Alice", "base_url": stub.base_url, "key_env": "LOCAL_API_KEY"}
        seats = {"Alice": seat, "*": "embedded:rational"}
        outcome = await play("llm_only", RunConfig.model_validate({"seats": seats}))
        assert all(request.key_present for request in stub.requests)
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["settings"]["seats"]["Alice"]["key_env"] == "LOCAL_API_KEY"
    assert OTHER not in str(table)
    assert redact(f"Bearer {OTHER}") == "Bearer [redacted]"


def test_each_endpoint_is_sent_its_own_key() -> None:
    own = Seat(model="openai:x", base_url="http://127.0.0.1:1/v1", key_env="LOCAL_API_KEY")
    for seat, key in ((own, OTHER), (own.model_copy(update={"key_env": ""}), KEY)):
        model: Any = chat_model(seat, agent="Alice", seed=0)
        assert model.openai_api_key.get_secret_value() == key
        assert key not in repr(model)


def test_a_missing_key_of_ones_own_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_API_KEY")
    with pytest.raises(CredentialsMissing, match=r"^openai:x needs LOCAL_API_KEY: set it"):
        check_seat(Seat(model="openai:x", key_env="LOCAL_API_KEY"))


@pytest.mark.parametrize(
    "given",
    [
        {"key_env": "HOME"},
        {"key_env": "DATABASE_URL"},
        {"key_env": "local_api_key"},
        {"top_p": 0},
        {"seed": -1},
        {"stop": ["a"] * 5},
        {"answers": "json"},
        {"reasoning_effort": "Very high"},
    ],
    ids=str,
)
def test_a_setting_out_of_bounds_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Seat.model_validate(given)


def test_settings_with_commas_are_read_from_the_command_line() -> None:
    spec = "Bob=openai:gpt-x,temperature=0.2,stop=[END, STOP],extra_body={top_k: 20, n: [1, 2]}"
    seat = Seat.model_validate(seats_from("embedded:rational", [f"{spec},answers=schema"])["Bob"])
    assert (seat.model, seat.temperature, seat.answers) == ("openai:gpt-x", 0.2, "schema")
    assert seat.stop == ("END", "STOP")
    assert seat.extra_body == {"top_k": 20, "n": [1, 2]}
    with pytest.raises(ValueError, match="'loud' is no setting"):
        seats_from("openai:x,extra_body={a: 1},loud")


def test_seats_with_bodies_of_their_own_can_be_told_apart() -> None:
    one, other = (Seat(extra_body={"k": [n]}) for n in (1, 2))
    assert len({one, other, Seat(extra_body={"k": [1]})}) == 2
    assert Seat.model_validate_json(one.model_dump_json()) == one


def test_an_object_as_a_seat_is_refused_with_the_way_to_name_it() -> None:
    with pytest.raises(
        ValidationError, match=r"a function cannot be a seat: .*python:module:factory"
    ):
        RunConfig(seats={"Alice": lambda letter: letter})  # type: ignore[dict-item]

"""Each workflow's own form: its games, its default, its prompts; and how two rooms merge."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shapley_coop.games import names as games
from shapley_coop.graphs import builder, names
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.workflow_config import configuration, merge_settings
from tests.brought import brought_by


def form(graph: str) -> dict[str, Any]:
    found = builder(graph).compile(name=graph).get_context_jsonschema()
    assert found is not None
    return found


def offered(graph: str) -> list[str]:
    """The games that a workflow's form names."""
    named: list[str] = form(graph)["properties"]["game"]["anyOf"][0]["enum"]
    return named


@pytest.mark.parametrize("graph", names())
def test_what_a_form_is_filled_in_with_is_played(graph: str) -> None:
    fields = form(graph)["properties"]
    defaults = {name: field["default"] for name, field in fields.items()}
    app = builder(graph).compile(name=graph)
    *_, played = app.stream({}, context=defaults, stream_mode="values")
    assert played["status"] in ("agreed", "no_deal")
    assert played["settings"]["game"] == fields["game"]["default"]
    assert fields["game"]["default"] in offered(graph)


@pytest.mark.parametrize("graph", names())
def test_a_form_offers_the_games_that_the_workflow_plays_and_no_others(graph: str) -> None:
    app = builder(graph).compile(name=graph)
    assert offered(graph)
    for game in set(games()) - set(offered(graph)):
        with pytest.raises(ValueError, match=rf"{graph} plays \w+, not"):
            app.invoke({"room": {"game": game}})


@pytest.mark.parametrize("graph", names())
def test_prompts_and_seats_are_fields(graph: str) -> None:
    page, fields = builder(graph), form(graph)["properties"]
    assert fields["instructions"]["langgraph_type"] == "prompt"
    assert fields["instructions"]["langgraph_nodes"] == list(page.askings)
    assert set(page.askings) <= set(page.nodes)
    assert {"*", "summariser", "judge"} <= fields["seats"]["properties"].keys()


@brought_by("exchange")
def test_a_workflow_of_one_game_types_its_parameters() -> None:
    check = Draft202012Validator(form("task_exchange"))
    check.validate({"params": {"atoms": 6}})
    assert not check.is_valid({"params": {"atoms": "many"}})
    assert not check.is_valid({"params": {"atomz": 6}})
    assert not check.is_valid({"game": "escape_room"})


@brought_by("exchange")
def test_an_exchange_plays_tasks_and_never_the_escape_room() -> None:
    assert "escape_room" not in offered("task_exchange")
    with pytest.raises(ValueError, match="plays task_exchange, not escape_room"):
        builder("task_exchange").compile().invoke({"room": {"game": "escape_room"}})


def test_room_and_context_merge_field_by_field() -> None:
    app = builder("llm_only").compile()
    context = {"seed": 7, "rounds": 5, "seats": {"Alice": "embedded:greedy", "*": "embedded:micro"}}
    room = {"seed": 8, "seats": {"Bob": "embedded:stubborn"}}
    *_, table = app.stream({"room": room}, context=context, stream_mode="values")
    settings = table["settings"]
    assert (settings["seed"], settings["rounds"]) == (8, 5)
    models = {agent: seat["model"] for agent, seat in settings["seats"].items()}
    assert models == {"Alice": "embedded:greedy", "Bob": "embedded:stubborn"}


def test_a_room_for_a_workflow_can_be_an_object() -> None:
    *_, played = (
        builder("llm_only").compile().stream({"room": RunConfig(seed=4)}, stream_mode="values")
    )
    assert played["settings"]["seed"] == 4


def test_parameters_of_another_game_are_left_behind() -> None:
    context = RunConfig(game="public_goods", params={"rounds": 2})
    assert merge_settings(context, RunConfig(params={"factor": 2}))["params"] == {
        "rounds": 2,
        "factor": 2,
    }
    assert "params" not in merge_settings(context, RunConfig(game="escape_room"))
    assert merge_settings(None, None) == {}


@brought_by("exchange")
def test_a_room_alone_is_the_configuration_and_a_context_is_merged_into_it() -> None:
    kind = builder("task_exchange").context_schema
    assert kind is not None
    room = kind(seed=4)
    assert configuration(kind, None, room) is room
    assert configuration(kind, kind(), room) is room
    both = configuration(kind, kind(seed=3, rounds=5), room)
    assert (both.seed, both.rounds) == (4, 5)
    assert configuration(kind, None, RunConfig(seed=4)).game == "task_exchange"
    assert configuration(kind, None, RunConfig(game="escape_room")).game == "escape_room"


def test_an_unknown_key_of_a_room_is_named() -> None:
    with pytest.raises(ValueError, match="sed"):
        builder("llm_only").compile().invoke({"room": {"sed": 3}})


def test_the_outcome_is_in_the_unit_of_the_game() -> None:
    played = builder("shapley_coop").compile().invoke({"room": {"seed": 3}})
    assert played["outcome"]["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert played["outcome"]["rewards"] == {"Alice": 10, "Bob": -1}
    assert sum(t["amount"] for t in played["outcome"]["transfers"]) == 5.5


async def test_what_waits_for_models_holds_its_settings_once() -> None:
    run, updates = prepare("llm_only", RunConfig(seed=5)), dict[str, dict[str, Any]]()
    await follow(run, updates.__setitem__)
    assert updates["open"]["settings"] is run.room
    assert prepare("llm_only", RunConfig(seed=6)).room["seed"] == 6

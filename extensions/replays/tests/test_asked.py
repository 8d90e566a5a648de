"""Replays in which members are asked again, told who is present."""

import pytest

from shapley_coop.extensions.replays.asked import asked_again
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop, valid


def test_who_answers_defection_in_kind_is_due_less_when_asked_than_by_its_schedule(
    coop: Coop,
) -> None:
    """Asked alone against a defector, tit for tat cooperates once, and v is 1; by schedule, 10."""
    seats = ("--agent", "Alice=embedded:tit_for_tat", "--agent", "Bob=embedded:cooperator")
    coop("run", "prisoners_dilemma", "-g", "llm_only", *seats, "--name", "pd", "--json")
    report = coop("credit", "pd", "--replay", "asked", "--json").result
    assert report["values"] == {"Alice": 10, "Bob": 10}
    assert report["asked"]["values"] == {"Alice": 5.5, "Bob": 14.5}
    assert report["asked"]["as_recorded"]
    assert (
        "with everybody present they did as recorded"
        in coop("credit", "pd", "--replay", "asked").out
    )


@pytest.mark.parametrize(
    "game",
    [
        "escape_room",
        pytest.param("volunteers", marks=pytest.mark.slow),
        pytest.param("public_goods", marks=pytest.mark.slow),
    ],
)
def test_with_everybody_present_embedded_agents_do_as_they_did(coop: Coop, game: str) -> None:
    outcome = valid(coop("run", game, "--seed", "1", "--name", "one", "--json").result)
    asked = coop("credit", "one", "--replay", "asked", "--json").result["asked"]
    assert asked["as_recorded"]
    assert asked["improvement"] == pytest.approx(outcome["credit"]["worth_of_all"])


def test_it_reports_and_leaves_no_trace_in_the_run(coop: Coop) -> None:
    coop("run", "escape_room", "--name", "er", "--json")
    before = home().runs.get("er").result
    coop("credit", "er", "--replay", "asked")
    assert home().runs.get("er").result == before
    assert coop("verify", "er").code == 0


@pytest.mark.parametrize("model", ["human", "openai:some-model", "recording:letters.jsonl"])
def test_models_people_and_recordings_are_not_asked_again(model: str) -> None:
    settings = RunConfig().resolve().model_dump(mode="json")
    settings["seats"]["Bob"]["model"] = model
    table = EvaluatedTable({"episode": "e", "settings": settings, "record": []})
    with pytest.raises(ValueError, match="needs embedded agents only: not Bob"):
        asked_again(table, "shapley")


def test_another_word_for_how_to_replay_is_refused(coop: Coop) -> None:
    refused = coop("credit", "er", "--replay", "sometimes")
    assert refused.code == 2
    assert "give recorded or asked" in refused.err


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("delivered", (), "needs the baseline"),
        ("public_goods", ("--absent", "random"), "needs the baseline"),
        ("escape_room", ("--set", "agents=7"), "at most 6 agents"),
    ],
)
def test_what_cannot_be_asked_again_is_refused_in_one_line(
    coop: Coop, game: str, options: tuple[str, ...], why: str
) -> None:
    coop("run", game, "-g", "llm_only", *options, "--name", "one", "--json")
    refused = coop("credit", "one", "--replay", "asked")
    assert refused.code == 2
    assert why in refused.err
    assert refused.err.count("\n") == 1

"""Programs and keys: what others may name, and what only the operator may."""

import json
from pathlib import Path

import pytest

from shapley_coop import games
from shapley_coop.games.catalogue import load, run_only
from shapley_coop.seats import keys
from shapley_coop.seats.keys import bind_keys, key_for, keys_bound
from shapley_coop.seats.seat import Seat
from tests.brought import brought_by


@brought_by("pettingzoo")
def test_a_server_runs_the_programs_that_its_command_line_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.games.programs._named", None)
    ran = tmp_path / "ran"
    source = f"""import pathlib
from shapley_coop.games import escape_room
from tests.brought import brought_by
pathlib.Path({str(ran)!r}).touch()
GAME = escape_room.GAME
"""
    own, foreign = tmp_path / "own.py", tmp_path / "foreign.py"
    own.write_text(source)
    foreign.write_text(source)
    run_only([str(own)])
    for program in (str(foreign), f"{tmp_path}/./foreign.py", "pettingzoo:os:getcwd"):
        with pytest.raises(games.GameError, match="coop dev --game"):
            load(program)
    assert not ran.exists()
    assert load("escape_room").name == "escape_room"


ELSEWHERE = Seat(model="openai:m", base_url="https://attacker.example/v1")


def test_a_key_goes_to_no_endpoint_that_somebody_else_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keys, "_bound", False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    assert key_for(ELSEWHERE, "OPENAI_API_KEY") == "sk-mine"  # named on the command line
    with keys_bound():
        assert key_for(ELSEWHERE, "OPENAI_API_KEY") == ""
    bind_keys()
    assert key_for(ELSEWHERE, "OPENAI_API_KEY") == ""
    assert key_for(Seat(model="openai:m"), "OPENAI_API_KEY") == "sk-mine"
    monkeypatch.setenv(keys.KEY_URLS, "OPENAI_API_KEY=https://mine.example/v1")
    for url, got in {
        "https://mine.example/v1": "sk-mine",
        "https://mine.example/v1/below": "sk-mine",
        "https://mine.example/v1/../other": "",
        "https://mine.example/v1/%2e%2e/other": "",
        "https://mine.example/v1/%252e%252e/other": "",
        "https://mine.example/v1/x%2f..%2f../other": "",
        "https://mine.example/v1/..;a/other": "",
        "https://mine.example/v10": "",
        "https://mine.example.attacker.example/v1": "",
        "https://mine.example@attacker.example/v1": "",
        "http://mine.example/v1": "",
    }.items():
        assert key_for(Seat(model="openai:m", base_url=url), "OPENAI_API_KEY") == got, url
    monkeypatch.setenv(keys.KEY_URLS, "https://mine.example")
    with pytest.raises(ValueError, match="give VARIABLE=URL"):
        key_for(ELSEWHERE, "OPENAI_API_KEY")


def test_the_client_itself_sends_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapley_coop.seats.clients import Clients
    from shapley_coop.seats.endpoint import _build

    monkeypatch.setattr(keys, "_bound", True)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    model = _build(ELSEWHERE, Clients())
    assert "sk-mine" not in json.dumps(model.openai_api_key.get_secret_value())

"""The experiments' commands, as somebody types them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from shapley_coop.cli.commands import command_line
from tests.brought import brought_by
from tests.evals.swept import SUITE, ablation


def coop(*arguments: object) -> Result:
    return CliRunner().invoke(command_line(), [str(a) for a in arguments])


def said(*arguments: object) -> str:
    done = coop(*arguments)
    assert done.exit_code == 0, done.output or done.exception
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ablation(tmp_path_factory)


def test_a_shipped_suite_is_swept_once(tmp_path):
    out = tmp_path / "out"
    assert "5 run, 0 there before, 0 left" in said("sweep", "escape_room", "-o", out, "--seeds", 0)
    assert "0 run, 5 there before, 0 left" in said("sweep", "escape_room", "-o", out, "--seeds", 0)


def test_a_sweep_with_nothing_left_loads_no_player(folder, tmp_path):
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    loaded = "{'langgraph', 'langchain_core'} & sys.modules.keys()"
    code = f"import sys; from shapley_coop.cli import main\ntry: main()\nfinally: print({loaded})"
    command = [sys.executable, "-c", code, "sweep", str(tmp_path / "mini.yaml"), "-o", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["set()"]


def test_only_so_many_cells_are_run_as_are_asked_for(tmp_path):
    out = tmp_path / "out"
    assert "1 run" in said("sweep", "escape_room", "-o", out, "--seeds", "0-2", "--limit", 1)
    told = json.loads(said("status", out, "--json"))
    assert told == {
        "suites": {"escape_room": {"cells": 15, "done": 1, "failed": 0}},
        "skipped": {},
        "failures": [],
    }


def test_a_dry_run_tells_and_leaves_nothing(tmp_path):
    told = said("sweep", "escape_room", "-o", tmp_path / "out", "--seeds", "0-9", "--dry-run")
    assert "50 cells to run, 0 there already" in told
    assert "0.0000 USD" in told
    assert "pilot of 5 runs" in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_batches_are_refused_where_nothing_asks_in_them(tmp_path, monkeypatch, options):
    given = ("sweep", "escape_room", "-o", tmp_path / "out", "--seeds", "0")
    said(*given)  # also where nothing is left to play
    monkeypatch.setattr("shapley_coop.extension.offered", lambda kind: {})
    refused = coop(*given, "--batch", *options)
    assert str(refused.exception).startswith("--batch: no extension that asks in `batches`")


def test_before_anything_is_paid_a_dry_run_tells_a_range_and_what_it_is_from(tmp_path):
    path = tmp_path / "paid.yaml"
    path.write_text(
        "base: {game: escape_room, seats: {'*': {model: openai:gpt-5-mini, max_tokens: 100}}}\n"
        "vary: {tries: [1, 4]}\n"
    )
    told = said("sweep", path, "-o", tmp_path / "out", "--dry-run")
    low, high = map(float, re.findall(r"([0-9.]+) to ([0-9.]+) USD", told)[0])
    assert 0 < low < high
    reason = "from answers as short as the pilot's to the longest that the seats allow"
    assert reason in " ".join(told.split())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["sweep", "nope"], "no suite 'nope'"),
        (["sweep", "escape_room", "--shard", "3"], "--shard 3: give i/n"),
        (["sweep", "escape_room", "--shard", "3/2"], "--shard 3/2: give i/n"),
        (["sweep", "escape_room", "--seeds", "x"], "'x' is not a list of seeds"),
        (["status", "nowhere"], "nowhere holds no sweep"),
        (["sweep", "escape_room", "--seeds", "3-1"], "3-1 contains no seed"),
        (["sweep", "escape_room", "-o", f"{__file__}/x"], "the folder cannot be made"),
    ],
)
def test_bad_input_is_one_line_that_says_what_would_be_right(arguments, complaint):
    done = coop(*arguments)
    assert isinstance(done.exception, ValueError)
    assert complaint in str(done.exception)
    assert "\n" not in str(done.exception)


def test_a_place_that_cannot_be_written_is_one_line(folder):
    done = coop("merge", folder, "-o", f"{__file__}/x")
    assert isinstance(done.exception, ValueError)
    assert "the folder cannot be made" in str(done.exception)


def test_all_sweeps_what_can_be_played_and_tells_of_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr("shapley_coop.extensions.sweeps.suite._SHIPPED", tmp_path)
    monkeypatch.setattr("shapley_coop.extension.offered", lambda kind: {})
    for name in ("escape_room", "broken"):
        game = "escape_room" if name == "escape_room" else "nope"
        text = f"name: {name}\nbase: {{game: {game}, graph: llm_only}}\n"
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    done = coop("sweep", "all", "-o", tmp_path / "out")
    assert done.exit_code == 0
    assert "1 run" in done.stdout
    assert "skipped broken: suite broken, base: no game 'nope'" in done.stderr
    assert json.loads(said("status", tmp_path / "out", "--json"))["skipped"].keys() == {"broken"}


@brought_by("experiments")
def test_an_evaluation_with_prices_tells_what_each_condition_costs(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("'openai:*': {input: 1, output: 2}\n")
    given = ("escape_room", "-o", tmp_path / "out", "--seeds", 0, "--json")
    told = json.loads(said("eval", *given, "--prices", prices))
    costs = {name: found["cost"]["value"] for name, found in told["conditions"].items()}
    assert costs == dict.fromkeys(costs, 0.0)  # embedded agents are free
    assert "cost" not in next(iter(json.loads(said("eval", *given))["conditions"].values()))

"""A sweep in parts on several machines, and what it keeps."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.playing import FAILURES, is_removed
from shapley_coop.extensions.sweeps.store import FILE
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import USAGE, Coop, one_line
from tests.evals.swept import registered, run, suite

SUITE = (
    "name: mini\nbase: {game: escape_room}\nvary: {graph: [llm_only, negotiation]}\nseeds: 0-3\n"
)


@pytest.fixture
def coop(coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Coop:
    monkeypatch.setenv("COOP_HOME", str(tmp_path / "home"))
    (tmp_path / "suite.yaml").write_text(SUITE)
    return coop


LIMITS = [("--cost-limit", "1"), ("--rpm", "60"), ("--tpm", "openai=9000")]


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_each_shard_would_spend_again_is_refused(coop, limit):
    said = one_line(coop("sweep", "suite.yaml", "-o", "out", "--shard", "2/8", *limit), USAGE)
    assert f"{limit[0]}: each of 8 shards would spend the whole limit" in said
    assert "give one (COOP_DATABASE_URL), or limit the key at its provider" in said
    assert not Path("out").exists()
    assert coop("sweep", "suite.yaml", "-o", "out", "--shard", "1/1", *limit).code == 0


@pytest.mark.parametrize("limit", LIMITS[1:])
def test_a_pace_that_a_server_would_not_keep_is_refused(coop, limit):
    asked = ("sweep", "suite.yaml", "-o", "out", "--remote", "http://127.0.0.1:9", *limit)
    assert (
        f"{limit[0]}: the server makes the calls: give it and this sweep one database"
        in one_line(coop(*asked), USAGE)
    )


@pytest.mark.parametrize("given", ["2", "1/0", "0/2", "3/2", "a/b", "auto"])
def test_a_shard_that_is_none_is_one_line_and_leaves_nothing(coop, given):
    said = one_line(coop("sweep", "suite.yaml", "-o", "out", "--shard", given), USAGE)
    assert f"--shard {given}: give i/n with 1 ≤ i ≤ n, as in 1/2" in said
    assert not Path("out").exists()


def letters() -> int:
    """How many answers the home keeps of all runs."""
    return sum(len(list(home().journal.entries(e))) for e in episodes())


def episodes() -> list[str]:
    return [run.result["episode"] for run in home().runs.list() if run.result]


@pytest.mark.parametrize(("keep", "kept"), [("all", 4), ("failures", 0), ("none", 0)])
def test_letters_and_checkpoints_stay_of_the_runs_that_are_to_be_kept(tmp_path, keep, kept):
    made = suite(vary={"graph": ["llm_only", "negotiation"]}, seeds="0-1")
    tally = run(made, tmp_path, player=Local(registered(tmp_path, made), keep))
    assert tally.done == 4
    assert len(home().runs.list()) == len(episodes()) == kept
    assert (letters() > 0) == bool(kept)
    assert run(made, tmp_path, player=Local("another", keep)).before == 4


@pytest.mark.parametrize(("keep", "kept"), [("failures", True), ("none", False)])
@pytest.mark.parametrize("status", FAILURES)
def test_a_run_that_went_wrong_is_a_failure_to_be_kept(keep, kept, status):
    assert is_removed(keep, status) != kept
    assert is_removed(keep, "no_deal")


def test_a_cell_that_did_not_end_is_kept_and_goes_on(tmp_path, script):
    made = suite(vary={"graph": ["llm_only"]}, seeds=[0])
    script["Bob", "act"] = [RuntimeError("broken"), "<ACTION>lever</ACTION>"]
    player = Local(registered(tmp_path, made), "none")
    assert run(made, tmp_path, player=player).failed == 1
    assert len(home().runs.list()) == 1
    assert run(made, tmp_path, player=player).done == 1
    assert len(script.shown_to("Alice", "act")) == 1
    assert home().runs.list() == []


def test_what_a_killed_sweep_had_not_removed_is_removed_by_the_next(tmp_path, monkeypatch):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-1")
    sweep = registered(tmp_path, made)

    async def killed(*_: Any) -> None:
        """As if the process had died after the row was written."""

    with monkeypatch.context() as patch:
        patch.setattr("shapley_coop.extensions.sweeps.local.remove", killed)
        run(made, tmp_path, player=Local(sweep, "none"))
    assert len(home().runs.list()) == 2
    assert run(made, tmp_path, player=Local(sweep, "none")).done == 0
    assert home().runs.list() == []


def test_neither_a_pipe_nor_a_device_that_came_with_a_folder_is_read(tmp_path):
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(ValueError, match="is not a file"):
        read_rows(tmp_path)
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="is not a file"):
        read_rows(tmp_path)


def test_runs_are_listed_without_the_cells_of_sweeps(coop):
    assert coop("run", "escape_room", "--name", "mine").code == 0
    assert coop("sweep", "suite.yaml", "-o", "out", "--limit", "2").code == 0
    listed = coop("runs", "--json")
    assert [one["run"] for one in listed.result] == ["mine"]
    assert "2 cells of sweeps are left out: coop runs --sweeps" in listed.err
    assert len(coop("runs", "--sweeps", "--json").result) == 3


@brought_by("reports")
def test_an_export_replaces_no_file_unless_it_is_told(coop):
    assert coop("sweep", "suite.yaml", "-o", "out", "--limit", "1").code == 0
    assert coop("export", "out", "-o", "tables").code == 0
    Path("tables/runs.csv").write_text("mine")
    assert "tables/runs.csv exists" in one_line(coop("export", "out", "-o", "tables"), 2)
    assert Path("tables/runs.csv").read_text() == "mine"
    assert coop("export", "out", "-o", "tables", "--force").code == 0
    assert Path("tables/runs.csv").read_text() != "mine"
    assert json.loads(coop("status", "out", "--json").out)["suites"]["mini"]["done"] == 1

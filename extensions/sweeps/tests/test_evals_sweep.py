"""Sweeps: nothing is run twice, nothing is lost, limits hold, whenever the process is killed."""

import json
import random
from pathlib import Path

import pytest

from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.checks import check_cells
from shapley_coop.extensions.sweeps.folders import failures_in, merge, read_rows
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.store import FILE, Store
from shapley_coop.seats.seat import CredentialsMissing, SeatError
from shapley_coop.state.storage.home import Home, home
from tests.evals.swept import SUITE, ablation, change, kept, reworded, run, suite
from tests.warm_coop import WRITES, Stop, warm_coop

KILLS = 10
ROW = "shapley_coop.extensions.sweeps.workers:Worker.finished"


def volatile_of(folder):
    """Cell → its volatile fields."""
    return {line["cell"]: line for line in map(json.loads, kept(folder, volatile=True))}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep that nothing interrupts."""
    return ablation(tmp_path_factory)


@pytest.mark.slow
def test_a_sweep_killed_at_random_ends_with_the_rows_of_an_uninterrupted_one(tmp_path, whole):
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    folder, moments = tmp_path / "out", random.Random(11)
    coop = warm_coop(Home(tmp_path / "home"), tmp_path)
    command = ["sweep", "mini.yaml", "-o", str(folder), "--max-connections", "2"]
    for _ in range(KILLS):
        before = moments.random() < 0.5
        stop = Stop(write=moments.randint(1, 12), before=before, at=(*WRITES, ROW))
        assert coop.run(*command, stop=stop).killed
    assert coop.run(*command).code == 0
    assert kept(folder) == kept(whole)


@pytest.mark.slow
@pytest.mark.xdist_group("sweep")
def test_two_shards_in_two_processes_merge_to_the_whole_byte_for_byte(tmp_path, whole):
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    shards = [tmp_path / "one", tmp_path / "two"]
    coops = [warm_coop(Home(tmp_path / f"home{part}"), tmp_path) for part in (1, 2)]
    halves = [
        coop.start("sweep", "mini.yaml", "-o", str(folder), "--shard", f"{part}/2")
        for part, (coop, folder) in enumerate(zip(coops, shards, strict=True), start=1)
    ]
    assert [half.result().code for half in halves] == [0, 0]
    assert merge(shards, tmp_path / "merged") == 12
    assert kept(tmp_path / "merged") == kept(whole)
    assert all(0 < len(kept(folder)) < 12 for folder in shards)
    assert read_rows(tmp_path / "merged") == read_rows(whole)


def test_running_again_runs_nothing_twice(tmp_path):
    made = suite(vary={"graph": ["llm_only"]})
    first = run(made, tmp_path)
    assert (first.done, first.before, first.left) == (3, 0, 0)
    before, played = kept(tmp_path), len(home().runs.list())
    again = run(made, tmp_path)
    assert (again.done, again.before, again.left) == (0, 3, 0)
    assert kept(tmp_path) == before
    assert len(home().runs.list()) == played == 3


def test_seeds_that_are_added_are_all_that_is_run(tmp_path):
    run(suite(vary={"graph": ["llm_only"]}, seeds="0-1"), tmp_path)
    more = run(suite(vary={"graph": ["llm_only"]}, seeds="1-3"), tmp_path)
    assert (more.done, more.before) == (2, 1)
    with Store(tmp_path) as store:
        assert store.content["suites"]["mini"]["seeds"] == [0, 1, 2, 3]
    assert [row["seed"] for row in read_rows(tmp_path)] == [0, 1, 2, 3]


def test_a_run_that_ended_before_its_row_was_written_is_read_and_not_repeated(tmp_path):
    made = suite(vary={"graph": ["shapley_coop"]}, seeds=[3])
    run(made, tmp_path)
    before = kept(tmp_path)
    change(tmp_path, "DELETE FROM sweep_rows")
    change(tmp_path, "DELETE FROM sweep_taken")
    (name,) = (one.run for one in home().runs.list())
    assert run(made, tmp_path).done == 1
    assert kept(tmp_path) == before
    assert [one.run for one in home().runs.list()] == [name]
    assert volatile_of(tmp_path)[json.loads(before[0])["cell"]]["resumed"]


def test_a_file_that_is_no_sweeps_is_refused_in_a_line(tmp_path):
    with pytest.raises(ValueError, match="holds no sweep"):
        read_rows(tmp_path)
    (tmp_path / FILE).write_text("garbage" * 999)
    with pytest.raises(ValueError, match=r"sweep\.sqlite is not a sweep's file, or it is damaged"):
        read_rows(tmp_path)


def test_rows_hold_nothing_that_differs_between_equal_runs(whole):
    for row in read_rows(whole):
        assert not {"run", "episode", "timing"} & {*row, *row["result"]}
    volatile = volatile_of(whole)
    assert set(volatile) == {row["cell"] for row in read_rows(whole)}
    for line in volatile.values():
        assert set(line["phases"]) == {"negotiation", "action", "settlement"}
        assert line["seconds"] > 0
        assert line["commit"]


def test_wall_time_is_split_by_turn_and_phase(whole):
    volatile = volatile_of(whole)
    for row in read_rows(whole):
        line = volatile[row["cell"]]
        for phase, seconds in line["phases"].items():
            by_turn = sum(turn.get(phase, 0) for turn in line["turns"])
            assert by_turn == pytest.approx(seconds)


def test_a_real_failure_says_whose_seat_it_was_and_a_later_sweep_goes_on(tmp_path, script):
    made = suite(vary={"graph": ["llm_only"]}, seeds=[0])
    script["Bob", "act"] = [RuntimeError("secret text"), "<ACTION>lever</ACTION>"]
    tally = run(made, tmp_path)
    assert tally.failed == 1
    (failure,) = failures_in(tmp_path)
    assert "Bob's seat (embedded:rational) did not answer" in failure["error"]
    assert "secret" not in json.dumps(failure)
    assert run(made, tmp_path).done == 1
    assert len(script.shown_to("Alice", "act")) == 1


def test_a_seat_without_its_key_is_refused_before_anything_is_played():
    with pytest.raises(CredentialsMissing, match="OPENAI_API_KEY"):
        check_cells(expand(suite(base={"seats": {"*": "openai:gpt-5-mini"}})))


def test_a_person_is_not_asked_by_a_sweep():
    with pytest.raises(ValueError, match="cannot ask people"):
        check_cells(expand(suite(base={"seats": {"*": "human"}})))


def test_folders_that_disagree_about_a_cell_are_not_merged(tmp_path, whole):
    made = suite(vary={"graph": ["llm_only"]}, seeds=[0])
    run(made, tmp_path / "one")
    run(made, tmp_path / "two")
    reworded(tmp_path / "two", '"status": "no_deal"', '"status": "agreed"')
    merged = tmp_path / "merged"
    with pytest.raises(ValueError, match="holds no sweep"):
        merge([tmp_path / "one", tmp_path], merged)
    assert not merged.exists()
    with pytest.raises(ValueError, match="another run of cell"):
        merge([tmp_path / "one", tmp_path / "two"], merged)
    with pytest.raises(ValueError, match="holds no sweep"):
        read_rows(merged)
    with pytest.raises(ValueError, match="merge into a new folder"):
        merge([whole], whole)


async def test_a_player_finds_what_an_unfinished_run_has_cost(script):
    (cell,) = expand(suite(vary={"graph": ["negotiation"]}, seeds=[1]))
    script["Bob", "answer"] = RuntimeError("gone")
    player = Local("paid")
    with pytest.raises(SeatError):
        await player.play(cell)
    assert [call["agent"] for call in await player.paid_for(cell)] == ["Alice"]
    assert await Local("other").paid_for(cell) == []

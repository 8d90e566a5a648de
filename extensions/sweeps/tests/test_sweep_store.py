"""A sweep's folder is one file: each cell's row once, whoever plays it, dies, or looks."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from extensions.sweeps.tests.test_evals_limits import DEAR, Paid
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import left_in, merge, read_rows
from shapley_coop.extensions.sweeps.playing import Limits
from shapley_coop.extensions.sweeps.store import FILE, Store
from shapley_coop.extensions.sweeps.stored import PAGE
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.state.storage.home import Home
from tests.brought import brought_by
from tests.coop_command import Coop
from tests.evals.swept import SUITE, ablation, change, kept, reworded, run, run_once, suite
from tests.warm_coop import WRITES, Stop, warm_coop

SEEDS = 3 * PAGE
BIG = suite(vary={"graph": ["llm_only"]}, seeds=f"0-{SEEDS - 1}")
KILLS, PROCESSES = 10, 4
ROW = "shapley_coop.extensions.sweeps.workers:Worker.finished"
TAKE = "shapley_coop.extensions.sweeps.workers:Worker.take"


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    """A folder with a row for each cell of BIG."""
    with Store(tmp_path, new=True) as store, Worker(store) as worker:
        store.register([BIG], {})
        for cell in expand(BIG):
            row = {"cell": cell.id, "suite": "mini", "labels": cell.labels, "calls": []}
            worker.finished({**row, "seed": cell.seed, "repetition": 0}, {"cell": cell.id})
    return tmp_path


def resumed(folder: Path) -> tuple[int, int]:
    """What a sweep does that finds nothing left: runs done, runs there before."""
    tally = run(BIG, folder, Limits(), Paid(), DEAR)
    return tally.done, tally.before


def test_a_folder_is_one_file_once_nobody_has_it_open(tmp_path):
    run(suite(seeds=[0]), tmp_path / "out", player=Paid())
    assert [path.name for path in (tmp_path / "out").iterdir()] == [FILE]


def test_a_sweep_with_nothing_left_needs_no_key(tmp_path, coop: Coop):
    seats = {"*": "openai:gpt-5-mini"}
    made = suite(base={"game": "escape_room", "seats": seats}, vary={"graph": ["llm_only"]})
    (tmp_path / "paid.yaml").write_text(made.model_dump_json(), encoding="utf-8")
    words = ("sweep", str(tmp_path / "paid.yaml"), "-o", str(tmp_path / "out"))
    assert "OPENAI_API_KEY" in coop(*words).err
    run(made, tmp_path / "out", player=Paid())
    assert coop(*words).out == f"{tmp_path / 'out'}: 0 run, 3 there before, 0 left\n"


def test_a_row_that_was_deleted_by_hand_is_played_again(swept):
    change(swept, "DELETE FROM sweep_rows WHERE seed = 7")
    assert resumed(swept) == (1, SEEDS - 1)
    assert resumed(swept) == (0, SEEDS)


def test_conditions_come_in_the_order_of_the_suite(tmp_path):
    made = suite(seeds="0-1", vary={"graph": ["negotiation", "llm_only"], "rounds": [2, 1]})
    run(made, tmp_path, player=Paid())
    found = [(*row["labels"].values(), row["seed"]) for row in read_rows(tmp_path)]
    assert found == [(*cell.labels.values(), cell.seed) for cell in expand(made)]


def row(cell: str, **more: Any) -> dict[str, Any]:
    return {"cell": cell, "suite": "mini", "labels": {}, "seed": 0, "repetition": 0, **more}


def test_a_cell_is_taken_by_one_process_and_its_first_row_counts(tmp_path):
    with Store(tmp_path, new=True) as store, Worker(store) as one, Worker(store) as two:
        assert [one.take("a"), two.take("a"), one.take("a"), two.take("b")] == [1, 0, 0, 1]
        two.failed({"cell": "a"}, 2.0)
        assert store.failed_cost("a") == 2.0
        one.finished(row("a", by="one"), {})
        two.finished(row("a", by="two"), {})
        assert not store.failures()
        assert not two.take("a")
        store.register([BIG], {})
        assert [found["by"] for found in store.rows()] == ["one"]


def test_what_a_process_had_taken_is_free_once_it_has_ended(tmp_path):
    with Store(tmp_path, new=True) as store, Worker(store) as one:
        with Worker(store) as two:
            assert two.take("a")
            one.bury()
            assert not one.take("a"), "it lives"
        assert one.take("a")


@pytest.mark.slow
@pytest.mark.xdist_group("sweep")
def test_four_processes_that_are_killed_ten_times_leave_every_row_once(
    tmp_path, tmp_path_factory: pytest.TempPathFactory
):
    whole = ablation(tmp_path_factory)
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    coop, folder = warm_coop(Home(tmp_path / "home"), tmp_path), tmp_path / "out"
    command = ("sweep", "mini.yaml", "-o", str(folder), "--max-connections", "2")
    killed = 0
    while killed < KILLS:
        stops = [
            Stop(write=1 + (killed + n) % 5, before=n % 2 == 0, at=(*WRITES, ROW, TAKE))
            for n in range(PROCESSES)
        ]
        if len(left_in(folder, expand(suite()))) < 3:  # else nobody is left to be killed
            change(folder, "DELETE FROM sweep_rows")
        under_way = [coop.start(*command, stop=stop) for stop in stops]
        killed += sum(one.result().killed for one in under_way)
    ends = [coop.start(*command) for _ in range(PROCESSES)]
    assert [end.result().code for end in ends] == [0] * PROCESSES
    assert kept(folder) == kept(whole)


def test_what_was_killed_and_no_process_lives_for_is_played_by_one_that_ends_last(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-3")
    with Store(tmp_path, new=True) as store:
        killed = Worker(store)  # holds no lease any more
        assert killed.take(expand(made)[0].id)
        assert run(made, tmp_path, player=Paid()).done == 4
        with Worker(store) as living:
            change(tmp_path, "DELETE FROM sweep_rows")
            assert living.take(expand(made)[1].id)
            tally = run(made, tmp_path, player=Paid())
            assert (tally.done, tally.left) == (3, 1)


def test_a_sweep_that_is_given_twice_is_not_merged(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-1")
    run(made, tmp_path / "a", player=Paid(), prices=DEAR)
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    for twice in (tmp_path / "a", tmp_path / "copy"):
        with pytest.raises(ValueError, match="are the same sweep: give it once"):
            merge([tmp_path / "a", twice], tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_folders_of_machines_are_merged_row_by_row_with_what_they_cost(tmp_path):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-3")
    halves = [suite(vary={"graph": ["llm_only"]}, seeds=s) for s in ("0-2", "2-3")]
    for name, half in zip("ab", halves, strict=True):
        run(half, tmp_path / name, player=Paid(), prices=DEAR)
    assert merge([tmp_path / "a", tmp_path / "b"], tmp_path / "all") == 4
    with Store(tmp_path / "all") as store:
        assert store.spent == 5.0
        assert store.suites == [made]
        assert [found["seed"] for found in store.rows()] == [0, 1, 2, 3]


@brought_by("reports")
def test_whole_rows_are_exported_as_lines_of_json(coop: Coop, tmp_path: Path):
    folder = run_once(suite(seeds="0-1", vary={"graph": ["llm_only"]}), tmp_path / "out")
    ended = coop("export", str(folder), "--format", "rows", "-o", "lines")
    assert (ended.code, ended.out) == (0, "lines/rows.jsonl\n")
    lines = Path("lines/rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, lines)) == read_rows(folder)
    assert sorted(lines) == sorted(kept(folder))
    assert "exists" in coop("export", str(folder), "--format", "rows", "-o", "lines").err


def test_a_text_that_was_changed_by_hand_is_read_as_it_is(tmp_path):
    run(suite(seeds=[0], vary={"graph": ["llm_only"]}), tmp_path)
    reworded(tmp_path, '"no_deal"', '"agreed"')
    assert read_rows(tmp_path)[0]["result"]["status"] == "agreed"

"""A sweep goes on from an index beside its rows: nothing is parsed twice; rows stay the truth."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.evals.sweeps import index
from shapley_coop.evals.sweeps import lines as of_lines
from shapley_coop.evals.sweeps.index import Index, index_of, indexed
from shapley_coop.evals.sweeps.store import Writer, read, read_rows, register, stored
from shapley_coop.evals.sweeps.suite import expand
from shapley_coop.evals.sweeps.sweep import Limits
from tests.evals.sweeps.test_evals_limits import DEAR, Paid
from tests.evals.swept import run, suite

SEEDS = 300
BIG = suite(vary={"graph": ["llm_only"]}, seeds=f"0-{SEEDS - 1}")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where each line stands that is parsed from now on."""
    seen: list[str] = []
    parse = of_lines.parse

    def counted(data: bytes, where: str) -> dict[str, Any]:
        seen.append(where)
        return parse(data, where)

    monkeypatch.setattr(of_lines, "parse", counted)
    return seen


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    """A folder with a row for each cell of BIG, each of which has cost 1 USD."""
    register(tmp_path, [BIG], {})
    assert run(BIG, tmp_path, player=Paid(), prices=DEAR).done == SEEDS
    return tmp_path


def rows_of(folder: Path) -> Path:
    return folder / "rows.jsonl"


def resumed(folder: Path) -> tuple[int, int, float]:
    """What a sweep does that finds nothing left: runs done, runs there before, USD spent."""
    tally = run(BIG, folder, Limits(), Paid(), DEAR)
    return tally.done, tally.before, tally.cost


def test_a_sweep_with_nothing_left_parses_no_row(swept, parsed):
    before = rows_of(swept).read_bytes()
    assert resumed(swept) == (0, SEEDS, float(SEEDS))
    assert parsed == []
    assert rows_of(swept).read_bytes() == before


def test_a_sweep_with_nothing_left_imports_nothing_that_plays(swept):
    path = swept / "big.yaml"
    path.write_text(json.dumps(BIG.model_dump(mode="json")), encoding="utf-8")
    code = (
        "import sys; from shapley_coop.cli.commands import command_line; "
        "command_line(sys.argv[1:])(standalone_mode=False); "
        "print(*{'langgraph', 'langchain_core', 'scipy'} & sys.modules.keys())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, "sweep", str(path), "-o", str(swept)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines() == [f"{swept}: 0 run, {SEEDS} there before, 0 left", ""]


def test_a_folder_without_an_index_is_parsed_once_and_never_again(swept, parsed):
    index_of(rows_of(swept)).unlink()
    assert resumed(swept) == (0, SEEDS, float(SEEDS))
    assert len(parsed) == SEEDS
    parsed.clear()
    assert resumed(swept) == (0, SEEDS, float(SEEDS))
    assert parsed == []


def test_of_lines_that_came_without_the_index_these_alone_are_parsed(tmp_path, parsed):
    register(tmp_path, [BIG], {})
    lines = [f"{json.dumps({'cell': cell.id, 'calls': []})}\n" for cell in expand(BIG)]
    rows_of(tmp_path).write_text("".join(lines[:-2]))
    assert len(list(indexed(tmp_path))) == len(parsed) == SEEDS - 2
    parsed.clear()
    with rows_of(tmp_path).open("a") as file:
        file.writelines([*lines[-2:], '{"cell": "torn'])
    assert len(list(indexed(tmp_path))) == SEEDS
    assert [where.rpartition(":")[2] for where in parsed] == [str(SEEDS - 1), str(SEEDS)]
    assert resumed(tmp_path)[:2] == (0, SEEDS)


def test_a_writer_that_is_killed_leaves_few_lines_to_parse(tmp_path, parsed):
    made = [cell.id for cell in expand(BIG)]
    writer = Writer(tmp_path).__enter__()
    for cell in made:
        writer.finished({"cell": cell, "calls": []}, {"cell": cell})
    # As a reader sees it while the writer has not come to its end.
    assert [line.cell for _, line in indexed(tmp_path)] == made
    assert len(parsed) == SEEDS - index.KEPT_BACK
    writer.__exit__()
    parsed.clear()
    assert [line.cell for _, line in indexed(tmp_path)] == made
    assert parsed == []


def test_a_row_that_was_changed_or_deleted_by_hand_is_seen(swept, parsed):
    lines = rows_of(swept).read_bytes().splitlines(keepends=True)
    rows_of(swept).write_bytes(b"".join(lines[1:]))
    assert len(list(indexed(swept))) == SEEDS - 1
    changed = lines[7].replace(json.loads(lines[7])["cell"].encode(), b"x" * 20)
    assert len(changed) == len(lines[7])
    rows_of(swept).write_bytes(b"".join([*lines[:7], changed, *lines[8:]]))
    os.utime(rows_of(swept))
    assert [line.cell for _, line in indexed(swept)][7] == "x" * 20
    assert resumed(swept)[:2] == (1, SEEDS - 1)


@pytest.mark.parametrize("spoiled", [b"no database at all" * 99, b""])
def test_a_damaged_index_is_made_anew(swept, spoiled):
    index_of(rows_of(swept)).write_bytes(spoiled)
    assert resumed(swept) == (0, SEEDS, float(SEEDS))


def test_where_no_index_can_be_written_the_rows_are_read(swept):
    path = index_of(rows_of(swept))
    path.unlink()
    path.mkdir()
    assert resumed(swept) == (0, SEEDS, float(SEEDS))


def test_the_index_says_where_each_row_is_and_what_it_spent(swept):
    data = rows_of(swept).read_bytes()
    with Index(rows_of(swept)) as found:
        for line, row in zip(found, read(swept), strict=True):
            assert json.loads(data[line.offset : line.offset + line.length]) == row
            assert DEAR.cost(line.tokens) == DEAR.cost(row["calls"]) == 1


def test_cells_keep_their_names_though_they_share_their_settings():
    cell = expand(BIG)[3]
    assert dict(cell.room)["seed"] == 3
    content = [cell.suite, dict(cell.labels), cell.graph, dict(cell.room), cell.repetition]
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(plain.encode()).hexdigest()[:20] == cell.id


def test_a_line_that_was_changed_beneath_a_trusted_index_is_never_read_as_another(swept):
    path = rows_of(swept)
    lines = path.read_bytes().splitlines(keepends=True)
    spoilt = lines[7].replace(json.loads(lines[7])["cell"].encode(), b"x" * 20)
    # A writer that was killed left a line that the index lacks, so that the rest is trusted.
    late = lines[-1].replace(json.loads(lines[-1])["cell"].encode(), b"y" * 20)
    path.write_bytes(b"".join([*lines[:7], spoilt, *lines[8:], late]))
    with pytest.raises(ValueError, match=r"was changed since it was indexed: delete .*index"):
        read_rows(swept)
    index_of(path).unlink()
    assert "x" * 20 in {row["cell"] for row in read_rows(swept)}


def test_rows_are_where_the_index_says_in_the_order_of_the_cells(swept, parsed):
    rows = stored(swept)
    assert len(rows) == SEEDS
    assert parsed == [], "the index tells the order"
    assert next(iter(rows))["seed"] == 0
    assert [row["seed"] for row in rows[5:8]] == [5, 6, 7]
    assert rows[-1]["seed"] == SEEDS - 1

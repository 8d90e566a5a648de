"""`coop tournament verify` finds whatever was changed in a row, and says how it ended."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.written.document import compose
from shapley_coop.evals.cell import Cell
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.commands.sweep import run_cells
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.trials.tournament.entry import Tournament, suites
from shapley_coop.extensions.trials.tournament.kept import enter, keep_ranking, played_in
from shapley_coop.extensions.trials.tournament.verifying import seal, wrong_in
from tests.brought import brought_by
from tests.coop_command import FAILED, SCHEMA, USAGE, Coop, one_line
from tests.evals.swept import change, reworded
from tests.evals.swept import kept as lines_of
from tests.scripted import Script

ROW = (
    *("calls", "cell", "clauses", "graph", "labels", "offers", "record", "refused", "repetition"),
    *("result", "room", "seed", "suite"),
)
EACH_TIME = {"cost", "run", "episode", "timing", "talk", "events", "record"}
RESULT = sorted({*SCHEMA["properties"], "measures", "reasons"} - EACH_TIME)

SEALED = {
    "calls": {"act", "attempt", "cut", "letter", "model"},
    "offers": {"about", "act", "by", "id", "puts", "round", "text", "topic", "turn"},
    "reasons": {"turn"},
}
"""What was said to no effect, and the books of calls: nothing else in a row follows from them."""

BRIEF = {"game": "prisoners_dilemma", "params": {"rounds": 2}}
MATCHES = Tournament.model_validate(
    {
        "name": "small",
        "seats": {"keeper": "embedded:contract_keeper", "breaker": "embedded:alternator"},
        "games": {
            "signed": {**BRIEF, "graph": "contracts"},
            "split": {**BRIEF, "graph": "shapley_coop"},
        },
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all of it was played."""
    place, entered = tmp_path_factory.mktemp("played"), suites(MATCHES)
    cells = [cell for suite in entered for cell in expand(suite)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(place / "home"))
        enter(place / "out", MATCHES)
        assert run_cells(entered, cells, place / "out").left == 0
    played = played_in(place / "out")
    keep_ranking(place / "out", played, played.ranking())
    return place / "out"


@pytest.fixture(scope="module")
def played(folder: Path) -> list[tuple[Cell, dict[str, Any]]]:
    """Every match with its row."""
    rows = {row["cell"]: row for row in read_rows(folder)}
    return [(cell, rows[cell.id]) for suite in suites(MATCHES) for cell in expand(suite)]


@brought_by("exchange")
def test_the_rows_of_an_exchange_are_sound_with_all_that_only_the_journal_tells(
    tmp_path: Path,
) -> None:
    exchange = {"game": "task_exchange", "graph": "task_exchange"}
    seats = {"keen": "embedded:rational", "sloppy": "embedded:sloppy"}
    told = {"name": "trade", "seats": seats, "games": {"trade": exchange}}
    (suite,) = suites(Tournament.model_validate(told))
    cells = expand(suite)
    assert run_cells([suite], cells, tmp_path).left == 0
    rows = {row["cell"]: row for row in read_rows(tmp_path)}
    assert any("strict:" in str(row["result"]["measures"]) for row in rows.values())
    assert [wrong for cell in cells for wrong in wrong_in(rows[cell.id], cell)] == []


def doctored(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """A value with one leaf changed, for each key that leaves have, and the key."""
    match value:
        case dict() if value:
            for name, inner in value.items():
                yield from ((k, {**value, name: new}) for k, new in doctored(inner, name))
        case list() if value:
            longest = max(range(len(value)), key=lambda at: len(json.dumps(value[at])))
            for k, new in doctored(value[longest], key):
                yield k, [*value[:longest], new, *value[longest + 1 :]]
        case bool():
            yield key, not value
        case int() | float():
            yield key, value + 1
        case _:
            yield key, f"{value or ''}x"


def test_rows_as_they_were_played_are_right(played: list[tuple[Cell, dict[str, Any]]]) -> None:
    assert [wrong for cell, row in played for wrong in wrong_in(row, cell)] == []
    assert any(row["result"]["breaches"] for _, row in played)
    assert any(row["result"]["transfers"] for _, row in played)
    for _, row in played:
        assert set(row) == set(ROW), "a new field of a row: add it"
        assert set(row["result"]) <= set(RESULT), "a new field of a result: document it"


@pytest.mark.parametrize(
    ("part", "field"),
    [("row", name) for name in ROW if name != "result"] + [("result", name) for name in RESULT],
)
def test_a_row_is_wrong_whichever_field_was_changed(
    played: list[tuple[Cell, dict[str, Any]]], part: str, field: str
) -> None:
    cell, row = played[-1 if field in ("credit", "measures", "reasons") else 1]
    whole = row if part == "row" else row["result"]
    for key, value in doctored(whole[field], field):
        changed = deepcopy(row)
        (changed if part == "row" else changed["result"])[field] = value
        assert seal([changed]) != seal([row])
        found = wrong_in(changed, cell)
        assert found or key in SEALED.get(field, ()), f"{field}: {key} is {value}"


def test_a_row_that_lacks_a_field_is_wrong(played: list[tuple[Cell, dict[str, Any]]]) -> None:
    cell, row = played[-1]
    for field in row["result"]:
        rest = {key: value for key, value in row["result"].items() if key != field}
        assert wrong_in({**row, "result": rest}, cell), field


@pytest.mark.parametrize("signs", ["<ACCEPT>", "<s>No.</s><REJECT>", ""])
async def test_words_alone_are_a_contract_if_all_sign_what_was_drafted_of_them(
    script: Script, signs: str
) -> None:
    script["Alice", "contract_propose"] = "<s>Let us be good to each other.</s>"
    script["Bob", "contract_answer"] = "<s>Fine.</s><ACCEPT>"
    if signs:
        both = [{"kind": "do", "agent": a, "action": "cooperate"} for a in ("Alice", "Bob")]
        deal = Deal.model_validate({"clauses": both})
        actions = {a: ["defect", "cooperate"] for a in ("Alice", "Bob")}
        prose = compose(deal, Terms(("Alice", "Bob"), actions, 2))
        drafted = f"<PROPOSAL>{json.dumps({'clauses': both})}</PROPOSAL>"
        script["summariser", "contract_write"] = f"<s>{prose}</s>{drafted}"
    script["Alice", "contract_sign"], script["Bob", "contract_sign"] = "<ACCEPT>", signs
    cell = expand(suites(MATCHES)[0])[0]
    row = json.loads(json.dumps((await Local("words").play(cell)).row))
    assert bool(row["result"]["contract"]) == (signs == "<ACCEPT>")
    assert wrong_in(row, cell) == []
    forged = {"contract": None, "lapsed": "All accepted, and nobody signed."}
    if row["result"]["contract"]:
        assert wrong_in({**row, "result": {**row["result"], **forged}}, cell)


def test_a_forged_folder_is_told_from_one_that_cannot_be_read(
    coop: Coop, folder: Path, tmp_path: Path
) -> None:
    folder = Path(copytree(folder, tmp_path / "copy"))
    verify = ("tournament", "verify", str(folder))
    ranking = folder / "ranking.json"
    kept, (first, *_) = ranking.read_text(), lines_of(folder)
    assert coop(*verify, "--json").result["sound"]

    ranking.write_text(kept.replace('"seat": "keeper"', '"seat": "kipper"'))
    forged = coop(*verify)
    assert forged.code == FAILED
    assert "says seat 'kipper'; the rows say 'keeper'" in forged.out
    ranking.write_text(kept)

    reworded(folder, '"ledger": "paid"', '"ledger": "counterfactual"')
    forged = coop(*verify, "--json")
    assert (forged.code, json.loads(forged.out)["sound"]) == (FAILED, False)
    assert json.loads(forged.out)["wrong"][0] == (
        "small_signed, keeper against keeper, seed 0: result.ledger is 'counterfactual', and "
        "should be 'paid'"
    )
    reworded(folder, '"ledger": "counterfactual"', '"ledger": "paid"')
    cell, rewrite = json.loads(first)["cell"], "UPDATE sweep_rows SET content = ? WHERE cell = ?"
    change(folder, rewrite, first.replace('"text": "', '"text": "Well: ', 1), cell)
    assert "its seal is of other rows" in coop(*verify).out
    change(folder, rewrite, first, cell)
    change(folder, rewrite, first.replace(cell, "other"), cell)
    assert "the cell 'other' is no match of this tournament" in coop(*verify).out
    change(folder, rewrite, first, cell)
    assert coop(*verify).code == 0

    change(folder, "DELETE FROM sweep_rows WHERE cell = ?", cell)
    assert "1 of 8 matches are left" in one_line(coop(*verify), USAGE)
    change(folder, "UPDATE sweep_rows SET content = 'no JSON'")
    assert "is not JSON" in one_line(coop(*verify), USAGE)

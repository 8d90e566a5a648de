"""The table: what contracts do in two dilemmas, measured over runs that can be gone on with."""

import json

import pytest

from shapley_coop.extensions.papers import contracts
from shapley_coop.extensions.papers.contracts import (
    BREAKERS,
    BROKEN,
    KEEPERS,
    MEASURES,
    SUITE,
    UNBOUND,
    depends_on_seed,
    game_tables,
    planned,
)
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.suite import Suite, load_suite
from shapley_coop.seats.embedded import CHARACTERS
from tests.coop_command import coop_in
from tests.evals.swept import kept, run

MODES = [UNBOUND, "notional", "enforced", "escrow"]


def short() -> Suite:
    """The shipped suite with the tables that its claims are about, and three turns a game."""
    suite = load_suite(SUITE)
    agents = {name: suite.vary["agents"][name] for name in (KEEPERS, BREAKERS, BROKEN)}
    vary = {**suite.vary, "agents": agents}
    return suite.model_copy(update={"vary": vary, "base": {"params": {"rounds": 3}}, "seeds": [0]})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The short suite, swept once."""
    made = tmp_path_factory.mktemp("swept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COOP_HOME", str(made / "home"))
        patch.delenv("COOP_DATABASE_URL", raising=False)
        run(short(), made / "out")
    return made / "out"


@pytest.fixture(scope="module")
def tables(folder):
    """The Prisoner's Dilemma's part, and Cash Grab's."""
    return {table.game: table for table in game_tables(read_rows(folder))}


def welfare(table, agents):
    return [table.mean(agents, mode) for mode in MODES]


def test_contracts_carry_the_self_interested_through_the_prisoners_dilemma(tables):
    table = tables["Prisoner's Dilemma"]
    assert (table.best, table.selfish, table.weak) == (6, 0, [])
    assert welfare(table, KEEPERS) == [0, 6, 6, 6]
    assert welfare(table, BREAKERS) == [0, 0, 6, 6]
    assert welfare(table, BROKEN) == [0, 3, 6, 6]
    assert [table.mean(BROKEN, mode, "adherence") for mode in MODES[1:]] == [0.5, 1, 1]
    assert [table.mean(BROKEN, mode, "breaches") for mode in MODES[1:]] == [3, 0, 0]
    assert all(table.shows.values())
    assert "Unenforced it is broken, and all together have less." in table.shows


def test_in_cash_grab_a_contract_selects_among_weak_equilibria_that_are_named(tables):
    table = tables["Cash Grab"]
    assert (table.best, table.selfish) == (12, 0)
    assert [play.count("take") for play in table.weak] == [2, 2, 2, 3]
    for agents in (KEEPERS, BREAKERS, BROKEN):
        assert welfare(table, agents) == [0, 12, 12, 12]
    assert all(table.shows.values())
    assert any("weak equilibria" in claim for claim in table.shows)


def test_a_claim_that_does_not_hold_is_told_so(folder):
    rows = [row for row in read_rows(folder) if row["labels"]["game"] == "Prisoner's Dilemma"]
    for row in rows:
        if (row["labels"]["agents"], row["labels"]["contract"]) == (BROKEN, "escrow"):
            row["result"]["breaches"] = [{"agent": "Alice", "turn": 1}]
    (table,) = game_tables(rows)
    shown = [claim for claim, holds in table.shows.items() if not holds]
    assert shown == ["Against a breaker the enforced modes hold."]


def test_every_number_names_its_interval_and_n_and_none_is_made_up_without_a_contract(tables):
    for table in tables.values():
        found = json.loads(json.dumps(table.record(), allow_nan=False))
        assert len(found["rows"]) == 3 * 4
        for row in found["rows"]:
            columns = ["welfare"] if row["contract"] == UNBOUND else [*MEASURES]
            assert [key for key in row if key not in ("agents", "contract")] == columns
            assert all({"value", "low", "high", "n"} <= row[c].keys() for c in columns)


def test_the_shipped_suite_seats_every_opponent_in_both_games():
    suite = load_suite(SUITE)
    alone = {
        given["seats"]["*"].removeprefix("embedded:")
        for given in suite.vary["agents"].values()
        if len(given["seats"]) == 1
    }
    strategies = {name for name, c in CHARACTERS.items() if c.strategy}
    assert alone == strategies | {"contract_keeper", "random"}
    assert {*suite.vary["game"]} == {"Prisoner's Dilemma", "Cash Grab"}
    assert [*suite.vary["contract"]] == MODES


def test_where_nothing_is_drawn_a_cell_is_planned_for_one_seed():
    suite, cells = planned(range(30))
    assert suite.seeds == list(range(30))
    once = [cell for cell in cells if not depends_on_seed(cell)]
    assert {(cell.graph, cell.seed) for cell in once} == {("llm_only", 0)}
    told = {cell.labels["agents"] for cell in once}
    assert {KEEPERS, BREAKERS, BROKEN} <= told
    assert told.isdisjoint({"random", "generous tit-for-tat"})
    again = sum(cell.graph == "contracts" for cell in cells)
    assert again == 2 * 13 * 3 * 30


@pytest.mark.slow
def test_where_nothing_is_drawn_one_seed_stands_for_all(tmp_path, monkeypatch):
    suite, cells = planned(range(30))
    told = {cell.labels["agents"] for cell in cells if not depends_on_seed(cell)}
    axes = {"game": short().vary["game"], "contract": {UNBOUND: suite.vary["contract"][UNBOUND]}}
    seats = {"agents": {label: suite.vary["agents"][label] for label in sorted(told)}}
    vary = {**axes, **seats}
    seeds = {"vary": vary, "base": {"params": {"rounds": 2}}, "seeds": [0, 7], "compare": ""}
    monkeypatch.setenv("COOP_HOME", str(tmp_path))
    run(suite.model_copy(update=seeds), tmp_path / "out")
    rows = read_rows(tmp_path / "out")
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert (one["seed"], other["seed"]) == (0, 7)
        assert one["record"] == other["record"]


def test_one_command_prints_the_table_and_runs_nothing_twice(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(contracts, "load_suite", lambda name: short())
    coop = coop_in(tmp_path, monkeypatch, capsys)
    runs = kept(folder)
    told = coop("contract", "table", "--seeds", "1", "-o", str(folder))
    assert (told.code, told.err) == (0, "")
    assert "welfare of 6" in told.out
    assert "3.00 n=1" in told.out
    assert "Weak equilibria of a turn without any contract: (wait, take, take)" in told.out
    assert "NOT SHOWN" not in told.out
    assert "A simulation" in told.out
    found = coop("contract", "table", "--seeds", "1", "-o", str(folder), "--json").result
    assert [table["game"] for table in found["tables"]] == ["Prisoner's Dilemma", "Cash Grab"]
    assert kept(folder) == runs

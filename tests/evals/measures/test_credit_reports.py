"""What `coop credit RUN` reports beside the values: other dice, other choices, what is refused."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.measures.credit import with_baseline
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.page.credit import credit_view
from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.games import load
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop, valid
from tests.credit.credit_plays import HEAP, evaluated, joint, recorded, with_heaps
from tests.games.made_games import TUG
from tests.games.test_own_game import ORCHARD


def record_of(run: str) -> Any:
    """The record of an ended run."""
    return asyncio.run(table_of(home().runs.get(run)))["record"]


def test_dice_and_baselines_are_refused_for_a_file(coop: Coop, tmp_path: Any) -> None:
    path = tmp_path / "game.json"
    path.write_text('{"agents": ["A", "B"], "worth": {"A": 0, "B": 0, "A,B": 9}}')
    refused = coop("credit", str(path), "--dice", "5")
    assert refused.code == 2
    assert "need a run's record" in refused.err


def test_another_baseline_changes_nothing_in_the_run_itself() -> None:
    game = load("public_goods")
    own = evaluated("public_goods", joint(game, "keep", "give", "give", "give", times=10))
    other = with_baseline(own.table, dict.fromkeys(game.agents, "give"))
    assert other.game.baseline.words == "an absent agent plays give"
    assert own.game.baseline.words == "an absent agent plays keep"


# What is refused


@brought_by("pettingzoo")
def test_an_environment_without_a_baseline_plays_and_is_given_no_value(coop: Coop) -> None:
    with_heaps()
    outcome = valid(coop("run", HEAP, "--name", "heap", "--json").result)
    assert outcome["payoffs"] == outcome["rewards"]
    shown = coop("show", "heap").out
    assert all(re.search(rf"│ {agent} .*│ +– │[^│]*│\n", shown) for agent in outcome["agents"])
    assert "Shapley gain: no value is defined here: " in shown
    refused = coop("credit", "heap")
    assert refused.code == 2
    assert re.fullmatch(r"coop: no value is defined here: .*--absent.*\n", refused.err)
    report = coop("credit", "heap", "--absent", "1", "--json").result
    assert sum(report["due"].values()) == pytest.approx(sum(outcome["rewards"].values()))
    assert coop("verify", "heap").code == 0


@brought_by("pettingzoo")
def test_a_run_that_could_end_by_a_norm_needs_a_baseline_that_is_declared() -> None:
    with_heaps()
    pays = [[2, 2], [0, 0], [0, 0], [1, 1]]
    cells = [{**c, "pays": p} for c, p in zip(TUG["payoffs"], pays, strict=True)]  # type: ignore[call-overload]
    for game in (HEAP, {**TUG, "payoffs": cells}):
        with pytest.raises(ValueError, match="disagreement norm needs values"):
            RunConfig(game=game, disagreement="norm").resolve()


# Payments of the last bargaining


@pytest.mark.parametrize(("mode", "held"), [("enforced", [5, 4]), ("notional", [10, -1])])
def test_a_payment_counts_from_what_is_enforced(mode: Any, held: list[int]) -> None:
    """Signed 5/4 of 10/−1: where nothing is enforced, a payment counts from what each earned."""
    game = load("escape_room")
    record = recorded(game, [{"Alice": "door", "Bob": "lever"}])
    terms = {"kind": "share", "fractions": {"Alice": "5/9", "Bob": "4/9"}}
    contract = {
        "hash": "h",
        "text": "",
        "signatures": {},
        "terms": [{"id": "1", "clause": terms, "from_turn": 1, "to_turn": None}],
    }
    own = evaluated("escape_room", record, enforcement=mode)
    table = EvaluatedTable({**own.table, "contract": contract})  # type: ignore[typeddict-item]
    assert list(table.without_more().values()) == held
    pay = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "2"}
    due = table.payoffs_under(Deal.model_validate({"clauses": [pay]}))
    assert list(due.values()) == [held[0] - 2, held[1] + 2]
    even = {"kind": "share", "fractions": {"Alice": "1/3", "Bob": "2/3"}}
    due = table.payoffs_under(Deal.model_validate({"clauses": [even]}))
    assert list(due.values()) == [3, 6]


# Sampled values, the same through every door


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["shapley", pytest.param("banzhaf", marks=brought_by("values"))])
def test_sampled_values_and_their_errors_are_the_same_through_every_door(
    coop: Coop, norm: str
) -> None:
    params = {"agents": [f"A{n}" for n in range(17)], "store": 60}
    Path("orchard.py").write_text(ORCHARD, encoding="utf-8")
    told = [f"--set={name}={json.dumps(value)}" for name, value in params.items()]
    played = ("-g", "llm_only", "--model", "embedded:random", *told)
    options = (*played, "--norm", norm, "--name", "many", "--json")
    outcome = valid(coop("run", "orchard.py", *options).result)
    report = coop("credit", "many", "--value", norm, "--json").result
    assert report["method"].startswith("sampled")
    assert min(report["standard_error"].values()) >= 0
    if norm == "shapley":
        assert report["values"] == outcome["credit"]["shapley"]
        assert report["standard_error"] == outcome["credit"]["standard_error"]
        assert report["marginal"] == outcome["credit"]["marginal"]
        table = asyncio.run(table_of(home().runs.get("many")))
        page = credit_view(EvaluatedTable(table), outcome)["rows"]
        assert {row["agent"]: row["error"] for row in page} == report["standard_error"]
    row = {"room": home().runs.get("many").room, "result": outcome, "record": record_of("many")}
    for agent in outcome["agents"]:
        assert score(row, f"due:{agent}") == pytest.approx(report["due"][agent], abs=1e-6)
    assert coop("verify", "many").code == 0


@brought_by("pettingzoo")
def test_the_page_of_a_game_without_a_baseline_calls_no_split_fair(coop: Coop) -> None:
    with_heaps()
    coop("run", HEAP, "--name", "heap", "--json")
    page = HomeSource().get("heap", private=False)
    assert page["credit"]["no_value"]
    assert page["credit"]["norms"] is None
    assert [row["shapley"] for row in page["credit"]["rows"]] == [None] * len(page["agents"])

"""What each agent did, beside what it is due: the same figures through every door."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from extensions.page.tests.paged import GAMES, kind
from extensions.page.tests.test_bundle import made, told
from shapley_coop.evals.measures.evaluators import score, scores
from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.extensions.page.waterfall import waterfall
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.conduct import conduct, did, in_turns, unanswered_words
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop, valid
from tests.games.test_own_game import ORCHARD
from tests.graphs.test_last_bargaining import ACCEPT, REJECT, bargained, proposal
from tests.scripted import Script

DUE = {"Alice": 200, "Bob": 320, "Carol": 320, "Dave": 320}
SUITE = """\
name: defection
base: {game: public_goods, graph: shapley_coop,
       seats: {"*": "embedded:rational", Alice: "embedded:defector"}}
seeds: 2
"""


# The same through every door


@brought_by("reports")
def test_result_verification_page_and_report_give_a_defector_its_baseline(coop: Coop) -> None:
    words = ("run", "public_goods", "--agent", "Alice=embedded:defector", "--seed", "2")
    outcome = valid(coop(*words, "--name", "r", "--json").result)
    assert outcome["payoffs"] == DUE
    did_what = {agent: one["actions"] for agent, one in outcome["conduct"].items()}
    assert did_what == {
        "Alice": {"keep": 10},
        **{agent: {"give": 10} for agent in ("Bob", "Carol", "Dave")},
    }
    assert {agent: one["breaches"] for agent, one in outcome["conduct"].items()} == {
        **dict.fromkeys(DUE, 0),
        "Alice": 10,
    }
    checks = coop("verify", "r", "--json").result
    assert checks["sound"]
    assert {check["what"] for check in checks["checks"]} >= {"payoffs", "result"}
    coop("report", "r", "-o", "r.json")
    page = json.loads(Path("r.json").read_text(encoding="utf-8"))
    rows = {row["agent"]: row for row in page["credit"]["rows"]}
    assert {agent: row["payoff"] for agent, row in rows.items()} == DUE
    assert {agent: row["due"] for agent, row in rows.items()} == DUE
    assert page["outcome"]["points"]["baseline"] == dict.fromkeys(DUE, 200)
    assert rows["Alice"]["conduct"]["did"] == "keep ×10 (turns 1–10)"
    assert rows["Alice"]["conduct"]["breaches"] == 10
    credited = coop("credit", "r", "--json").result
    assert credited["due"] == credited["payoff"] == DUE


@brought_by("reports")
def test_export_and_evaluators_give_the_same(coop: Coop) -> None:
    Path("defection.yaml").write_text(SUITE, encoding="utf-8")
    assert coop("sweep", "defection.yaml", "-o", "runs").code == 0
    assert coop("export", "runs").code == 0
    with Path("runs/tables/settlements.csv").open(encoding="utf-8") as table:
        lines = {line["agent"]: line for line in csv.DictReader(table)}
    assert {agent: float(line["payoff"]) for agent, line in lines.items()} == DUE
    assert {float(line["baseline"]) for line in lines.values()} == {200}
    assert [float(line["value"]) for line in lines.values()] == [0, 120, 120, 120]
    assert [int(line["breaches"]) for line in lines.values()] == [10, 0, 0, 0]
    (row,) = read_rows(Path("runs"))
    assert {agent: score(row, f"payoff:{agent}") for agent in DUE} == DUE
    for agent, due in DUE.items():
        x = [score(row, f"{key}:{agent}") for key in ("baseline", "shapley")]
        assert sum(part or 0 for part in x) == due
    assert [score(row, "breaches"), score(row, "breaches:Alice")] == [10, 10]
    assert [score(row, "done:keep"), score(row, "marginal:Alice")] == [10, 0]
    assert [score(row, "shapley_distance"), score(row, "individual_rationality")] == [0, 1]
    sent = scores(row)
    assert [sent["breaches"], sent["passes"], sent["shapley_distance"]] == [10, 0, 0]


# Passes


def test_a_pass_without_an_answer_of_use_is_named_beside_the_value(
    script: Script, coop: Coop, capsys: pytest.CaptureFixture[str]
) -> None:
    script["Alice", "act"] = [
        "<ACTION>fly</ACTION>",
        "<ACTION>fly</ACTION>",
        "<ACTION>door</ACTION>",
    ]
    script["Bob", "act"] = "<ACTION>door</ACTION>"
    options = ("--graph", "llm_only", "--set", "rounds=2", "--tries", "2", "--name", "r")
    outcome = valid(coop("run", "escape_room", *options, "--json").result)
    assert outcome["conduct"]["Alice"] == {
        "actions": {"door": 1},
        "breaches": 0,
        "passes": [{"turn": 1, "why": "unusable", "label": "ACTION"}],
    }
    named = "1 pass because no answer could be used (turn 1: ACTION)"
    (alice, bob) = HomeSource().get("r", private=False)["credit"]["rows"]
    assert (alice["conduct"]["unanswered"], bob["conduct"]["unanswered"]) == (named, "")
    assert f"Alice had {named}." in told(HomeSource().get("r", private=False))
    shown = coop("show", "r").out
    assert f"Alice: {named}; what that cost is charged to its value" in shown
    assert "compare with the baseline: an absent agent is away" in shown
    assert coop("verify", "r").code == 0


def test_conduct_tells_a_choice_a_budget_and_an_answer_of_no_use_apart() -> None:
    labels = {"Ann": "PASS", "Ben": "BUDGET", "Cyd": "CUT"}
    effects = [{"effect": "pass", "agent": a, "label": label} for a, label in labels.items()]
    other = {"effect": "rain", "agent": "Ann"}
    record: list[Any] = [
        {"turn": 1, "actions": {}, "rewards": {}, "effects": [*effects, other]},
        {"turn": 2, "actions": {"Cyd": "dig"}, "rewards": {}, "effects": [effects[2]]},
    ]
    found = conduct(list(labels), record, [{"agent": "Ann", "turn": 2, "clause": "c1"}])
    whys = {agent: [each["why"] for each in one["passes"]] for agent, one in found.items()}
    assert whys == {"Ann": ["chosen"], "Ben": ["budget"], "Cyd": ["unusable"] * 2}
    assert [unanswered_words(one["passes"]) for one in found.values()] == [
        "",
        "",
        "2 passes because no answer could be used (turns 1–2: CUT)",
    ]
    assert found["Ann"]["breaches"] == [2]


def test_many_actions_are_counted_and_turns_are_told_in_spans() -> None:
    counts = {"a": 3, "b": 9, "c" * 60: 1, "d": 1, "e": 2}
    assert did(counts) == "b ×9, a ×3, e ×2, 2 other actions ×2"
    assert did({}) == "nothing"
    assert did({"c" * 60: 1}) == f"{'c' * 43}… ×1"
    assert in_turns([1, 2, 3, 5, 8, 8, 9]) == "turns 1–3, 5, 8–9"


# From reward to payoff


@pytest.mark.parametrize("name", GAMES)
def test_the_steps_from_reward_to_payoff_add_up_exactly(name: str) -> None:
    shown, result = kind(name)
    steps = shown["credit"]["waterfall"]
    for agent in shown["agents"]:
        sums = sum(round(1_000_000 * step["amounts"][agent]) for step in steps)
        assert sums == round(1_000_000 * result["payoffs"][agent])
        own = [s["amounts"][agent] for s in steps if s["step"] in ("own", "pot")]
        assert sum(own) == pytest.approx(result["rewards"][agent], abs=1e-6)
    assert steps[0]["step"] == "own"


def test_a_split_by_the_norm_goes_through_baseline_and_improvement() -> None:
    seats = {"*": "embedded:rational", "Alice": "embedded:defector"}
    shown = made("shapley_coop", game="public_goods", seats=seats, seed=2)
    result = home().runs.get(shown["run"]).result or {}
    steps = {step["step"]: step["amounts"] for step in shown["credit"]["waterfall"]}
    assert list(steps) == ["own", "pooled", "baseline", "improvement"]
    # Where all keep, each has its endowment of 20 in ten turns.
    assert steps["baseline"] == dict.fromkeys(shown["agents"], 200)
    for agent, x in steps["improvement"].items():
        assert x == pytest.approx(result["credit"]["shapley"][agent], abs=1e-6)


def test_payments_deposits_and_taxes_are_steps_of_their_own() -> None:
    staked, result = kind("cash_grab")
    steps = {step["step"]: step["amounts"] for step in staked["credit"]["waterfall"]}
    assert list(steps) == ["own", "payments", "breach"]
    assert steps["breach"] == result["forfeits"]
    taxed = made("shapley_coop", constraints=["tax=0.1"], seed=3)["credit"]["waterfall"]
    assert taxed[-1]["step"] == "constraints"
    assert sum(taxed[-1]["amounts"].values()) < 0


@pytest.mark.parametrize(
    ("rule", "answer", "moved"),
    [("signed", ACCEPT, 0.25), ("signed", REJECT, None), ("norm", REJECT, 0.5)],
)
async def test_the_last_bargaining_is_the_step_from_what_was_signed(
    script: Script, rule: str, answer: str, moved: float | None
) -> None:
    pays = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "0.25"}
    script["Alice", "propose_split"] = proposal(pays)
    script["Bob", "answer_split"] = answer
    script["Bob", "propose_split"] = script["Alice", "answer_split"] = REJECT
    outcome = await bargained(script, disagreement=rule)
    run = home().runs.get(outcome["run"])
    steps = waterfall(EvaluatedTable(await table_of(run)))
    found = {step["step"]: step["amounts"] for step in steps}
    assert found["part"] == {"Alice": 5, "Bob": 4}
    expected = None if moved is None else {"Alice": -moved, "Bob": moved}
    assert found.get("bargaining") == expected


# Coalitions


def test_the_page_draws_the_function_that_values_are_computed_from() -> None:
    shown, result = kind("public_goods")
    worths = shown["credit"]["worths"]["each"]
    assert len(worths) == 16
    assert (worths[0], worths[-1]["worth"]) == (
        {"members": [], "worth": 0},
        result["credit"]["worth_of_all"],
    )
    v = {frozenset(one["members"]): one["worth"] for one in worths}
    everyone = frozenset(shown["agents"])
    for agent, marginal in result["credit"]["marginal"].items():
        assert v[everyone] - v[everyone - {agent}] == pytest.approx(marginal)


def test_the_coalitions_of_more_than_eight_are_not_drawn(tmp_path: Path) -> None:
    orchard = tmp_path / "orchard.py"
    orchard.write_text(ORCHARD, encoding="utf-8")
    params = {"agents": [f"A{n}" for n in range(18)], "store": 60}
    shown = made("llm_only", game=str(orchard), params=params, seats={"*": "embedded:random"})
    assert shown["credit"]["worths"] is shown["credit"]["complaint"] is None
    assert len(shown["credit"]["waterfall"][0]["amounts"]) == 18
    # Beyond the exact sizes values are sampled; the baseline is known, so that the error of what
    # is due is the value's own.
    errors = {(row["value_error"], row["error"]) for row in shown["credit"]["rows"]}
    assert all(value == due > 0 for value, due in errors)


def test_by_the_rules_alone_the_complaint_is_of_what_a_coalition_could_secure() -> None:
    seats = {"*": "embedded:rational", "Bob": "embedded:defector"}
    room = {"game": "cash_grab", "params": {"worth": "potential"}, "seats": seats, "seed": 1}
    shown = made("contracts", **room)
    complaint, payoffs = shown["credit"]["complaint"], shown["outcome"]["points"]["ended"]
    worths = {tuple(one["members"]): one["worth"] for one in shown["credit"]["worths"]["each"]}
    excess = {
        who: v - sum(payoffs[agent] for agent in who)
        for who, v in worths.items()
        if 0 < len(who) < 3
    }
    assert complaint["by"] == "potential"
    assert complaint["excess"] == pytest.approx(max(excess.values()))
    assert complaint["excess"] == pytest.approx(excess[tuple(complaint["members"])])
    assert set(shown["outcome"]["points"]) == {"alone", "earned", "ended", "shapley"}

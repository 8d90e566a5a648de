"""The benchmark: values known by construction, apps that earn what is said, one command."""

import json
from pathlib import Path

import pytest

from extensions.attribute.tests.benchmark.__main__ import main
from extensions.attribute.tests.benchmark.apps import KnownApp, Term, known_apps
from extensions.attribute.tests.benchmark.running import ordered, row
from extensions.attribute.tests.benchmark.shapes import build
from extensions.attribute.tests.benchmark.ways import EXACT, Found
from shapley_coop.credit.coalitions import worth_table
from shapley_coop.credit.values.shapley import marginal_contributions, shapley
from shapley_coop.extensions.attribute import attribute

APPS = known_apps()
ONE_OF_EACH = {app.shape: app for app in reversed(APPS) if app.is_certain}


def test_there_are_thirty_apps_of_ten_shapes() -> None:
    assert len({app.name for app in APPS}) == 30
    assert len({app.shape for app in APPS}) == 10


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_the_values_are_those_of_the_table_of_worths(app: KnownApp) -> None:
    table = worth_table(app.agents, app.worth)
    assert list(app.shapley().values()) == pytest.approx(list(shapley(table)))
    assert list(app.leave_one_out().values()) == pytest.approx(marginal_contributions(table))


FAST = ("chain", "loop", "tools")


@pytest.mark.parametrize(
    "shape",
    [pytest.param(x, marks=[] if x in FAST else pytest.mark.slow) for x in sorted(ONE_OF_EACH)],
)
def test_a_played_coalition_earns_what_its_terms_say(shape: str) -> None:
    app = ONE_OF_EACH[shape]
    built = build(app)
    names = dict(zip(built.agents, app.agents, strict=True))
    settings = {"exact_up_to": 10, "max_calls": 10_000}
    credit = attribute(built.graph, built.agents, built.score, built.inputs, **settings)
    assert len(credit.worth) == 2 ** len(app.agents)
    for coalition, worth in credit.worth.items():
        present = [names[path] for path in coalition.split(",") if path]
        assert worth == pytest.approx(app.worth(present)), coalition
    assert credit.values is not None
    assert list(credit.values.values()) == pytest.approx(list(app.shapley().values()))


EIGHT = [app for app in APPS if len(app.agents) == 8 and app.is_certain]


@pytest.mark.slow
@pytest.mark.parametrize("app", EIGHT)
def test_a_quarter_of_the_coalitions_of_eight_gives_values_within_a_tenth(app: KnownApp) -> None:
    built = build(app)
    settings = {"exact_up_to": 1, "budget": 2**8 // 4, "max_calls": 10_000, "at_once": 1}
    credit = attribute(built.graph, built.agents, built.score, built.inputs, **settings)
    assert len(credit.worth) <= 2**8 / 4
    assert credit.total == pytest.approx(app.worth(app.agents) - app.nobody)
    assert credit.interval is not None
    for agent, value in app.shapley().items():
        low, high = credit.interval[agent]
        assert low - 1e-9 <= value <= high + 1e-9
        assert (high - low) / 2 <= 0.1 * credit.total, "of what all agents add"


@pytest.mark.parametrize("app", [app for app in APPS if app.shape == "tools"])
def test_a_lead_that_asks_agents_as_tools_earns_all(app: KnownApp) -> None:
    built = build(app)
    state = built.graph.invoke(built.inputs[0])
    assert built.score(state, built.inputs[0]) == app.worth(app.agents)


@pytest.mark.slow
def test_tasks_and_failures_come_as_often_as_said() -> None:
    app = KnownApp(
        name="rare",
        shape="parallel",
        agents=("a", "b"),
        terms=(Term(of=("a", "b"), points=1, part=0.5), Term(of=("a",), points=1)),
        chance=0.7,
    )
    built = build(app, inputs=400)
    scores = [built.score(built.graph.invoke(given), given) for given in built.inputs]
    assert sum(scores) / len(scores) == pytest.approx(app.worth(app.agents), abs=0.12)


def test_an_app_that_does_not_agree_with_itself_is_refused() -> None:
    two = {"agents": ("a", "b"), "terms": (Term(of=("a",), points=1),)}
    with pytest.raises(ValueError, match="c is none of its agents"):
        KnownApp(name="x", shape="chain", agents=("a", "b"), terms=(Term(of=("c",), points=1),))
    with pytest.raises(ValueError, match="a debate asks agents twice"):
        KnownApp(name="x", shape="debate", chance=0.5, **two)


def test_a_row_counts_errors_orders_and_intervals_that_hold() -> None:
    app = KnownApp(
        name="x",
        shape="chain",
        agents=("a", "b"),
        terms=(Term(of=("a",), points=3), Term(of=("b",), points=1)),
    )
    stated = {"a": (2.0, 2.5), "b": (0.0, 2.0)}
    found = row(app, 0, EXACT, Found({"a": 2.0, "b": 1.0}, stated, 4), 4)
    assert (found.error, found.ordered, found.stated, found.held) == (0.5, 1.0, 2, 1)
    assert ordered({"a": 1, "b": 0, "c": 0}, {"a": 1, "b": 1, "c": 0}, 1e-9) == 0.75


@pytest.mark.slow
def test_the_command_compares_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "judge.py"
    path.write_text("def judge(asked):\n    return {agent: 1 for agent in asked['agents']}\n")
    given = ("--apps", "article,talker,assistants", "--judge", f"{path}:judge")
    main([*given, "--json"])
    ways = {one["way"]: one for one in json.loads(capsys.readouterr().out)["ways"]}
    assert ways["ours, exact"]["worst"] == pytest.approx(0, abs=1e-9)
    assert ways["in proportion to tokens"]["error"] > ways["a judge"]["error"] > 0
    main(given)
    assert "simulated" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--apps", "nothing"], "no app of the benchmark is called 'nothing'"),
        pytest.param(
            ["--apps", "article", "--judge", "judge.py:judge"],
            "points to 'me', who is no agent",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    given: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("judge.py").write_text("def judge(asked):\n    return {'me': 1}\n", "utf-8")
    with pytest.raises(SystemExit):
        main(given)
    assert complaint in capsys.readouterr().err

"""A company builds a program: artefacts, checks, the bounty, and the record they come from."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from extensions.company.tests.company_play import by_embedded_roles, by_words, company, take
from shapley_coop.earned_value import WEIGHTS, parts
from shapley_coop.extensions.bounty.delivered import divided
from shapley_coop.extensions.company.artefacts import action_of
from shapley_coop.extensions.company.checks import in_sandbox
from shapley_coop.extensions.company.game import SoftwareCompany
from shapley_coop.extensions.company.task import shown
from shapley_coop.extensions.company.tree import materialise
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.extensions.repository.rules import Rules
from shapley_coop.extensions.wev.report import wev
from shapley_coop.games import GameError, Turn, load
from shapley_coop.games.sandbox import CheckResult, SandboxMissing
from shapley_coop.permissions import NO_SANDBOX


@pytest.fixture(scope="module")
def bmi(boxed: None) -> tuple[SoftwareCompany, dict[str, Any], list[Turn]]:
    """The shipped task, built by embedded roles and checked in the sandbox."""
    game = SoftwareCompany({"bounty": 500})
    position, record = by_embedded_roles(game)
    return game, position, record


def write(path: str, content: str) -> str:
    return action_of("write_code", path=path, content=content)


Bmi = tuple[SoftwareCompany, dict[str, Any], list[Turn]]


def test_embedded_roles_build_a_program_that_passes_its_checks_and_earn_the_bounty(
    bmi: Bmi,
) -> None:
    game, position, record = bmi
    assert [one["passed"] for one in position["checks"]] == [True] * 8
    assert [turn.get("pot", 0) for turn in record] == [0, 0, 0, 0, 0, 500]
    made = {
        agent: {k: int(n) for k, n in c.items() if n} for agent, c in game.artefacts(record).items()
    }
    assert made == {
        "CEO": {"decisions": 1},
        "Counselor": {"documents": 2},
        "CPO": {"decisions": 1, "documents": 1},
        "CTO": {"decisions": 1, "code": 8},
        "Programmer": {"code": 8, "fixes": 1},
        "Reviewer": {"code": 13, "fixes": 1},
    }


def test_the_first_version_fails_and_the_fixes_are_verified_by_what_they_mend(bmi: Bmi) -> None:
    checked = [e for turn in bmi[2] for e in turn["effects"] if e["effect"] == "checks"]
    assert [effect["passed"] for effect in checked] == [4, 7, 8, 8]
    failed = {f["check"]: f["found"] for f in checked[0]["found"] if not f["passed"]}
    assert failed["-70 175 → refused"] == "-22.86"
    assert failed["70 tall → refused"].startswith("exit 1: ValueError")
    told = bmi[0].happened(bmi[2][1])
    assert "4 of 8 checks pass; the first to fail: 70 0 → refused (result: exit 1: Zero" in told


@pytest.mark.parametrize(
    ("code", "stdout", "stderr", "told"),
    [
        (
            1,
            "",
            "FAIL: test_a (t.A)\n  x\nAssertionError: 1 != 2\n\nFAILED",
            "FAIL: test_a; Asserti",
        ),
        (1, "so " * 200, "Traceback:\nKeyError: 'x'", "exit 1: KeyError: 'x' so so"),
        (1, "", "", "exit 1: printed nothing"),
        (0, "", "Ran 3 tests\n\nOK", "OK"),
        (0, "", "", "printed nothing"),
    ],
)
def test_a_result_in_one_line_tells_the_error(
    code: int, stdout: str, stderr: str, told: str
) -> None:
    line = shown(CheckResult("ended", code, stdout, stderr, sandboxed=True))
    assert told in line
    assert len(line) <= 200


def test_worth_is_additive_and_agrees_with_the_credit_rooms_earned_value(bmi: Bmi) -> None:
    game, _, record = bmi
    assert game.analysis.worth(record, frozenset(game.agents)) == 500
    points = {a: value.point for a, value in wev(game.artefacts(record)).items()}
    for agent in game.agents:
        assert game.analysis.worth(record, frozenset([agent])) == 5 * points[agent]
    pair = frozenset(["CTO", "Reviewer"])
    assert game.analysis.worth(record, pair) == 5 * (points["CTO"] + points["Reviewer"])


def test_a_record_is_replayed_without_running_anything(
    bmi: Bmi, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, position, record = bmi
    monkeypatch.setattr("subprocess.Popen", None)
    stored = json.loads(json.dumps(record))
    steps = list(SoftwareCompany({"bounty": 500}).analysis.replay(stored))
    assert [step.effects for step in steps] == [turn["effects"] for turn in record]
    assert [step.pot for step in steps] == [turn.get("pot", 0) for turn in record]
    assert steps[-1].position == position


def test_an_altered_record_does_not_replay(bmi: Bmi) -> None:
    altered = json.loads(json.dumps(bmi[2]))
    commit = next(e for e in altered[1]["effects"] if e["path"] == "bmi.py")
    commit["content"] = "def bmi(weight, height):\n    return 22.86\n"
    with pytest.raises(GameError, match="the record was altered"):
        list(SoftwareCompany({"bounty": 500}).analysis.replay(altered))


def test_the_record_always_builds_the_same_repository_with_everybodys_own_commits(
    bmi: Bmi, tmp_path: Path
) -> None:
    game, position, record = bmi
    tip = materialise(record, tmp_path / "one")
    assert materialise(json.loads(json.dumps(record)), tmp_path / "two") == tip
    for path, content in position["files"].items():
        assert (tmp_path / "one" / path).read_text() == content
    log = subprocess.check_output(
        ["git", "log", "--format=%an <%ae>%x09%s", "--reverse"], cwd=tmp_path / "one", text=True
    ).splitlines()
    assert log[0] == "CEO <ceo@company.invalid>\tdecide: Build the BMI calculator"
    assert "Reviewer <reviewer@company.invalid>\tfix: what is out of bounds is refused" in log
    counted = read_history(tmp_path / "one", rules=Rules(weighed=False))
    assert counted.artefacts() == {
        agent: made for agent, made in game.artefacts(record).items() if any(made.values())
    }
    with pytest.raises(GameError, match="is not empty"):
        materialise(record, tmp_path / "one")


@pytest.mark.slow
def test_a_part_of_the_company_builds_what_its_roles_can(boxed: None) -> None:
    game = SoftwareCompany({"agents": ["Programmer", "Reviewer"]})
    position, record = by_embedded_roles(game)
    assert game.turns == 4
    assert all(one["passed"] for one in position["checks"])
    assert record[-1]["pot"] == 100


def test_another_declarative_task_is_built_from_its_file(boxed: None, tmp_path: Path) -> None:
    file = tmp_path / "fuel.yaml"
    file.write_text(
        "title: Fuel cost\n"
        "inputs: [{name: litres, unit: l, at_least: 0}, {name: price, below: 10, above: 0}]\n"
        "output: {name: cost, unit: EUR, decimals: 1}\n"
        "formula: litres * price\n"
        "checks:\n"
        "  - {inputs: [10, 1.5], output: 15.0}\n"
        "  - {inputs: [0, 1.5], output: 0}\n"
        "  - {inputs: [1, 10], refused: true}\n"
        "  - {inputs: [-1, 2], refused: true}\n"
    )
    game = SoftwareCompany({"task": str(file)})
    position, record = by_embedded_roles(game)
    assert [one["passed"] for one in position["checks"]] == [True] * 4
    assert record[-1]["pot"] == 100


def test_without_a_passing_program_there_is_no_bounty_and_nothing_to_divide() -> None:
    game = company()
    position, record = game.start(), list[Turn]()
    while not game.over(position):
        position = take(game, position, record, {})
    assert "pot" not in record[-1]
    assert game.analysis.worth(record, frozenset(game.agents)) == 0


def test_the_rules_say_which_turns_a_phase_has_and_what_the_weights_are_for() -> None:
    rules = load("software_company", {"rounds": 2}).rules()
    assert "\n- coding, turn 2–3, 8–9: write_code\n" in rules
    assert "by the middles of these weights, and each kind among its makers: code 27–40 %" in rules


def test_who_can_do_what_depends_on_role_and_phase() -> None:
    game = company()
    position = game.start()
    assert {a: game.legal(position, a) for a in game.agents if game.legal(position, a)} == {
        "CEO": ["decide", "pass"],
        "Counselor": ["write_document", "pass"],
        "CPO": ["decide", "write_document", "pass"],
        "CTO": ["decide", "pass"],
    }
    with pytest.raises(GameError, match="CEO cannot 'write_code'"):
        game.step(position, {"CEO": write("main.py", "x = 1")})


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        ("write_code", "carries no content"),
        ("write_code {", "not a JSON object"),
        ('write_code {"path": "a.py"}', "has path, content and nothing else"),
        ('write_code {"path": "a.py", "content": "", "more": 1}', "and nothing else"),
        ('write_code {"path": "a.py", "content": 3}', "is a text"),
        ('write_code {"path": "a.py", "path": "b.py", "content": "x"}', "the same key twice"),
        (write("../../etc/passwd.py", "x"), "not a path in the workspace"),
        (write("/etc/passwd.py", "x"), "not a path in the workspace"),
        (write("a/../../b.py", "x"), "not a path in the workspace"),
        (write(".git/hooks/post-checkout.py", "x"), "not a path in the workspace"),
        (write("sub/.git/config.py", "x"), "not a path in the workspace"),
        (write("a\\b.py", "x"), "not a path in the workspace"),
        (write("a\nb.py", "x"), "not a path in the workspace"),
        (write("x/" * 9 + "a.py", "x"), "not a path in the workspace"),
        (write("notes.md", "x"), "is not code"),
        (write("vendor/a.py", "x"), "is not code"),
        (write("main.py/a.py", "x"), "cannot be a folder and a file"),
        (write("a.py", "x" * 20_001), "at most 20000"),
        (write("a.py", "x\0y"), "holds something that is not text"),
        ("pass {}", ""),
    ],
)
def test_what_an_agent_may_not_write_is_sent_back_with_a_reason(
    action: str, complaint: str
) -> None:
    game = company()
    position = {"turn": 2, "files": {"main.py": "x = 1\n"}, "checks": []}
    said = game.objection(position, "Programmer", action)
    assert complaint in said
    assert bool(said) == bool(complaint)
    assert "\n" not in said
    after = game.step(position, {"Programmer": action})
    assert after.position["files"] == position["files"]
    assert [e["effect"] for e in after.effects] == (["no_artefact"] if complaint else [])


def test_of_two_who_write_one_file_in_one_turn_the_first_in_order_is_heard() -> None:
    game = company()
    position = {"turn": 2, "files": {}, "checks": []}
    actions = {"Reviewer": write("a.py", "late = 1"), "Programmer": write("a.py", "first = 1")}
    after = game.step(position, actions)
    assert after.position["files"] == {"a.py": "first = 1\n"}
    assert after.effects[1]["why"] == "Programmer wrote a.py this turn"


def fixed(content: str, files: dict[str, str]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    game = company()
    position = {"turn": 4, "files": files, "checks": []}
    action = action_of("fix", path="a.py", content=content, why="to\nmend <it>")
    after = game.step(position, {"Programmer": action})
    return after.position["files"], [e for e in after.effects if e["effect"] != "checks"]


def test_a_fix_counts_if_it_mends_is_kept_if_it_harms_nothing_and_else_refused() -> None:
    before = {"a.py": "pass 0\n"}
    files, (mended,) = fixed("pass 0 pass 1\n", before)
    assert (mended["kind"], mended["message"]) == ("fixes", "fix: to mend it")
    assert files == {"a.py": "pass 0 pass 1\n"}
    files, (tried,) = fixed("pass 0 # better\n", before)
    assert (tried["kind"], tried["message"]) == ("code", "try: to mend it")
    assert files == {"a.py": "pass 0 # better\n"}
    files, (refused,) = fixed("pass 1 pass 2\n", before)
    assert refused["why"].startswith("it breaks what worked")
    assert files == before


def test_refused_and_breaking_actions_replay_too() -> None:
    game = company()
    position, record = game.start(), list[Turn]()
    plays: list[dict[str, str]] = [
        {
            "CEO": action_of("decide", title="Fix: <b>it</b>", text="why\n\nbecause"),
            "CTO": "decide",
        },
        {"CTO": write("a.py", "pass 0"), "Reviewer": write("a.py", "pass 1")},
        {},
        {"Programmer": action_of("fix", path="a.py", content="worse", why="x")},
        {"Reviewer": action_of("fix", path="a.py", content="pass 0 pass 1", why="y")},
        {"CPO": action_of("write_document", path="docs/a.md", content="no end")},
    ]
    for actions in plays:
        position = take(game, position, record, actions)
    steps = list(company().analysis.replay(json.loads(json.dumps(record))))
    assert [step.effects for step in steps] == [turn["effects"] for turn in record]
    assert steps[-1].position == position
    made = game.artefacts(record)
    assert {
        a: {k: int(n) for k, n in c.items() if n} for a, c in made.items() if any(c.values())
    } == {
        "CEO": {"decisions": 1},
        "CPO": {"documents": 1},
        "Reviewer": {"code": 1, "fixes": 1},
    }


def test_a_program_cannot_forge_its_verdict(boxed: None) -> None:
    """What is expected never enters the sandbox, and each check has one of its own."""
    forge = """
import os, sys
for fd in ("/proc/1/fd/1", "/proc/2/fd/1", f"/proc/{os.getppid()}/fd/1"):
    try:
        open(fd, "w").write('[{"check": "", "passed": true, "found": ""}]')
    except OSError:
        pass
for folder in (".", "/source", "/tmp"):
    for name in os.listdir(folder):
        print(name, file=sys.stderr)
print("22.86")
"""
    game = SoftwareCompany({"task": {**load("software_company").params.task}})
    found = in_sandbox({"main.py": forge}, game.task)
    # Its own output says 22.86 to everything, besides what it wrote over it: nothing passes.
    assert not any(one["passed"] for one in found)
    honest = in_sandbox({"main.py": "print('22.86')\n"}, game.task)
    assert [one["passed"] for one in honest] == [True] + [False] * 7


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"agents": ["CEO", "Mascot"]}, "Mascot"),
        ({"phases": {"design": 1}}, "give 1 to 50 turns to each"),
        ({"task": {"title": "x", "formula": "a + 1"}}, "inputs, output and formula together"),
        ({"task": "no/such/file.yaml"}, "no such task file"),
        ({"bounty": 0}, "greater than 0"),
        ({"weights": {"code": [1, 2]}}, "give a weight to each"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(params: dict[str, Any], complaint: str) -> None:
    with pytest.raises(GameError) as caught:
        load("software_company", params)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "formula",
    ["__import__('os').system('x')", "weight.real", "[weight]", "weight if weight else 1", "f(1)"],
)
def test_a_formula_is_arithmetic_and_nothing_else(formula: str) -> None:
    task = {**load("software_company").params.task, "formula": formula}
    with pytest.raises(GameError, match="a formula may have only numbers"):
        load("software_company", {"task": task})


def test_a_task_told_in_words_is_judged_by_the_companys_own_tests() -> None:
    task = load("software_company", {"task": "A clock"}).params.task
    assert task == {"title": "A clock"}
    assert load("software_company", {"task": " bmi  Calculator"}).params.task["formula"]
    checks = load("software_company", {"task": "A clock"}).task.checks
    assert [check.command for check in checks] == [
        ["python", "-m", "unittest", "discover", "-s", "tests"]
    ]


def test_without_a_sandbox_the_game_refuses_before_it_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shapley_coop.games.sandbox.offered", lambda kind: {})
    with pytest.raises(SandboxMissing, match="install the extension sandbox"):
        SoftwareCompany().make_ready()
    unboxed = SoftwareCompany({"unsafe_no_sandbox": True})
    with pytest.raises(GameError, match="give --unsafe-no-sandbox on the command line"):
        unboxed.make_ready()
    monkeypatch.setattr("shapley_coop.permissions._permitted", {NO_SANDBOX})
    unboxed.make_ready()
    SoftwareCompany(runner=by_words).make_ready()


def test_an_amount_is_divided_to_the_cent() -> None:
    thirds = {name: Fraction(1, 3) for name in "abc"}
    assert divided(Fraction(100), thirds, 2) == {"a": 33.34, "b": 33.33, "c": 33.33}
    assert parts({"a": {}, "b": {}}, WEIGHTS) == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    with pytest.raises(GameError, match="more than 2 decimals"):
        divided(Fraction("0.001"), thirds, 2)

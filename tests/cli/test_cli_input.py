"""Bad input to the command line: one line that names the fix, and nothing is begun."""

import json
from pathlib import Path

import pytest

from shapley_coop.seats.endpoint import KEYS
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import NO_CREDENTIALS, USAGE, Coop, one_line

RUN = ("run", "escape_room")
BAD_INPUT = [
    (("show",), "Missing argument 'run'. The run's name; coop runs lists them."),
    (("run", "nope"), "no game 'nope': there are "),
    (("run", "nope.yaml"), "no file 'nope.yaml': there are "),
    (("run", "broken.yaml"), "broken.yaml: cannot be read as a game"),
    (("run", "list.yaml"), "list.yaml: contains no game: give name, agents, actions and payoffs"),
    (("run", "half.yaml"), "payoffs"),
    (("run", "folder.yaml"), "folder.yaml is a folder: give a game's name, or a file"),
    (("run", "."), "no game '.': there are "),
    ((*RUN, "--graph", "nope"), "no workflow 'nope': there are llm_only, "),
    ((*RUN, "--model", "rational"), "'rational' is not a model: give provider:name"),
    ((*RUN, "--model", "nowhere:x"), "nowhere:x"),
    (
        (*RUN, "--model", "embedded:nobody"),
        "'nobody' is not an embedded character: choose rational",
    ),
    ((*RUN, "--model", "recording:gone.jsonl"), "make one with coop letters RUN"),
    ((*RUN, "--model", "recording:list.yaml"), "is not a recorded letter"),
    ((*RUN, "--model", "embedded:rational,temprature=1"), "temprature"),
    ((*RUN, "--model", "embedded:rational,temperature=9"), "temperature"),
    ((*RUN, "--model", "embedded:rational,0.5"), "'0.5' is no setting"),
    ((*RUN, "--agent", "Eve=embedded:rational"), "Eve, who does not play: the agents are Alice"),
    ((*RUN, "--agent", "Alice"), "--agent Alice: give NAME=provider:name"),
    ((*RUN, "--set", "price=1"), "price"),
    ((*RUN, "--set", "prise=1"), "; did you mean 'prize'?"),
    ((*RUN, "--set", "price"), "--set price: give key=value"),
    ((*RUN, "--budget", "{}"), "--budget: {} is no limit: give key=value"),
    ((*RUN, "--model", "embedded:rational,{0}"), "embedded:rational,{0}: '{0}' is no setting"),
    (("sweep", "typo.yaml", "-o", "out"), "there is no setting 'ruonds': did you mean 'rounds'?"),
    (("sweep", "tables.yaml", "-o", "out"), "no setting 'tabels': did you mean 'tables'?"),
    ((*RUN, "--set", "prize=lots"), "prize"),
    ((*RUN, "--set", "prize=.inf"), "prize"),
    ((*RUN, "--params", "gone.yaml"), "gone.yaml: cannot be read as parameters"),
    ((*RUN, "--params", "broken.yaml"), "broken.yaml: cannot be read as parameters"),
    ((*RUN, "--params", "list.yaml"), "list.yaml: contains no parameters: write key: value"),
    ((*RUN, "--params", "binary.yaml"), "binary.yaml: cannot be read as parameters"),
    ((*RUN, "--secrets", "gone"), "there are no secrets 'gone': put `agent: text` into "),
    ((*RUN, "--secrets", "../gone"), "secrets"),
    ((*RUN, "--norm", "nope"), "norm"),
    ((*RUN, "--constraint", "nope"), "constraints"),
    ((*RUN, "--renegotiate", "often"), "renegotiate"),
    ((*RUN, "--seed", "-1"), "seed"),
    ((*RUN, "--seed", "99999999999999999999"), "seed"),
    ((*RUN, "--rounds", "0"), "rounds"),
    ((*RUN, "--tries", "many"), "tries"),
    (
        (
            *RUN,
            "--nonsense",
        ),
        "--nonsense",
    ),
    (("nonsense",), "nonsense"),
    (("run",), "game"),
    (
        ("run", "negotiation"),
        "negotiation is a workflow, not a game: use coop run GAME --graph negotiation",
    ),
    (("show", "gone"), "there is no run 'gone': coop runs lists those of "),
    (("verify", "gone"), "there is no run 'gone': coop runs lists those of "),
    (("letters", "gone"), "there is no run 'gone': coop runs lists those of "),
    (("resume", "gone"), "there is no run 'gone': coop runs lists those of "),
    (("run", "escape_room", "--agent", "Bob=a2a:"), "'a2a:' is not a model: give provider:name"),
    pytest.param(
        ("answer", "gone", "Alice"),
        "there is no run 'gone': coop runs lists those of ",
        marks=brought_by("people"),
    ),
    (("resume",), "name one run, or give --all"),
    (("resume", "gone", "--all"), "name one run, or give --all"),
    (("graph", "nope"), "no workflow 'nope': there are llm_only, "),
    pytest.param(("demo", "nope"), "no game 'nope': there are ", marks=brought_by("papers")),
    pytest.param(
        ("demo", "--model", "embedded:nobody"),
        "'nobody' is not an embedded character",
        marks=brought_by("papers"),
    ),
    (("credit", "gone.json"), "gone.json"),
    (("wev", "gone.json"), "gone.json"),
]


@pytest.mark.parametrize(("argv", "fix"), BAD_INPUT, ids=lambda value: " ".join(value)[:40])
def test_bad_input_is_refused_in_one_line(
    coop: Coop, tmp_path: Path, argv: tuple[str, ...], fix: str
) -> None:
    (tmp_path / "broken.yaml").write_text("a: [1, 2\nb: }")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "list.yaml").write_text("- 1\n- 2\n")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "typo.yaml").write_text("base: {game: escape_room}\nvary: {ruonds: [1, 2]}\n")
    (tmp_path / "tables.yaml").write_text("base: {game: escape_room}\ntabels: []\n")
    half = {"agents": ["A", "B"], "actions": {"A": ["x"], "B": ["x", "y"]}}
    (tmp_path / "half.yaml").write_text(json.dumps({**half, "payoffs": []}))
    assert fix in one_line(coop(*argv), USAGE)
    if "there is no run" in fix:
        assert not home().folder.exists(), "to look for a run makes no home"
    assert coop("runs", "--json").result == []


@pytest.mark.parametrize(("provider", "variable"), KEYS.items())
def test_a_missing_key_is_told_by_its_name(coop: Coop, provider: str, variable: str) -> None:
    complaint = one_line(coop(*RUN, "--model", f"{provider}:x"), NO_CREDENTIALS)
    assert complaint == f"coop: {provider}:x needs {variable}: set it, or put it in .env\n"


def test_a_name_that_is_taken_is_refused(coop: Coop) -> None:
    coop(*RUN, "--graph", "llm_only", "--name", "r")
    complaint = one_line(coop(*RUN, "--name", "r"), USAGE)
    assert "a run 'r' exists already: choose another name, or coop resume r" in complaint


def test_help_is_no_error(coop: Coop) -> None:
    for argv in (("--help",), ("run", "-h")):
        ended = coop(*argv)
        assert (ended.code, ended.err) == (0, "")
        assert "Usage" in ended.out


@pytest.mark.parametrize("url", ["mysql://me:canary@db/coop", "canary"])
def test_a_database_of_another_kind_is_refused_and_its_address_not_quoted(
    coop: Coop, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("COOP_DATABASE_URL", url)
    line = one_line(coop("run", "escape_room"), USAGE)
    assert "COOP_DATABASE_URL is" in line
    assert "canary" not in line


def test_a_database_that_no_extension_opens_is_refused(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_DATABASE_URL", "postgresql://me@db/unopened")
    monkeypatch.setattr("shapley_coop.extension.offered", lambda _: {})
    line = one_line(coop("runs"), USAGE)
    assert "COOP_DATABASE_URL is set, but no extension that opens a database is installed" in line

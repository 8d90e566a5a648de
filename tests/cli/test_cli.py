"""The command line: what each command does when all is well, and when a seat fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapley_coop import games, graphs
from shapley_coop.cli.options import complete_runs
from shapley_coop.state.storage.home import Home, home
from tests.brought import brought_by
from tests.coop_command import ABLATION, FAILED, USAGE, Coop, one_line, valid
from tests.embedded_reply import reply
from tests.root import ROOT
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

# Running


def test_a_run_is_told_as_it_happens_and_summed_up(coop: Coop) -> None:
    ended = coop("run", "escape_room", "--name", "told")
    assert ended.code == 0
    for words in ("m1", "signed ", "turn 1", "computed from the record", "told: agreed"):
        assert words in ended.out
    assert "A simulation: embedded agents answered, no language model did." in ended.out


def test_parameters_come_from_a_file_and_pairs_go_before_it(coop: Coop, tmp_path: Path) -> None:
    for name, text in (("p.yaml", "prize: 20\ncost: 2\n"), ("p.json", '{"prize": 20, "cost": 2}')):
        (tmp_path / name).write_text(text)
        given = ("--params", name, "--set", "cost=4", "--graph", "llm_only", "--json")
        assert coop("run", "escape_room", *given).result["rewards"] == {"Alice": -4, "Bob": -4}


def test_each_agent_sits_where_it_is_told(coop: Coop) -> None:
    options = ("--model", "embedded:greedy", "--agent", "Bob=embedded:generous")
    outcome = coop("run", "escape_room", *options, "--json").result
    assert outcome["seats"] == {"Alice": "embedded:greedy", "Bob": "embedded:generous"}


def test_a_base_url_and_settings_reach_the_endpoint(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    with StubOpenAI(reply) as stub:
        seats = ("--agent", "Alice=openai:Alice,temperature=0.3,max_tokens=500")
        options = ("--graph", "llm_only", "--base-url", stub.base_url, "--json")
        outcome = valid(coop("run", "escape_room", *seats, *options).result)
    assert outcome["seats"] == {"Alice": "openai:Alice", "Bob": "embedded:rational"}
    (request,) = stub.requests
    assert (request.body["temperature"], request.body["max_completion_tokens"]) == (0.3, 500)


def test_a_key_may_stand_in_a_file_called_env(coop: Coop, tmp_path: Path) -> None:
    with StubOpenAI(reply) as stub:
        (tmp_path / ".env").write_text(f"OPENAI_API_KEY=sk-env\nOPENAI_BASE_URL={stub.base_url}\n")
        try:
            options = ("--model", "openai:Alice", "--graph", "llm_only", "--json")
            assert coop("run", "escape_room", *options).code == 0
        finally:
            for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
                os.environ.pop(variable, None)
        assert stub.calls == 2
        assert all(request.key_present for request in stub.requests)


def test_a_run_whose_seat_fails_stops_and_can_be_resumed(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    with StubOpenAI(reply, faults=[Fault.bad_key()]) as stub:
        options = ("--agent", "Alice=openai:Alice", "--base-url", stub.base_url, "--json")
        stopped = coop("run", "escape_room", "--name", "r", *options)
        complaint = one_line(stopped, FAILED)
        assert "Alice's seat (openai:Alice) did not answer" in complaint
        assert "coop resume r" in complaint
        assert "sk-canary" not in complaint
        assert [run["state"] for run in coop("runs", "--json").result] == ["failed"]
        assert "has not ended" in one_line(coop("verify", "r"), USAGE)
        assert "has not ended" in one_line(coop("show", "r", "--json"), USAGE)
        assert "go on with coop resume r" in coop("show", "r").out
        assert valid(coop("resume", "r", "--json").result)["status"] == "agreed"
    assert coop("verify", "r").code == 0


def test_resume_all_goes_on_with_whatever_has_not_ended(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    with StubOpenAI(reply, faults=[Fault.bad_key(), Fault.bad_key()]) as stub:
        options = ("--graph", "llm_only", "--agent", "Alice=openai:Alice")
        for name in ("a", "b"):
            coop("run", "escape_room", "--name", name, *options, "--base-url", stub.base_url)
        coop("run", "escape_room", "--name", "c", "--graph", "llm_only")
        ended = coop("resume", "--all")
    assert (ended.code, ended.err) == (0, "2 of 2 resumed\n")
    assert {run["state"] for run in coop("runs", "--json").result} == {"ended"}


CELL = "a1b2c3d4.a1b2c3d4a1b2c3d4a1b2"
"""The name of a run of a sweep."""


def test_resume_all_says_what_came_of_each_run_and_leaves_sweeps_alone(coop: Coop) -> None:
    for name in ("r", CELL):
        options = ("--graph", "llm_only", "--agent", "Alice=human")
        coop("run", "escape_room", "--name", name, *options)
    assert coop("resume", "--all").err.endswith("\n0 of 1 resumed, 1 waiting\n")


def test_prune_leaves_the_runs_of_sweeps_alone_unless_asked(coop: Coop) -> None:
    coop("run", "escape_room", "--name", CELL, "--graph", "llm_only")
    assert coop("prune", "--game", "escape_room", "--yes").out == ""
    assert coop("prune", "--game", "escape_room", "--sweeps").out == f"would remove {CELL}\n"


def test_looking_for_runs_makes_no_home(coop: Coop, tmp_path: Path) -> None:
    assert coop("runs").code == coop("doctor").code == coop("prune", "--older", "1").code == 0
    assert complete_runs("") == []
    assert list(tmp_path.rglob("*")) == []


def test_a_run_is_credited_by_a_name_with_a_dot(coop: Coop) -> None:
    coop("run", "escape_room", "--name", "v1.2", "--graph", "llm_only")
    assert coop("credit", "v1.2").code == 0
    assert "there is no run 'v1.3'" in one_line(coop("credit", "v1.3"), USAGE)


def test_json_of_a_run_is_not_also_markdown(coop: Coop) -> None:
    coop("run", "escape_room", "--name", "r", "--graph", "llm_only")
    assert "give one of them" in one_line(coop("show", "r", "--json", "--markdown"), USAGE)
    assert "--figure" in one_line(coop("show", "r", "--json", "--figure", "f.svg"), USAGE)


# A person at the table


@brought_by("people")
def test_a_person_is_waited_for_and_answers_in_their_own_time(coop: Coop) -> None:
    options = ("--graph", "llm_only", "--name", "r", "--agent", "Alice=human")
    waiting = coop("run", "escape_room", *options)
    assert waiting.code == 0
    assert "r waits for Alice: coop answer r Alice" in waiting.err
    assert "Your move" in coop("answer", "r", "Alice").out
    assert "no letter waits for Bob" in one_line(coop("answer", "r", "Bob"), USAGE)
    complaint = one_line(coop("answer", "r", "Bob", "<ACTION>lever</ACTION>"), USAGE)
    assert "Bob is not asked now: the run waits for Alice" in complaint
    assert coop("answer", "r", "Alice", "<ACTION>lever</ACTION>").code == 0
    outcome = valid(coop("resume", "r", "--json").result)
    assert outcome["rewards"] == {"Alice": -1, "Bob": 10}
    assert "r is over.\nNothing was signed.\nYou end with -1." in coop("answer", "r", "Alice").out


# Looking


def test_what_there_is_can_be_listed(coop: Coop) -> None:
    found = coop("list", "--json").result
    assert list(found["games"]) == games.names()
    assert list(found["graphs"]) == graphs.names()
    assert "embedded:rational" in found["characters"]
    listed = coop("list").out
    for names in found.values():
        for name, about in names.items():
            assert about
            assert name in listed
    lines = {line.split()[0]: line for line in listed.splitlines() if line}
    assert lines["graphs,"] == "graphs, of any game unless some are named:"
    assert lines["settlement"].endswith(" Plays delivered.")
    assert "Plays" not in lines["negotiation"]


def test_runs_are_listed_newest_first_and_shown(coop: Coop) -> None:
    assert coop("runs").out == "no runs yet: coop run escape_room\n"
    ran = coop("run", "escape_room", "--name", "one", "--json").result
    coop("run", "escape_room", "--graph", "llm_only", "--name", "two")
    listed = {run["run"]: run for run in coop("runs", "--json").result}
    assert [*listed] == ["two", "one"]
    assert listed["one"]["status"] == "agreed"
    assert (listed["two"]["graph"], listed["two"]["state"]) == ("llm_only", "ended")
    assert "one" in coop("runs").out
    assert coop("show", "one", "--json").result == ran
    assert "one: agreed" in coop("show", "one").out


@pytest.mark.parametrize("graph", ABLATION)
def test_a_workflow_is_drawn_with_the_edges_it_has(coop: Coop, graph: str) -> None:
    drawn = coop("graph", graph).out
    assert "__start__ → open" in drawn
    assert ("attribute" in drawn) == (graph == "shapley_coop")
    diagram = coop("graph", graph, "--mermaid").out
    assert diagram.startswith("---\nconfig:")
    assert "\n    __start__(" in diagram
    assert "\\" not in diagram


def test_the_doctor_says_what_is_there(coop: Coop, monkeypatch: pytest.MonkeyPatch) -> None:
    found = coop("doctor")
    assert found.code == 0
    assert "FAIL" not in found.out
    needed = ["langgraph>=99", "nowhere-to-be-found>=1", "absent>=1; extra == 'dev'"]
    monkeypatch.setattr("shapley_coop.cli.inspecting.doctor.requires", lambda name: needed)
    ill = coop("doctor")
    assert ill.code == 1
    assert "FAIL  langgraph: " in ill.out
    assert "needs >=99" in ill.out
    assert "FAIL  nowhere-to-be-found: not installed" in ill.out
    assert "absent" not in ill.out
    assert "tracing: off" in ill.out
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    assert "tracing: on" in coop("doctor").out


@brought_by("papers")
def test_the_demo_counts_every_condition(coop: Coop) -> None:
    found = coop("demo", "--seeds", "2", "--json").result
    assert found["simulated"] is True
    assert [row["runs"] for row in found["rows"]] == [2, 2, 2, 2]
    assert "This is a simulation" in coop("demo", "--seeds", "1").out


@brought_by("exchange")
def test_a_workflow_that_cannot_play_a_game_is_refused_before_anything_is_entered(
    coop: Coop,
) -> None:
    told = coop("run", "escape_room", "--graph", "task_exchange", "--name", "never")
    assert told.code == USAGE
    assert told.err == (
        "coop: task_exchange plays task_exchange, not escape_room: choose that game\n"
    )
    with pytest.raises(ValueError, match="no run 'never'"):
        home().runs.get("never")


@brought_by("exchange")
def test_a_word_that_is_a_game_and_a_workflow_is_played_by_that_workflow(coop: Coop) -> None:
    both = coop("run", "task_exchange", "--name", "both", "--json")
    assert (home().run("both").graph, both.code) == ("task_exchange", 0)
    assert both.err.startswith("task_exchange is a game and a workflow: playing it by that work")
    other = coop("run", "task_exchange", "-g", "llm_only", "--name", "other", "--json")
    assert (home().run("other").graph, other.err) == ("llm_only", "")
    assert coop("run", "escape_room", "--name", "usual", "--json").err == ""
    assert home().run("usual").graph == "shapley_coop"
    alone = coop("run", "negotiation")
    assert (
        "negotiation is a workflow, not a game: use coop run GAME --graph negotiation"
        in one_line(alone, USAGE)
    )


def test_a_run_whose_output_nobody_reads_is_played_to_its_end(tmp_path: Path) -> None:
    command = f"{sys.executable} -m shapley_coop run escape_room --name piped | head -1"
    kept = {**os.environ, "COOP_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        ["bash", "-c", command], env=kept, cwd=ROOT, capture_output=True, check=True
    )
    assert done.stderr == b""
    assert Home(tmp_path / "home").runs.get("piped").state == "ended"

"""A Python callable takes a seat, fails in one line, and is run by no file that names it."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.permissions import permit_program
from shapley_coop.seats.models import check_seat
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import USAGE, Coop, one_line
from tests.root import ROOT

GAME = {"game": "prisoners_dilemma", "params": {"rounds": 3}}
MODULE = "bots_of_a_test"


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Write the body of `answer` into a module of the working directory, and name its seat."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("shapley_coop.permissions._permitted", set())
    monkeypatch.setattr("shapley_coop.permissions._programs", set())

    def write(body: str, how: str = "def") -> str:
        inside = f"    {how} answer(facts, words):\n        {body}\n    return answer\n"
        source = f"def factory(agent, seed):\n{inside}"
        (tmp_path / f"{MODULE}.py").write_text(source, encoding="utf-8")
        return f"python:{MODULE}:factory"

    sys.modules.pop(MODULE, None)
    yield write
    sys.modules.pop(MODULE, None)


def room(seat: str) -> RunConfig:
    permit_program(seat)
    return RunConfig.model_validate({**GAME, "seats": {"*": "embedded:rational", "Bob": seat}})


def moves(outcome: dict[str, Any]) -> list[str]:
    """What Bob did, turn by turn."""
    return [e["actions"]["Bob"] for e in outcome["events"] if e["kind"] == "played"]


@pytest.mark.parametrize("how", ["def", "async def"])
@pytest.mark.parametrize(
    "answer",
    ["{'action': 'cooperate', 'thoughts': agent}", "'<ACTION>cooperate</ACTION>'"],
    ids=["in fields", "in tags"],
)
async def test_a_callable_plays_by_fields_or_by_tags(
    bots: Callable[..., str], how: str, answer: str
) -> None:
    outcome = await play("llm_only", room(bots(f"return {answer}", how)))
    did = moves(outcome)
    assert did == ["cooperate"] * 3
    entries = [e for e in home().journal.entries(outcome["episode"]) if e.agent == "Bob"]
    assert [(e.answer.input_tokens, e.answer.output_tokens) for e in entries] == [(0, 0)] * 3


async def test_it_reads_the_facts_and_the_words_and_can_change_neither(
    bots: Callable[..., str],
) -> None:
    seat = bots(
        "moves = [e.pop('did') for e in facts['history'] if 'did' in e]\n"
        "        assert facts['legal'][0] in words and facts['you'] == agent == 'Bob'\n"
        "        return {'action': 'cooperate' if len(moves) % 2 == 0 else 'defect'}"
    )
    outcome = await play("llm_only", room(seat))
    did = moves(outcome)
    assert did == ["cooperate", "defect", "cooperate"]
    entries = [e for e in home().journal.entries(outcome["episode"]) if e.agent == "Bob"]
    last = max(entries, key=lambda e: e.facts["turn"])
    assert [e["did"]["Bob"] for e in last.facts["history"] if "did" in e] == did[:2]


async def test_an_illegal_action_is_sent_back_with_the_fault_in_the_facts(
    bots: Callable[..., str],
) -> None:
    seat = bots("return {'action': 'defect' if facts.get('fault') else 'sing'}")
    outcome = await play("llm_only", room(seat))
    assert moves(outcome) == ["defect"] * 3
    entries = [e for e in home().journal.entries(outcome["episode"]) if e.agent == "Bob"]
    asked = sorted((e.facts["turn"], e.attempt) for e in entries)
    assert asked == [(turn, attempt) for turn in (1, 2, 3) for attempt in (1, 2)]


@pytest.mark.parametrize("wrong", ["acton", "action': 'defect', 'aim"])
async def test_a_wrong_field_is_sent_back_and_named_in_the_letter(
    bots: Callable[..., str], wrong: str
) -> None:
    again = "'action': 'defect' if \"the field\" in words else 'cooperate'"
    seat = bots(f"return {{{again}}} if facts.get('fault') else {{'{wrong}': 'cooperate'}}")
    outcome = await play("llm_only", room(seat))
    assert moves(outcome) == ["defect"] * 3
    unread = [e.answer.text for e in home().journal.entries(outcome["episode"]) if e.attempt == 1]
    assert f"Unread: the field '{wrong[-3:] if 'aim' in wrong else wrong}' is none of" in unread[-1]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return facts['secret plan']", rf"it raised KeyError in {MODULE}\.py, line 3, when"),
        ("raise SystemExit(4)", "it raised SystemExit in .* when asked to act"),
        ("return 7", "asked for act, it returned a value of class int: return tagged text"),
    ],
)
@pytest.mark.parametrize("how", ["def", "async def"])
async def test_a_failure_stops_the_run_in_one_line_that_quotes_nothing(
    bots: Callable[..., str], body: str, told: str, how: str
) -> None:
    seat = bots(body, how)
    with pytest.raises(SeatError, match=told) as stopped:
        await play("llm_only", room(seat))
    line = str(stopped.value)
    assert line.startswith(f"Bob's seat ({seat}) did not answer: ")
    assert "\n" not in line
    assert "secret plan" not in line
    assert stopped.value.__context__ is None


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("python:bots", "give python:module:factory"),
        ("python:no_such_module_here:f", "cannot be imported: ModuleNotFoundError"),
        ("python:json:nothing_of_the_kind", "json has no callable nothing_of_the_kind"),
        ("python:json:loads", "loads does not take agent= and seed=, with which it is called"),
    ],
)
def test_what_cannot_be_seated_is_refused_before_anything_is_played(
    coop: Coop, model: str, told: str
) -> None:
    refused = coop("run", "prisoners_dilemma", "--agent", f"Bob={model}")
    assert told in one_line(refused, USAGE)


def test_the_command_line_permits_what_it_names_and_a_suite_permits_nothing(
    bots: Callable[..., str], coop: Coop, tmp_path: Path
) -> None:
    seat = bots("return {'action': 'cooperate'}")
    mark = tmp_path / "was-run"
    module = tmp_path / f"{MODULE}.py"
    module.write_text(f"open({str(mark)!r}, 'w')\n{module.read_text()}")
    base = {**GAME, "graph": "llm_only", "seats": {"Bob": seat, "*": "embedded:rational"}}
    suite = tmp_path / "s.yaml"
    suite.write_text(json.dumps({"name": "s", "base": base}))  # JSON is YAML
    for options in ([], ["--dry-run"]):
        done = coop("sweep", str(suite), "-o", str(tmp_path / "out"), *options)
        assert not mark.exists()
        if not options:
            assert "coop --trust-programs" in one_line(done, USAGE)
    with pytest.raises(ValueError, match="this seat runs a program"):
        check_seat(Seat(model=seat))
    ran = coop("run", "prisoners_dilemma", "-g", "llm_only", "--agent", f"Bob={seat}", "--json")
    assert ran.result["conduct"]["Bob"]["actions"] == {"cooperate": 10}
    assert mark.exists(), "what is permitted is done"


@pytest.mark.parametrize("module", ["careful", "signer"])
def test_the_examples_of_the_documentation_play(module: str, coop: Coop, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "seats.md").read_text(encoding="utf-8")
    section = page[page.index("## A callable of one's own") :]
    found = re.search(rf"```python\n(# {module}\.py.*?)```", section, re.DOTALL)
    command = re.search(rf"coop run (.*python:{module}:factory.*)", section)
    assert found
    assert command
    (tmp_path / f"{module}.py").write_text(found[1], encoding="utf-8")
    try:
        done = coop("run", *command[1].split(), "--json")
    finally:
        sys.modules.pop(module, None)
        sys.path[:] = [place for place in sys.path if place != str(tmp_path)]
    payoffs = {
        "careful": {"Alice": 2.0, "Bob": -1.0},
        "signer": {"Ada": 122.5, "Ben": 62.5, "Cem": 40.0},
    }
    assert done.result["payoffs"] == payoffs[module]


async def test_the_documentation_lists_the_keys_that_letters_hold() -> None:
    page = (ROOT / "docs" / "seats.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (`.*?`) \| (all|`.*?`) \|", page[page.index("What `facts` holds") :], re.M
    )
    outcome = await play("shapley_coop", RunConfig(game="shared_service"))
    held: dict[str, list[set[str]]] = {}
    for entry in home().journal.entries(outcome["episode"]):
        if entry.agent in outcome["agents"]:
            held.setdefault(entry.facts["ask"], []).append(set(entry.facts))
    always = {ask: set.intersection(*letters) for ask, letters in held.items()}
    told = {ask: set[str]() for ask in always}
    for keys, asks in rows:
        for ask in always if asks == "all" else re.findall(r"\w+", asks):
            told[ask] |= {*re.findall(r"\w+", keys)}
    assert len(rows) == 10
    assert {ask: keys - always[ask] for ask, keys in told.items() if keys - always[ask]} == {}
    untold = set.intersection(*always.values()) - set.intersection(*told.values())
    assert untold == set(), "what every letter holds is listed"
    in_one_row = {
        key: {ask for ask in told if key in told[ask]} for row in told.values() for key in row
    }
    for key, asks in in_one_row.items():
        assert asks == {ask for ask in always if key in always[ask]}, key

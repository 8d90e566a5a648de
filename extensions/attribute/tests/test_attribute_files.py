"""The user's own files: what they print, packages, and what is refused before any play."""

from pathlib import Path

import pytest

from extensions.attribute.tests.test_attribute_cli import APP, GIVEN
from tests.coop_command import Coop, one_line


@pytest.fixture
def coop(coop: Coop, tmp_path: Path) -> Coop:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    (tmp_path / "in.json").write_text('{"topic": "owls"}', encoding="utf-8")
    return coop


def test_what_the_app_and_its_scorer_print_is_not_mixed_with_the_result(
    coop: Coop, tmp_path: Path
) -> None:
    loud = APP.replace("page = ", "print('loading')\npage = ", 1).replace(
        "def score(state):", "def score(state):\n    print('scoring')"
    )
    (tmp_path / "loud.py").write_text(loud, encoding="utf-8")
    given = ("--agents", "search,write", "--score", "loud.py:score", "--input", "in.json")
    ended = coop("attribute", "loud.py:graph", *given, "--json")
    assert ended.result["values"] == {"search": 0.5, "write": 3.5}
    assert {"loading", "scoring"} < {*ended.err.splitlines()}
    table = coop("attribute", "loud.py:graph", *given, "--version", "2")
    assert "scoring" in table.err
    assert "scoring" not in table.out


def test_a_graph_in_a_package_is_given_as_a_file_or_as_a_module(coop: Coop, tmp_path: Path) -> None:
    desk = tmp_path / "inner" / "desk_of_owls"
    desk.mkdir(parents=True)
    (desk / "parts.py").write_text(APP, encoding="utf-8")
    main = "from .parts import graph, score\n"
    (desk / "main.py").write_text(main, encoding="utf-8")
    given = ("--agents", "search,write", "--input", "in.json", "--score")
    file = "inner/desk_of_owls/main.py"
    refused = one_line(coop("attribute", f"{file}:graph", *given, f"{file}:score"), 2)
    assert "relative import" in refused
    assert "put an __init__.py into its folder, or give package.module:name" in refused
    module = "inner.desk_of_owls.main"
    found = coop("attribute", f"{module}:graph", *given, f"{module}:score", "--json").result
    (desk / "__init__.py").touch()
    again = coop("attribute", f"{file}:graph", *given, f"{file}:score", "--json").result
    assert again["values"] == found["values"] == {"search": 0.5, "write": 3.5}


def test_an_app_that_exits_while_it_is_imported_is_refused(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "exits.py").write_text(f"{APP}\nimport sys\nsys.exit(0)\n", encoding="utf-8")
    refused = one_line(coop("attribute", "exits.py:graph", *GIVEN[2:], "--input", "in.json"), 2)
    assert "exits.py: it calls sys.exit while it is imported" in refused


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ("score = 3", "the score is 3, which is no function"),
        ("def score():\n    return 1", "the score takes (): a score takes the final state, or"),
        ("def score(a, b, c):\n    return 1", "the score takes (a, b, c): a score takes"),
    ],
)
def test_a_score_that_cannot_be_called_is_refused_before_any_play(
    score: str, message: str, coop: Coop, tmp_path: Path
) -> None:
    (tmp_path / "by.py").write_text(f"{score}\n", encoding="utf-8")
    given = ("attribute", "app.py:graph", "--agents", "search,write", "--input", "in.json")
    assert message in one_line(coop(*given, "--score", "by.py:score"), 2)


TOOLS = """
from langchain_core.tools import tool
from dataclasses import dataclass
from langgraph.graph import START, StateGraph

@tool
def booking(what: str) -> str:
    "Book."
    return what

@dataclass
class Trip:
    items: str = ""
    text: str = ""

def act(state):
    return {"text": booking.invoke({"what": state.items})}

page = StateGraph(Trip)
page.add_node("act", act)
page.add_edge(START, "act")
graph = page.compile()

def score(state):
    return 1
"""


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("items", ("--safe-tools", "boking"), "'boking' is not a tool of the app: did you mean"),
        ("items", ("--fresh", "akt"), "fresh: 'akt' is not a node of the app: did you mean 'act'?"),
        ("items", ("--fresh", "zz"), "'zz' is not a node of the app: its nodes are act"),
        ("itemz", (), "in.json: input 1: the state has no key 'itemz': did you mean 'items'?"),
    ],
)
def test_unknown_names_are_refused_before_any_play(
    given: str, options: tuple[str, ...], message: str, coop: Coop, tmp_path: Path
) -> None:
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "in.json").write_text(f'[{{"{given}": "rent"}}]', encoding="utf-8")
    asked = ("attribute", "tools.py:graph", "--score", "tools.py:score", "--input", "in.json")
    assert message in one_line(coop(*asked, *options), 2)
    (tmp_path / "in.json").write_text('[{"items": "rent", "expected": 1}]', encoding="utf-8")
    known = coop(*asked, "--safe-tools", "booking", "--fresh", "act")
    assert known.code == 0, known.err

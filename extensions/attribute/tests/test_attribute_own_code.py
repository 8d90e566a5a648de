"""Kept calls are of the app's whole code: every module that it imports, wherever it lies."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.loading import load

NODES = """\
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
{imports}

class State(TypedDict, total=False):
    tries: int
    said: str

def go(state):
    return "say" if state.get("tries", 0) < 3 else END

def say(state):
    return {{"said": {fact}, "tries": state.get("tries", 0) + 1}}

page = StateGraph(State)
page.add_node("say", say)
page.add_edge(START, "say")
page.add_conditional_edges("say", go, ["say", END])
graph = page.compile()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which modules are loaded afresh each time."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    yield tmp_path
    forget(tmp_path)


def forget(folder: Path) -> None:
    """As if a new process began."""
    for name, module in list(sys.modules.items()):
        if str(folder) in (getattr(module, "__file__", None) or ""):
            del sys.modules[name]


def attributed(folder: Path, file: str = "app.py") -> Any:
    forget(folder)
    graph = load(f"{folder / file}:graph", "the app")
    return attribute(
        graph, ["say"], lambda state: float("5" in state["said"]), {}, cache=folder / "calls"
    )


@pytest.mark.parametrize(
    ("imports", "fact", "changed"),
    [
        ("import told", "told.fact()", "told.py"),
        ("from told import FACT", "FACT", "told.py"),
        ("import parts.deep", "parts.deep.fact()", "parts/told.py"),
        ("", "__import__('parts.deep').deep.fact()", None),
    ],
)
def test_a_change_of_an_imported_module_is_asked_anew(
    folder: Path, imports: str, fact: str, changed: str | None
) -> None:
    """Only what no import statement names is not watched."""
    told = "FACT = '9 weeks'\ndef fact(): return FACT\n"
    (folder / "parts").mkdir()
    (folder / "parts" / "__init__.py").write_text("")
    (folder / "parts" / "deep.py").write_text("from .told import fact\n")
    (folder / "parts" / "told.py").write_text(told)
    (folder / "told.py").write_text(told)
    (folder / "app.py").write_text(NODES.format(imports=imports, fact=fact))
    if changed is None:
        named = [path.name for path in App(load(f"{folder}/app.py:graph", "it"), ()).code.files()]
        assert named == ["app.py"]
        return
    assert attributed(folder).worth["say"] == 0
    assert attributed(folder).calls["made"] == 0
    (folder / changed).write_text(told.replace("9 weeks", "5 days"))
    again = attributed(folder)
    assert again.worth["say"] == 1
    assert again.calls["made"] > 0


def test_an_installed_package_that_holds_the_graph_is_the_apps_code(folder: Path) -> None:
    """A counter of its loop is found, and its modules are watched."""
    package = folder / "site-packages" / "toldapp"
    package.mkdir(parents=True)
    (package / "facts.py").write_text("FACT = '9 weeks'\n")
    (package / "__init__.py").write_text(
        NODES.format(imports="from toldapp.facts import FACT", fact="FACT")
    )
    (folder / "app.py").write_text("from toldapp import graph\n")
    first = attributed(folder)
    assert (
        "an absent say writes tries as it did, which steers the run: a conditional edge reads it"
        in (first.notes)
    )
    (package / "facts.py").write_text("FACT = '5 days'\n")
    assert attributed(folder).worth["say"] == 1


def test_a_stand_ins_imports_are_watched_too(folder: Path) -> None:
    (folder / "told.py").write_text("FACT = '9 weeks'\n")
    (folder / "app.py").write_text(NODES.format(imports="", fact="'no'"))
    (folder / "other.py").write_text(
        "from told import FACT\ndef say(state): return {'said': FACT, 'tries': 9}\n"
    )

    def nobody() -> float:
        forget(folder)
        graph = load(f"{folder / 'app.py'}:graph", "the app")
        absent = load(f"{folder / 'other.py'}:say", "--absent")
        score = lambda state: float("5" in state["said"])  # noqa: E731
        given = {"absent": absent, "cache": folder / "calls"}
        return attribute(graph, ["say"], score, {}, **given).worth[""]

    assert nobody() == 0
    (folder / "told.py").write_text("FACT = '5 days'\n")
    assert nobody() == 1

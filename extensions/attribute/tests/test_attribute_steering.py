"""An absent agent does not break the app: what steers stays, what stood before comes back."""

import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps
from pydantic import BaseModel, Field

from shapley_coop.extensions.attribute import attribute


class Draft(TypedDict, total=False):
    topic: str
    draft: str
    tries: int
    finding: str


def chain(state: Any, **nodes: Any) -> StateGraph[Any]:
    """Nodes one after the other."""
    page, before = StateGraph(state), START
    for name, act in nodes.items():
        page.add_node(name, act)
        page.add_edge(before, name)
        before = name
    return page


def test_an_absent_editor_leaves_what_the_writer_wrote() -> None:
    page = chain(
        Draft,
        writer=lambda s: {"draft": f"{s['topic']}: seven of nine, colour grey"},
        editor=lambda s: {"draft": s.get("draft", "").replace("colour", "color")},
    )

    def score(state: Draft) -> float:
        text = state.get("draft", "")
        return 0.9 * ("seven of nine" in text) + 0.1 * ("color grey" in text)

    found = attribute(page.compile(), ["writer", "editor"], score, {"topic": "rain"})
    assert found.values == pytest.approx({"writer": 0.95, "editor": 0.05})


def writer(state: Draft) -> Draft:
    """Append a version; count it."""
    n = state.get("tries", 0) + 1
    return {"tries": n, "draft": state.get("draft", "") + f"v{n} " + state.get("finding", "")}


def quality(state: Draft) -> float:
    text = state.get("draft", "")
    return float("v3" in text) * 2 + float("sources" in text)


def looped(edge: Any) -> Any:
    """A writer and a critic in a loop, and a printer after it."""
    nodes = {"critic": lambda s: {"finding": "sources "}, "printer": lambda s: {}}
    page = StateGraph(Draft)
    for name, act in {"writer": writer, **nodes}.items():
        page.add_node(name, act)
    page.add_edge(START, "writer")
    page.add_edge("writer", "critic")
    page.add_conditional_edges("critic", edge, {"again": "writer", "done": "printer"})
    page.add_edge("printer", END)
    return page.compile()


def read_plainly(state: Draft) -> str:
    return "again" if state.get("tries", 0) < 3 else "done"


def read_by_another_name(state: Draft) -> str:
    return "again" if state.get("".join(("tr", "ies")), 0) < 3 else "done"


@pytest.mark.parametrize(
    ("edge", "said"),
    [
        (read_plainly, "an absent writer writes tries as it did"),
        (read_by_another_name, "tries kept in every play: emptied, the play without"),
    ],
)
def test_a_counter_of_a_loop_is_kept_by_default(edge: Any, said: str) -> None:
    """Where its reader cannot be seen in the code, it is tried once a play does not end."""
    found = attribute(looped(edge), ["writer", "critic", "printer"], quality, {}, max_steps=40)
    assert found.failures == []
    assert found.values == {"writer": 2.5, "critic": 0.5, "printer": 0.0}
    assert any(said in note for note in found.notes)


def test_who_is_absent_is_not_asked_without_end() -> None:
    """The loop ends by the length of a list, which no single field can keep."""
    page = StateGraph(Found)
    page.add_node("write", lambda state: {"found": ["word"]})
    page.add_edge(START, "write")
    page.add_conditional_edges("write", lambda s: END if len(s["found"]) > 2 else "write")
    found = attribute(page.compile(), ["write"], lambda s: 1.0, {"found": []}, max_steps=10_000)
    assert "the play did not end: the absent write was asked 15 times" in found.failures[0].reason
    assert found.values is None


class Found(TypedDict, total=False):
    found: Annotated[list[str], operator.add]
    kept: Annotated[list[str], operator.add]
    remaining: RemainingSteps


def searching() -> Any:
    """It searches until few steps remain."""
    page = chain(
        Found,
        searcher=lambda s: {"found": [f"hit {len(s.get('found', []))}"]},
        sorter=lambda s: {"kept": [(s.get("found") or [""])[-1].upper()]},
    )
    page.add_conditional_edges(
        "sorter", lambda s: END if s["remaining"] <= 4 else "searcher", ["searcher", END]
    )
    return page.compile()


def hits(state: Found) -> float:
    return float(sum(bool(one) for one in state.get("kept", [])))


def test_the_apps_own_limit_of_steps_is_kept() -> None:
    agents, app = ["searcher", "sorter"], searching()
    bound = attribute(app.with_config(recursion_limit=12), agents, hits, {})
    assert bound.worth == {"": 0.0, "searcher": 0.0, "sorter": 0.0, "searcher,sorter": 4.0}
    given = attribute(app, agents, hits, {}, config={"recursion_limit": 12})
    assert given.worth == bound.worth
    raised = attribute(app.with_config(recursion_limit=12), agents, hits, {}, max_steps=16)
    assert raised.worth["searcher,sorter"] > 4
    assert "plays may take 16 steps, and the app's own limit is 12" in raised.notes


class Strict(BaseModel):
    """A state that refuses what is empty."""

    title: str = Field("untitled", min_length=3)
    pages: int = Field(1, ge=1)
    note: str | None = None


def test_stand_ins_are_what_the_apps_state_takes() -> None:
    page = chain(
        Strict,
        write=lambda s: {"title": "All about owls", "pages": 9, "note": "long"},
        close=lambda s: {"note": f"{s.title}, {s.pages}"},
    )
    found = attribute(page.compile(), ["write", "close"], lambda s: len(s["note"] or ""), {})
    assert found.failures == []
    assert found.worth["write,close"] == len("All about owls, 9")
    assert found.worth["close"] == len("untitled, 1")

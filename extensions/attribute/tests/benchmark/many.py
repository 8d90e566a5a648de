"""One ten-agent app: seven specialists side by side, a merger, a writer and a reviewer."""

from collections.abc import Callable
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph

SPECIALISTS = ("law", "tax", "press", "polls", "maps", "history", "money")
AGENTS = [*SPECIALISTS, "merge", "write", "review"]
WORTH = {"law": 3, "tax": 1, "press": 5, "polls": 2, "maps": 0, "history": 4, "money": 2}
"""Points of a specialist's finding in the final report."""


class Work(TypedDict, total=False):
    """The app's state."""

    found: Annotated[list[str], add]
    merged: str
    report: str
    checked: str


def app() -> Any:
    """Seven specialists side by side, then a merger, a writer and a reviewer."""
    page = StateGraph(Work)

    def specialist(name: str) -> Callable[[Work], Work]:
        return lambda state: {"found": [name]}

    def write(state: Work) -> Work:
        return {"report": f"report: {state.get('merged', '')}"}

    def review(state: Work) -> Work:
        return {"checked": "cited" if "press" in state.get("report", "") else "plain"}

    for name in SPECIALISTS:
        page.add_node(name, specialist(name))
        page.add_edge(START, name)
    page.add_node("merge", lambda state: {"merged": " ".join(sorted(state["found"]))})
    page.add_node("write", write)
    page.add_node("review", review)
    page.add_edge(list(SPECIALISTS), "merge")
    page.add_edge("merge", "write")
    page.add_edge("write", "review")
    return page.compile()


def score(state: Work) -> float:
    """Points of the findings that reached the report, four more for law with tax, six if cited."""
    words = state.get("report", "").split()
    points = sum(WORTH[word] for word in words if word in WORTH)
    together = 4 * ({"law", "tax"} <= set(words))
    return float(points + together + 6 * (state.get("checked") == "cited") + 2 * bool(words))

"""Attribution of one ten-agent app: ours, and peers that answer the same question, in one run.

    python -m extensions.attribute.tests.benchmark.many

Prints a table: coalitions played, node calls made, and the error against the exact value. shapiq is
no dependency: it takes part if it is installed.
"""

import asyncio
import sys
from collections.abc import Callable
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypedDict

import numpy as np
from langgraph.graph import START, StateGraph

from extensions.attribute.tests.benchmark.ways import by_shapiq
from shapley_coop.credit.coalitions import Floats
from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.result import AppCredit
from shapley_coop.extras import is_installed

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


def credit(folder: Path, name: str, **settings: Any) -> AppCredit:
    """The app attributed with a cache of its own."""
    given = {"cache": folder / f"{name}.sqlite", "max_calls": 10_000, "at_once": 1}
    return attribute(app(), AGENTS, score, {"found": []}, **{**given, **settings})


def judged() -> Floats:
    """A stub of a model that reads the trace and hands out points: all that wrote get the same.

    It stands for the price of judging, one call, and for what a judge cannot know: it has seen one
    run, and no run without an agent.
    """
    state = asyncio.run(app().ainvoke({"found": []}))
    return np.full(len(AGENTS), score(state) / len(AGENTS))


def rows() -> list[list[str]]:
    """The table's lines."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        exact = credit(folder, "exact", exact_up_to=10)
        within = {part: credit(folder, f"sampled{part}", target=part) for part in (0.1, 0.25)}
        without = credit(folder, "without", value="leave_one_out")
    assert exact.values is not None
    truth = np.array(list(exact.values.values()))
    naive = len(AGENTS) * 2 ** (len(AGENTS) - 1)
    told = [
        ["every coalition, nothing kept", str(len(exact.worth)), str(naive), "0"],
        ["ours, exact", str(len(exact.worth)), str(exact.calls["made"]), "0"],
    ]
    several = [(f"ours, standard errors ≤ {part:.0%}", found) for part, found in within.items()]
    for label, found in (*several, ("leave-one-out", without)):
        assert found.values is not None
        error = _error(np.array(list(found.values.values())), truth)
        how = "" if found.method != "exact" or label == "leave-one-out" else ", all played"
        told.append([label + how, str(len(found.worth)), str(found.calls["made"]), error])
    told.append(["a judge that reads one trace (stub)", "1", "1", _error(judged(), truth)])
    if is_installed("shapiq"):
        budget = len(within[0.25].worth)
        for name in ("PermutationSamplingSV", "KernelSHAP"):
            values = np.array(by_shapiq(AGENTS, exact.worth, name, budget))
            told.append([f"shapiq, {name}", str(budget), "by its user", _error(values, truth)])
    return told


def _error(values: Floats, truth: Floats) -> str:
    """The largest difference, in percent of v(N) − v(∅) over n."""
    return f"{100 * np.abs(values - truth).max() / (abs(truth.sum()) / len(truth)):.1f}"


def main() -> None:
    """Print the table."""
    heads = ["how", "coalitions", "agent calls", "largest error, % of the mean value"]
    for line in [heads, ["---"] * len(heads), *rows()]:
        sys.stdout.write("| " + " | ".join(line) + " |\n")


if __name__ == "__main__":
    main()

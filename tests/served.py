"""What LangGraph's server serves of this clone."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shapley_coop import extension, graphs
from tests.root import ROOT


def configuration() -> dict[str, Any]:
    """`langgraph.json`, without the graphs of extensions that were removed."""
    found: dict[str, Any] = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    there = {
        name: one
        for name, one in found["graphs"].items()
        if (ROOT / one["path"].partition(":")[0]).is_file()
    }
    return {**found, "graphs": there}


def paths() -> dict[str, str]:
    """The file of each graph, by the graph's name: the core's pages, then what extensions bring."""
    own = {name: f"./graphs/{name}.py:graph" for name in graphs.names()}
    brought = {**extension.offered("workflows"), **extension.offered("graphs")}
    return own | {name: _path(place) for name, (_, place) in brought.items()}


def _path(place: str) -> str:
    module, _, name = place.partition(":")
    spec = find_spec(module)
    assert spec
    assert spec.origin
    return f"./{Path(spec.origin).resolve().relative_to(ROOT.resolve())}:{name}"

"""The tools that tasks call, as a catalogue describes them; calls are simulated.

A catalogue is JSON: `{"nodes": [{"id", "desc", "parameters": [{"name", "type", "desc"}]}]}`, the
format of TaskBench. Simulated calls are pure, so that a game can be replayed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import TypedDict

from shapley_coop.files import text_of
from shapley_coop.games.dice import dice
from shapley_coop.games.files import read_once
from shapley_coop.games.params import GameError


@dataclass(frozen=True)
class Tool:
    """One tool of a catalogue."""

    id: str
    parameters: tuple[str, ...]


class Result(TypedDict):
    """The result of one call."""

    ok: bool
    result: str


def simulate(
    tools: Mapping[str, Tool],
    tool: str,
    arguments: Mapping[str, str],
    *,
    seed: int,
    failures: float = 0.0,
) -> Result:
    """Check a call by the catalogue, and return its simulated result, which may be a failure.

    Args:
        tools: the catalogue; if empty, every call is well formed.
        tool: the id of the tool.
        arguments: parameter → value.
        seed: the seed of the dice; the same call in the same run has the same result.
        failures: the probability that a well-formed call fails.
    """
    call_ = f"{tool}({json.dumps(dict(arguments), sort_keys=True)})"
    if tools and tool not in tools:
        return {"ok": False, "result": f"there is no tool {tool}"}
    if tools and (strange := set(arguments) - set(tools[tool].parameters)):
        return {"ok": False, "result": f"{tool} has no parameter {', '.join(sorted(strange))}"}
    if tools and (lacking := [p for p in tools[tool].parameters if p not in arguments]):
        return {"ok": False, "result": f"{tool} needs {', '.join(lacking)}"}
    if dice(seed, 0, call_).random() < failures:
        return {"ok": False, "result": f"{tool} did not answer"}
    receipt = hashlib.sha256(f"{seed}/{call_}".encode()).hexdigest()[:8]
    return {"ok": True, "result": f"{tool} done, receipt {receipt}"}


def read_tools(path: str | Path) -> dict[str, Tool]:
    """Return the tools of a catalogue, by id.

    Raises:
        GameError: the file cannot be read, or is not a catalogue.
    """
    return read_once(path, "tool catalogue", _read)


def _read(path: Path) -> dict[str, Tool]:
    try:
        nodes = json.loads(text_of(path))["nodes"]
        found = [
            Tool(
                str(node["id"]),
                tuple(str(p["name"]) for p in node.get("parameters", [])),
            )
            for node in nodes
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GameError(
            f"{path}: no tool catalogue ({type(error).__name__}): "
            'give {"nodes": [{"id", "desc", "parameters": [{"name"}]}]}'
        ) from None
    return {tool.id: tool for tool in found}

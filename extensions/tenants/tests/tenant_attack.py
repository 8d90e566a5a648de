"""The attack on tenants as a matrix: every route of the server × every form of input."""

import json
import re
from collections.abc import Iterator
from typing import Any

Call = tuple[str, Any]
"""Method and path, and the body."""

RUN = {"assistant_id": "shapley_coop", "graph_id": "shapley_coop", "schedule": "0 0 1 1 *"}

METHODS = ("get", "post", "put", "patch", "delete")

NOT_OURS = {"/runs/cancel", "/threads/prune", "/ok"}
"""Routes whose empty body concerns all of the caller's own; `tenants.MORE` has them."""


def forms(episode: str, thread: str) -> dict[str, Any]:
    """Every form in which LangGraph takes input, each with another's episode or thread."""
    pairs, named = [["episode", episode]], {"episode": episode}
    send = {"node": "propose", "input": named}
    return {
        "empty": {},
        "input": {"input": named},
        "input in pairs": {"input": pairs},
        "context": {"input": {}, "context": named},
        "configurable": {"input": {}, "config": {"configurable": {"thread_id": thread}}},
        "owner": {"input": {}, "config": {"configurable": {"__coop_owner__": "ann"}}},
        "metadata": {"input": {}, "metadata": {**named, "owner": "ann"}},
        "checkpoint": {"input": None, "checkpoint": {"thread_id": thread}},
        "update": {"command": {"update": named}},
        "update in pairs": {"command": {"update": pairs}},
        "update in objects": {"command": {"update": [named]}},
        "goto": {"command": {"update": pairs, "goto": "settle"}},
        "goto propose": {"command": {"update": pairs, "goto": "propose"}},
        "goto with input": {"command": {"goto": send}},
        "goto with pairs": {"command": {"goto": [{**send, "input": pairs}]}},
        "resume": {"command": {"resume": pairs}},
        "values": {"values": named},
        "values in pairs": {"values": pairs, "as_node": "step"},
        "values in objects": {"values": [named]},
        "history": {"supersteps": [{"updates": [{"values": named, "as_node": "open"}]}]},
        "history in pairs": {"supersteps": [{"updates": [{"values": pairs, "as_node": "open"}]}]},
        "others' threads": {"thread_id": thread, "thread_ids": [thread], "ids": [thread]},
        "call": {"id": 1, "method": "run.start", "params": {**RUN, "input": pairs}},
        "tool": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "llm_only", "arguments": named},
        },
    }


def routes(described: dict[str, Any]) -> list[tuple[str, str]]:
    """Method and path of every route in a server's OpenAPI."""
    return [
        (method.upper(), path)
        for path, methods in sorted(described["paths"].items())
        for method in METHODS
        if method in methods
    ]


def calls(
    described: dict[str, Any], hers: dict[str, str], own: dict[str, str], episode: str
) -> Iterator[Call]:
    """Every route with her ids, and with an own thread before them, × every form of input."""
    for method, path in routes(described):
        for ids in (hers, {**hers, "thread_id": own["thread_id"]}):
            filled = re.sub(r"\{(\w+)\}", lambda name, ids=ids: ids.get(name[1], "x"), path)
            if method == "DELETE" and filled == f"/threads/{own['thread_id']}":
                continue  # it is needed for the next calls
            if own["thread_id"] in filled and filled.endswith(("/stream", "/stream/events")):
                continue  # they stay open
            if method == "GET":
                yield f"GET {filled}", None
                continue
            for what, form in forms(episode, hers["thread_id"]).items():
                if what == "empty" and (path in NOT_OURS or filled.count(own["thread_id"])):
                    continue
                body = {**RUN, **form}
                yield f"{method} {filled}", [body, body] if path.endswith("/batch") else body
            if "{thread_id}" not in path:
                break


MOVES = ("/runs/wait", "/state", "/history", "/commands", "/runs/{run}")


def moving(found: Iterator[Call], hers: dict[str, str], own: str) -> Iterator[Call]:
    """Of some calls those on an own thread that could move it to another's episode or run."""
    ends = tuple(end.replace("{run}", hers["run_id"]) for end in MOVES)
    return (one for one in found if f" /threads/{own}" in one[0] and one[0].endswith(ends))


def each_once(found: Iterator[Call]) -> list[Call]:
    """The calls without repetitions."""
    return [json.loads(one) for one in dict.fromkeys(map(json.dumps, found))]

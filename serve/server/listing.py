"""The list of the caller's threads, with the same lines as `coop runs` shows for local runs."""

import asyncio
import re
from ast import literal_eval
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

import httpx

from shapley_coop.graphs.catalogue import names
from shapley_coop.serve.server.in_process import inside, waiting_in
from shapley_coop.serve.server.scoring import TRACE
from shapley_coop.state.listing import age, line
from shapley_coop.state.result import in_units

LISTED = 200
"""The most threads in a list, the newest first."""

_SHOWN = {"settings": "values.settings", "settlement": "values.settlement"}
"""The parts of a thread's values that a line needs, so that the search sends no others."""


async def lines(own: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the lines of the newest threads with this metadata.

    Args:
        own: the metadata that the caller's threads have.
    """
    threads = await inside().threads.search(
        metadata=dict(own),
        limit=LISTED,
        sort_by="created_at",
        select=["thread_id", "created_at", "metadata", "status", "interrupts"],
        extract=_SHOWN,
    )
    # A thread of another graph, as a conversation, is no run: what it plays is in the register.
    shown = ("", *names())  # nothing was played on a thread without a graph
    threads = [one for one in threads if (one["metadata"] or {}).get("graph_id", "") in shown]
    reasons = await asyncio.gather(*map(_reason, threads))
    return [_line(thread, why) for thread, why in zip(threads, reasons, strict=True)]


def state_of(thread: Any) -> str:
    """Return a thread's status in the register's words: started, waiting, ended or failed."""
    if thread["status"] == "interrupted" and waiting_in(thread):
        return "waiting"
    return {"idle": "ended", "error": "failed"}.get(thread["status"], "started")


def why_of(thread: Any, tasks: Any = ()) -> str:
    """Return the agents for which a thread waits, or the reason why it failed, otherwise "".

    Args:
        thread: the thread.
        tasks: the tasks of its latest state.
    """
    if waiting := seats_in(thread):
        return f"waits for {', '.join(waiting)}"
    errors = [_error_text(str(task["error"])) for task in tasks if task.get("error")]
    return "; ".join(dict.fromkeys(errors)) if state_of(thread) == "failed" else ""


def seats_in(thread: Any) -> dict[str, str]:
    """Return agent → the address of its seat, for the agents for which a thread waits.

    Addresses are relative to the page.
    """
    pointers = [
        asked["value"]["pointer"]
        for asked in waiting_in(thread)
        if isinstance(asked["value"], Mapping) and "pointer" in asked["value"]
    ]
    return {
        at["agent"]: f"../seat/{quote(at['episode'], safe='')}/{quote(at['agent'], safe='')}"
        for at in pointers
    }


def links_of(thread: Any) -> dict[str, Any]:
    """Return the links of a thread: its trace, its state, and the seats for which it waits."""
    found = {"thread": f"../threads/{quote(thread['thread_id'], safe='')}/state"}
    trace = str((thread["metadata"] or {}).get(TRACE) or "")
    if trace.startswith(("https://", "http://")):  # a thread's owner may write anything there
        found["trace"] = trace
    return {**found, "seats": seats_in(thread)}


async def _reason(thread: Any) -> str:
    """Return `why_of` a thread; read a failed thread's errors, which a search does not return."""
    if state_of(thread) != "failed":
        return why_of(thread)
    try:
        state = await inside().threads.get_state(thread["thread_id"])
    except httpx.HTTPStatusError:  # removed since
        return ""
    return why_of(thread, cast(Any, state["tasks"]))


_RAISED = re.compile(r"\w+\(((['\"]).*\2),?\)", re.DOTALL)


def _error_text(error: str) -> str:
    """Return the message of an error that the server writes as its `repr`: `SeatError("…")`."""
    if found := _RAISED.fullmatch(error):
        try:
            return str(literal_eval(found[1]))
        except (ValueError, SyntaxError):
            pass
    return error


def _line(thread: Any, why: str) -> dict[str, Any]:
    about, found = thread["metadata"] or {}, thread.get("extracted") or {}
    state, created = state_of(thread), str(thread["created_at"])
    settled = found.get("settlement")
    shown = line(
        thread["thread_id"],
        str(about.get("graph_id", "")),
        created,
        state,
        found.get("settings") or {},
        str(about.get("status", "")) if settled else "",
        in_units(settled)["payoffs"] if settled else None,
        why,
    )
    return {**shown, "age": age(created), "waiting": seats_in(thread)}

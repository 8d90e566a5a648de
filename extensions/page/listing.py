"""The list of the caller's threads, in the format that `coop runs` has for local runs."""

import asyncio
import re
from ast import literal_eval
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

import httpx

from shapley_coop.extensions.server.serving.in_process import inside, waiting_in
from shapley_coop.extensions.server.serving.scoring import TRACE
from shapley_coop.graphs.catalogue import names
from shapley_coop.state.listing import age, line
from shapley_coop.state.result import in_units

LISTED = 200
"""The most threads in a list, the newest first."""

_SHOWN = {"settings": "values.settings", "settlement": "values.settlement"}
"""The parts of a thread's values that a list line needs; the search returns only these parts."""


async def lines(own: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one list line for each of the newest threads with this metadata.

    Args:
        own: the metadata that identifies the caller's threads.
    """
    threads = await inside().threads.search(
        metadata=dict(own),
        limit=LISTED,
        sort_by="created_at",
        select=["thread_id", "created_at", "metadata", "status", "interrupts"],
        extract=_SHOWN,
    )
    # A thread of another graph, such as a chat, is not a run; the runs of chats are in the
    # register.
    shown = ("", *names())  # "": a new thread, which has no graph yet
    threads = [one for one in threads if (one["metadata"] or {}).get("graph_id", "") in shown]
    reasons = await asyncio.gather(*map(_reason, threads))
    return [_line(thread, why) for thread, why in zip(threads, reasons, strict=True)]


def state_of(thread: Any) -> str:
    """Return the state of a thread's run as in the register: started, waiting, ended or failed."""
    if thread["status"] == "interrupted" and waiting_in(thread):
        return "waiting"
    return {"idle": "ended", "error": "failed"}.get(thread["status"], "started")


def why_of(thread: Any, tasks: Any = ()) -> str:
    """Return the agents that a thread waits for, or its errors, as words; otherwise "".

    Args:
        tasks: the tasks of the thread's latest state, which have its errors.
    """
    if waiting := seats_in(thread):
        return f"waits for {', '.join(waiting)}"
    errors = [_error_text(str(task["error"])) for task in tasks if task.get("error")]
    return "; ".join(dict.fromkeys(errors)) if state_of(thread) == "failed" else ""


def seats_in(thread: Any) -> dict[str, str]:
    """Return agent → seat address, for each agent whose reply a thread waits for.

    Addresses are relative to the address of the run page.
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
    """Return the links of a thread: its trace, its state, and the seats that must reply."""
    found = {"thread": f"../threads/{quote(thread['thread_id'], safe='')}/state"}
    trace = str((thread["metadata"] or {}).get(TRACE) or "")
    if trace.startswith(("https://", "http://")):  # because owners may write any metadata
        found["trace"] = trace
    return {**found, "seats": seats_in(thread)}


async def _reason(thread: Any) -> str:
    """Return `why_of(thread)`; for a failed thread, first read the errors from its state."""
    if state_of(thread) != "failed":
        return why_of(thread)
    try:
        state = await inside().threads.get_state(thread["thread_id"])
    except httpx.HTTPStatusError:  # the thread was deleted after the search
        return ""
    return why_of(thread, cast(Any, state["tasks"]))


_RAISED = re.compile(r"\w+\(((['\"]).*\2),?\)", re.DOTALL)


def _error_text(error: str) -> str:
    """Return an error's message from its `repr`, the form that LangGraph's server stores."""
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

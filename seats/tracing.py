"""Tracing to LangSmith, with secrets redacted and a bounded wait for LangSmith.

Nothing is traced unless `LANGSMITH_TRACING=true`. Then, before anything leaves the process:

- The entries of agents' secrets files, the values of keys in the environment, and all texts that
  look like credentials are redacted everywhere in the trace.
- With `COOP_TRACE_HIDE=true`, inputs, outputs and the texts of errors are left out. Only the
  metadata for finding and counting traces stays. LangSmith's own finer switches
  (`LANGSMITH_HIDE_INPUTS`, `_OUTPUTS`, `_METADATA`) also work.
"""

import atexit
import json
import logging
import math
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from shapley_coop.files import read_mapping

HIDE = "COOP_TRACE_HIDE"
SWITCHES = [
    f"{name}_TRACING{version}" for name in ("LANGSMITH", "LANGCHAIN") for version in ("", "_V2")
]

SCHEME = frozenset(
    {
        *("run", "sweep", "episode", "thread_id", "graph", "game", "condition", "protocol", "seed"),
        *("agents", "agent", "role", "act", "round", "phase", "attempt", "model", "simulated"),
        *("git_sha", "prompt_hash", "ls_provider", "ls_model_name", "usage_metadata"),
    }
)
"""The metadata that is sent even when everything else is hidden."""

SECONDS = "COOP_TRACE_SECONDS"
PATIENCE = 2.0
"""Seconds that a process waits for LangSmith in total, unless COOP_TRACE_SECONDS is set."""

DOUBT = 0.5
"""Seconds that a process waits at its exit if LangSmith has accepted no request yet."""

REDACTED = "[redacted]"
SHORTEST = 8
"""Length of the shortest secret that is redacted; shorter texts also occur by chance."""

logger = logging.getLogger(__name__)

_KEY = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL", re.IGNORECASE)
_told: set[str] = set()
_traces: dict[str, "Trace"] = {}

_MOST_TRACES = 10_000
"""The number of latest episodes whose traces are remembered."""


class Trace(NamedTuple):
    """One trace in LangSmith, identified by its root run.

    Attributes:
        root: the id of the root run, which is also the trace's id.
        project: the LangSmith project that receives the trace.
        graph: the traced workflow.
    """

    root: UUID
    project: str
    graph: str


def keep_out(texts: Iterable[str]) -> None:
    """From now on, redact these texts and each of their lines from every trace."""
    for text in texts:
        for part in (text.strip(), *map(str.strip, text.splitlines())):
            if len(part) >= SHORTEST:
                # A letter holds the text in its words and, escaped, in its JSON.
                _told.update(
                    (part, json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1])
                )
    redact.cache_clear()


def tracing() -> bool:
    """Return whether this process sends traces."""
    return any(os.environ.get(switch, "").lower() == "true" for switch in SWITCHES)


def trace_quietly(secrets: Path) -> None:
    """Set up LangSmith's client for this process, if it traces; a second call does nothing.

    Args:
        secrets: the folder of the agents' secrets files.
    """
    if not tracing():
        return
    keep_out(value for name, value in os.environ.items() if _KEY.search(name))
    for path in secrets.glob("*.yaml"):
        with suppress(ValueError):  # a run with this unreadable file is refused with the reason
            keep_out(map(str, read_mapping(path, "secrets", "", private=True).values()))
    # A thread that waits for a dead endpoint must not keep the process alive. The pool that sends
    # compressed traces would do so, because Python joins its threads at exit.
    os.environ.setdefault("LANGSMITH_USE_DAEMON", "true")
    os.environ.setdefault("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
    seconds_given()
    _install(hidden=os.environ.get(HIDE, "").lower() in ("true", "1", "all"))


@cache  # a process needs one client
def _install(hidden: bool) -> None:
    """Replace LangSmith's default client by a client that redacts, once per process."""
    # Import this here, so that a sweep with nothing left to play loads none of LangChain.
    import langsmith
    import requests
    from urllib3 import Retry

    taken = 0

    class Counting(requests.Session):
        """A session that counts complete successful responses."""

        def send(self, request: Any, **how: Any) -> Any:
            nonlocal taken
            answer = super().send(request, **how)
            taken += answer.ok
            return answer

    session = Counting()
    # LangSmith logs a long report for every batch that it could not send.
    logging.getLogger("langsmith").setLevel(logging.ERROR)
    client = langsmith.Client(
        session=session,
        timeout_ms=(2_000, 10_000),
        retry_config=Retry(total=2, backoff_factor=0.2),
        # LangSmith passes errors and metadata to the anonymizer, too.
        anonymizer=_scheme_alone if hidden else redacted_in,
        hide_inputs=hidden or None,
        hide_outputs=hidden or None,
        tracing_error_callback=lambda _: _warn_once(),
    )
    langsmith.configure(client=client)
    atexit.register(lambda: client.flush(timeout=patience() if taken else DOUBT))


@cache  # warns once per process
def _warn_once() -> None:
    logger.warning("LangSmith does not take the traces; the run goes on untraced.")


def label_trace(episode: str, **metadata: Any) -> None:
    """Add metadata to the root of the trace under way, and remember the trace by its episode.

    A server starts the trace before the game is known, so a node of the workflow labels it.
    Without tracing, nothing happens.

    Args:
        episode: the id of the traced play.
        metadata: values for names in `SCHEME`.
    """
    if not tracing() or (root := _root()) is None:
        return
    known = root.metadata
    # The command line sets `graph`; LangGraph's server sets `graph_id`.
    graph = str(known.get("graph") or known.get("graph_id") or "")
    root.add_metadata({"episode": episode, "graph": graph, **metadata})
    _traces.pop(episode, None)
    _traces[episode] = Trace(root.id, root.session_name, graph)
    if len(_traces) > _MOST_TRACES:
        del _traces[next(iter(_traces))]


def patience() -> float:
    """Return the number of seconds that this process may still wait for LangSmith."""
    return max(0.0, _end() - time.monotonic())


@cache  # the first call fixes the end of all waiting
def _end() -> float:
    return time.monotonic() + seconds_given()


def seconds_given() -> float:
    """Return the number of seconds that this process may wait for LangSmith in total.

    Raises:
        ValueError: COOP_TRACE_SECONDS is not a number, infinite or negative.
    """
    given = os.environ.get(SECONDS) or PATIENCE
    with suppress(ValueError):
        if 0 <= (seconds := float(given)) < math.inf:
            return seconds
    raise ValueError(f"{SECONDS} is {given!r}, and should be a number of seconds, such as 2")


def trace_of(episode: str) -> Trace | None:
    """Return the latest trace of an episode in this process, or None; a resume starts a new one."""
    return _traces.get(episode)


def _root() -> Any:
    """Return the topmost known run above the running node; None if the node is not traced."""
    from langchain_core.runnables.config import var_child_runnable_config
    from langchain_core.tracers.langchain import LangChainTracer
    from langsmith.run_helpers import get_current_run_tree

    here = get_current_run_tree()
    config = var_child_runnable_config.get() or {}
    handlers = getattr(config.get("callbacks"), "handlers", [])
    tracers = [one for one in handlers if isinstance(one, LangChainTracer)]
    if here is None or not tracers:
        return None
    known = tracers[0].run_map
    while here.parent_run_id is not None and (above := known.get(str(here.parent_run_id))):
        here = above
    return here


def _scheme_alone(data: dict[str, Any]) -> dict[str, Any]:
    """Return only the metadata in `SCHEME`, redacted; of an error, return only its class name."""
    if data.keys() == {"error"}:
        return {"error": re.split(r"\W", str(data["error"]), maxsplit=1)[0]}
    found: dict[str, Any] = redacted_in({k: told for k, told in data.items() if k in SCHEME})
    return found


def redacted_in(data: Any) -> Any:
    """Return JSON data with every secret redacted, in both keys and values."""
    match data:
        case str():
            return redact(data)
        case dict():
            return {redacted_in(key): redacted_in(value) for key, value in data.items()}
        case list():
            return [redacted_in(one) for one in data]
        case _:
            return data


@lru_cache(maxsize=10_000)  # each node's trace repeats the texts of earlier nodes
def redact(text: str) -> str:
    """Return a text with every secret redacted."""
    from langsmith.anonymizer import DEFAULT_SECRET_RULES

    if pattern := _pattern():
        text = pattern.sub(REDACTED, text)
    for rule in DEFAULT_SECRET_RULES:
        text = rule["pattern"].sub(rule["replace"] or REDACTED, text)
    return text


def _pattern() -> re.Pattern[str] | None:
    longest_first = sorted(_told, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

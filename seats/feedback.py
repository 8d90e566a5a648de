"""Scores of traces and links to traces; one background thread talks to LangSmith.

No caller waits longer than its own limit. If LangSmith refuses, stays silent, answers slowly or
fails, the traced run continues, ends and exits as if it were not traced.
"""

import atexit
import logging
import queue
import threading
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from langsmith.run_trees import get_cached_client
from langsmith.utils import LangSmithAuthError, LangSmithNotFoundError

from shapley_coop.seats.tracing import Trace, patience

Job = tuple[Trace, "Scores", "Callable[[str], object]", threading.Event]

Scores = Callable[[], Mapping[str, float | None]]
"""A function that returns measure → the run's score, or None if the run lacks the measure."""

MOST_WAITING = 1_000
"""The most traces that wait for their scores to be sent; scores of further traces are dropped."""

logger = logging.getLogger(__name__)


def send_scores(
    trace: Trace, scores: Scores, then: Callable[[str], object] = bool
) -> threading.Event:
    """Compute and send the scores of a trace in the background.

    Args:
        trace: the trace to score.
        scores: computes the scores, in the background thread.
        then: called in that thread with the trace's link, once LangSmith has accepted the scores.

    Returns:
        An event that is set once the scores are sent, refused or dropped.
    """
    done = threading.Event()
    try:
        _job_queue().put_nowait((trace, scores, then, done))
    except queue.Full:
        _warn_once("LangSmith is slow: the scores of some traces are left out.")
        done.set()
    return done


def link_to(trace: Trace, sent: threading.Event | None = None, within: float = 0.0) -> str:
    """Return the URL of a trace in LangSmith.

    Args:
        sent: the event from `send_scores` to wait for, if any.
        within: the most seconds to wait for that event.

    Returns:
        The URL; "" if the project's URL is not known.
    """
    if sent is not None:
        sent.wait(within)
    project = _projects.get(trace.project)
    return f"{project.url}/r/{trace.root}?poll=true" if project and project.url else ""


_projects: dict[str, Any] = {}
"""Project name → LangSmith's project; None if the key may not read the project."""


@cache  # a process has one queue
def _job_queue() -> "queue.Queue[Job]":
    """Start the daemon thread that sends scores, if none runs yet, and return its queue."""
    found: queue.Queue[Job] = queue.Queue(MOST_WAITING)
    threading.Thread(target=_send_all, args=(found,), name="coop-feedback", daemon=True).start()
    # Exit handlers run in reverse order: this one runs before LangSmith's, registered earlier.
    atexit.register(_finish)
    return found


def _finish() -> None:
    """Wait at the process's end for unsent scores, at most as long as `patience` allows."""
    waiting = _job_queue()
    with waiting.all_tasks_done:
        waiting.all_tasks_done.wait_for(lambda: not waiting.unfinished_tasks, patience())


def _send_all(waiting: "queue.Queue[Job]") -> None:
    while True:
        trace, scores, then, done = waiting.get()
        try:
            _send(trace, scores)
            then(link_to(trace))
        except Exception as error:
            # The run has ended and is paid, so a lost score changes nothing.
            _warn_once(f"LangSmith does not take the scores of traces ({type(error).__name__}).")
        finally:
            done.set()
            waiting.task_done()


def _send(trace: Trace, scores: Scores) -> None:
    """Send a trace's scores to LangSmith.

    Raises:
        LangSmithError: LangSmith does not accept them.
    """
    client = get_cached_client()
    project = _project(client, trace.project)
    for key, score in scores().items():
        if score is not None:
            client.create_feedback(
                trace.root,
                key=key,
                score=score,
                trace_id=trace.root,
                # LangSmith finds a run by its project; feedback without a project is deprecated.
                session_id=project.id if project else None,
                stop_after_attempt=1,
            )


def _project(client: Any, name: str) -> Any:
    """Return the project of this name, and create it if the first trace has not done so yet.

    Raises:
        LangSmithError: LangSmith cannot be reached, or has failed.
    """
    if name not in _projects:
        try:
            _projects[name] = client.read_project(project_name=name)
        except LangSmithNotFoundError:
            _projects[name] = client.create_project(name, upsert=True)
        except LangSmithAuthError:
            _projects[name] = None  # the key may write traces but not read projects
    return _projects[name]


@cache  # logs each text once per process
def _warn_once(text: str) -> None:
    logger.warning("%s The runs go on.", text)

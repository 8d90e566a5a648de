"""Scores for traces, and links to them: sent and found in the background, by one thread.

No caller waits longer than it asks for: LangSmith may refuse, stay silent, drip or
fail, and the run that was traced goes on, ends and exits as if it were not there.
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
"""Computes what a run scored, by measure; None where it has no such measure."""

MOST_WAITING = 1_000
"""Of the traces whose scores have not been sent; what comes beyond them is left out."""

logger = logging.getLogger(__name__)


def send_scores(
    trace: Trace, scores: Scores, then: Callable[[str], object] = bool
) -> threading.Event:
    """Have a trace scored in the background.

    Args:
        trace: what is scored.
        scores: computes them, in the background as well.
        then: called there with the trace's link, once LangSmith has taken them.

    Returns:
        Set once the scores are sent, or are known not to be taken.
    """
    done = threading.Event()
    try:
        _job_queue().put_nowait((trace, scores, then, done))
    except queue.Full:
        _warn_once("LangSmith is slow: the scores of some traces are left out.")
        done.set()
    return done


def link_to(trace: Trace, sent: threading.Event | None = None, within: float = 0.0) -> str:
    """Return where a trace is looked at in LangSmith.

    Args:
        trace: which one.
        sent: what `send_scores` returned; it is waited for.
        within: seconds for which it is waited for.

    Returns:
        A URL; empty where LangSmith has not told where the project is.
    """
    if sent is not None:
        sent.wait(within)
    project = _projects.get(trace.project)
    return f"{project.url}/r/{trace.root}?poll=true" if project and project.url else ""


_projects: dict[str, Any] = {}
"""Name → the project, as LangSmith told it; None where this key may not read it."""


@cache  # a process has one
def _job_queue() -> "queue.Queue[Job]":
    """Return the queue and the daemon thread that empties it; the process ends without it."""
    found: queue.Queue[Job] = queue.Queue(MOST_WAITING)
    threading.Thread(target=_send_all, args=(found,), name="coop-feedback", daemon=True).start()
    # Runs before LangSmith's own queue is flushed, as that was registered earlier.
    atexit.register(_finish)
    return found


def _finish() -> None:
    """Wait at the process's end for the scores that are still to be sent."""
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
            # The run has ended and is paid: what cannot be told of it changes nothing.
            _warn_once(f"LangSmith does not take the scores of traces ({type(error).__name__}).")
        finally:
            done.set()
            waiting.task_done()


def _send(trace: Trace, scores: Scores) -> None:
    """Send a trace's scores, if LangSmith answers at all.

    Raises:
        LangSmithError: it does not.
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
                # LangSmith finds a run by its project; without it feedback is deprecated.
                session_id=project.id if project else None,
                stop_after_attempt=1,
            )


def _project(client: Any, name: str) -> Any:
    """The project of a name; it is made with the first trace, which may still be on its way.

    Raises:
        LangSmithError: LangSmith cannot be reached, or has failed.
    """
    if name not in _projects:
        try:
            _projects[name] = client.read_project(project_name=name)
        except LangSmithNotFoundError:
            _projects[name] = client.create_project(name, upsert=True)
        except LangSmithAuthError:
            _projects[name] = None  # the key may write and not read
    return _projects[name]


@cache  # each text is told once
def _warn_once(text: str) -> None:
    logger.warning("%s The runs go on.", text)

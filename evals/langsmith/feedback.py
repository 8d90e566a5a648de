"""Functions that send a run's measures to LangSmith as feedback on the run's trace."""

import threading
from collections.abc import Callable, Sequence

from langchain_core.runnables import RunnableConfig

from shapley_coop.evals.cell import Cell
from shapley_coop.evals.measures.evaluators import scores
from shapley_coop.evals.provenance import provenance
from shapley_coop.evals.rows import row_of
from shapley_coop.seats.feedback import send_scores
from shapley_coop.seats.records import Entry
from shapley_coop.seats.tracing import trace_of
from shapley_coop.state.table import Table


def traced_with(**labels: str) -> RunnableConfig:
    """Return metadata for a run's trace, labels and the git commit, for `graphs.running.follow`.

    Args:
        labels: metadata such as a sweep's id and a cell's condition.
    """
    return {"metadata": {**labels, "git_sha": provenance()["commit"]}}


def score_trace(
    table: Table, entries: Sequence[Entry] = (), then: Callable[[str], object] = bool
) -> threading.Event | None:
    """Send every measure of an ended run to its trace, in the background.

    Args:
        table: the run's last state.
        entries: the run's entries in the journal.
        then: a function that gets the trace's link, in the background, when all measures are sent.

    Returns:
        An event that is set when the sending is done; None if this process did not trace the run.
    """
    trace = trace_of(table.get("episode", ""))
    if trace is None:
        return None
    cell = Cell.alone(trace.graph, table["settings"])
    return send_scores(trace, lambda: scores(row_of(cell, table, entries)), then)

"""A traced run's measures as LangSmith feedback on its trace."""

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig

from shapley_coop.evals.measures.evaluators import scores
from shapley_coop.evals.sweeps.provenance import provenance
from shapley_coop.evals.sweeps.store import Row


class Traced(BaseCallbackHandler):
    """Remembers the root of a run's trace, and adds metadata to it.

    Args:
        labels: more metadata, such as a sweep's id and a cell's condition.
    """

    def __init__(self, **labels: str) -> None:
        self._labels = labels
        self.root: UUID | None = None

    @property
    def config(self) -> RunnableConfig:
        """What `graphs.running.follow` takes."""
        told = {**self._labels, "git_sha": provenance()["commit"]}
        return {"metadata": told, "callbacks": [self]}

    def on_chain_start(
        self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any
    ) -> None:
        """Remember the latest root: a run that waited for people has several."""
        if parent_run_id is None:
            self.root = run_id

    def score(self, row: Row) -> None:
        """Send every measure that the run has; the client sends them in the background."""
        from langsmith.run_trees import get_cached_client

        if self.root is None:
            return  # it had ended before, and nothing was traced
        client = get_cached_client()
        for key, score in scores(row).items():
            if score is not None:
                client.create_feedback(self.root, key=key, score=score, trace_id=self.root)

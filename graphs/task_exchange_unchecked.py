"""Task exchange with guidance alone: proposals are delivered as written.

A trader's mind is ask → deliver, and what was agreed is checked once, at the end; letters ask to be
utility-aware.
"""

from shapley_coop.graphs.minds import WorkflowBuilder
from shapley_coop.graphs.task_exchange import exchange


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    return exchange(validator=False, guidance=True)


graph = build().compile(name="task_exchange_unchecked")

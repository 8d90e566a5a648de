"""Task exchange with guidance alone: proposals are delivered as written.

There is no `validate` after `speak`; what was agreed is checked once, at the end; letters ask to be
utility-aware.
"""

from shapley_coop.graphs.task_exchange import exchange
from shapley_coop.graphs.workflow import WorkflowBuilder


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    return exchange(validator=False, guidance=True)


graph = build().compile(name="task_exchange_unchecked")

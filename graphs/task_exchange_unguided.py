"""Task exchange with the validator alone: letters do not ask to be utility-aware.

The wiring is that of `task_exchange`; what it lacks is a section of the letters.
"""

from shapley_coop.graphs.task_exchange import exchange
from shapley_coop.graphs.workflow import WorkflowBuilder


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    return exchange(validator=True, guidance=False)


graph = build().compile(name="task_exchange_unguided")

"""Task exchange with neither validator nor guidance: the paper's baseline.

A trader's mind is ask → deliver, and what was agreed is checked once, at the end; letters do not
ask to be utility-aware.
"""

from shapley_coop.graphs.minds import WorkflowBuilder
from shapley_coop.graphs.task_exchange import exchange


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    return exchange(validator=False, guidance=False)


graph = build().compile(name="task_exchange_baseline")

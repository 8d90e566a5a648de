"""Task exchange with neither validator nor guidance: the paper's baseline.

There is no `validate` after `speak`; what was agreed is checked once, at the end; letters do not
ask to be utility-aware.
"""

from shapley_coop.graphs.task_exchange import build_exchange

graph = build_exchange(validator=False, guidance=False).compile(name="task_exchange_baseline")

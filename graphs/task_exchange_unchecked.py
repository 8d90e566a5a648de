"""Task exchange with guidance alone: proposals are delivered as written.

There is no `validate` after `speak`; what was agreed is checked once, at the end; letters ask to be
utility-aware.
"""

from shapley_coop.graphs.task_exchange import build_exchange

graph = build_exchange(validator=False, guidance=True).compile(name="task_exchange_unchecked")

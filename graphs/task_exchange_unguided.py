"""Task exchange with the validator alone: letters do not ask to be utility-aware.

The wiring is that of `task_exchange`; what it lacks is a section of the letters.
"""

from shapley_coop.graphs.task_exchange import build_exchange

graph = build_exchange(validator=True, guidance=False).compile(name="task_exchange_unguided")

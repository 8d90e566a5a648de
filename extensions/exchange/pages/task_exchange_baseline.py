"""Task exchange with neither validator nor guidance: the paper's baseline.

`speak` has no `validate` after it: the agreement is checked once, at the end. Letters do not ask
agents to weigh the others' utilities.
"""

from shapley_coop.extensions.exchange.pages.task_exchange import build_exchange

graph = build_exchange(validator=False, guidance=False).compile(name="task_exchange_baseline")

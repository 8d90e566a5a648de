"""Task exchange with the validator but no guidance on the others' utilities in letters.

The wiring equals that of `task_exchange`; only a section of the letters is missing.
"""

from shapley_coop.extensions.exchange.pages.task_exchange import build_exchange

graph = build_exchange(validator=True, guidance=False).compile(name="task_exchange_unguided")

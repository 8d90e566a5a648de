"""Task exchange with guidance but no validator: proposals are delivered as written.

`speak` has no `validate` after it: the agreement is checked once, at the end. Letters ask agents to
weigh the others' utilities.
"""

from shapley_coop.extensions.exchange.pages.task_exchange import build_exchange

graph = build_exchange(validator=False, guidance=True).compile(name="task_exchange_unchecked")

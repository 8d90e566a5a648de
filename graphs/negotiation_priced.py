"""LLM+NEG with payments: agents agree on actions and on prices, without a reasoning step.

The nodes and edges equal those of `negotiation`, but a deal may have `pay` and `share` clauses. A
comparison with `negotiation` shows the effect of payments. A comparison with `short_term` shows the
effect of the reasoning step, the claims and the second bargaining.
"""

from shapley_coop.graphs.negotiation import negotiation
from shapley_coop.state.topics import PLAN, PLAY

graph = negotiation(PLAN, PLAY).compile(name="negotiation_priced")

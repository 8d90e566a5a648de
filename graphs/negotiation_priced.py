"""LLM+NEG with payments: agents agree on actions and on prices, and are not asked to reason.

The nodes and edges are those of `negotiation`, and a deal may have `pay` and `share` clauses. From
`negotiation` to this page is the effect of being allowed to pay; from here to `short_term` that
of reasoning.
"""

from shapley_coop.graphs.negotiation import negotiation
from shapley_coop.state.topics import PLAN, PLAY

graph = negotiation(PLAN, PLAY).compile(name="negotiation_priced")

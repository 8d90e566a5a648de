"""LLM+NEG with payments: agents agree on actions and on prices, and are not asked to reason.

    open → propose → validate ↺ → answer → tally ↺ → summarize → act → step ↺ → settle
    step → convene → propose, where the contract is due to be bargained over again

The nodes and edges are those of `negotiation`, and a deal may have `pay` and `share` clauses. From
`negotiation` to this page is the effect of being allowed to pay; from here to `short_term` that
of reasoning.
"""

from langgraph.graph import END

from shapley_coop.graphs.phases import bargain, convened, play
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state.topics import PLAN


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    page = WorkflowBuilder()
    page.add_edge("open", "propose")
    convened(page, then="propose")
    bargain(page, PLAN, agreed="summarize", no_deal="act")
    page.add_node("summarize", summarize)
    page.lead("summarize", "act")
    play(page, over="settle", renegotiate="convene")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="negotiation_priced")

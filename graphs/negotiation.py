"""LLM+NEG: agents agree on actions before they act. Nobody can pay, and nobody is asked to reason.

    open → propose → validate ↺ → answer → tally ↺ → summarize → act → step ↺ → settle
    step → convene → propose, where the contract is due to be bargained over again

What `llm_only` does not have: convene, propose, validate, answer, tally, summarize. A deal has
`do` and `forbid` clauses alone: letters teach no payments, and an offer of one is sent back.
"""

from langgraph.graph import END

from shapley_coop.graphs.phases import bargain, convened, play
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state.topics import ACTIONS, PLAY_UNPAID


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    page = WorkflowBuilder()
    page.add_edge("open", "propose")
    convened(page, then="propose")
    bargain(page, ACTIONS, agreed="summarize", no_deal="act")
    page.add_node("summarize", summarize)
    page.lead("summarize", "act")
    play(page, over="settle", renegotiate="convene", topic=PLAY_UNPAID)
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="negotiation")

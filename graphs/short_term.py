"""LLM+STS: short-term Shapley reasoning; the final split is bargained over without values.

    open → reason ↺ → propose → validate ↺ → answer → tally ↺ → summarize → act → step ↺
    step → convene → reason, where the contract is due to be bargained over again
         → account → convene_split → claim ↺
         → propose_split → validate_split ↺ → answer_split → tally_split ↺ → settle

What `negotiation_priced` does not have: reason, claim, and the bargaining over the split.
"""

from langgraph.graph import END

from shapley_coop.graphs.phases import bargain, claim, convened, play, reason
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import PLAN, SPLIT


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    page = WorkflowBuilder()
    page.lead("open", "reason")
    convened(page, then="reason")
    reason(page, PLAN, then="propose")
    bargain(page, PLAN, agreed="summarize", no_deal="act")
    page.add_node("summarize", summarize)
    page.lead("summarize", "act")
    play(page, over="account", renegotiate="convene")
    page.add_node("account", account)
    page.add_edge("account", "convene_split")
    convened(page, then="claim", suffix="_split")
    claim(page, SPLIT, then="propose_split")
    bargain(page, SPLIT, agreed="settle", no_deal="settle", suffix="_split", tells=since_play)
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="short_term")

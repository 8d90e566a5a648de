"""LLM+SC, the whole of Shapley-Coop.

    open → convene → reason ↺ → propose → validate ↺ → answer ↺ → tally ↺ → summarize → act → step ↺
         → account → convene_split → claim ↺ → attribute
         → propose_split → validate_split ↺ → answer_split ↺ → tally_split ↺ → settle

What `short_term` does not have: attribute, which computes outcome, marginal contributions and
Shapley values from the record once all have claimed, for every letter of the last bargaining; so a
deal can name the norm. Where values equal what was signed it goes on to settle.
"""

from langgraph.graph import END

from shapley_coop.graphs.phases import (
    PLAN,
    SPLIT,
    attributed,
    bargain,
    claim,
    computed,
    convened,
    play,
    reason,
)
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.summarize import summarize


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    plan, split = computed(PLAN), computed(SPLIT)
    page = WorkflowBuilder()
    page.add_edge("open", "convene")
    convened(page, then="reason")
    reason(page, plan, then="propose")
    bargain(page, plan, agreed="summarize", no_deal="act")
    page.add_node("summarize", summarize)
    page.lead("summarize", "act")
    play(page, over="account", renegotiate="convene")
    page.add_node("account", account)
    page.add_edge("account", "convene_split")
    convened(page, then="claim", suffix="_split")
    claim(page, split, then="attribute")
    attributed(page, bargain="propose_split", settled="settle")
    bargain(page, split, agreed="settle", no_deal="settle", suffix="_split")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="shapley_coop")

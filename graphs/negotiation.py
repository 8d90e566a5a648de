"""LLM+NEG: agents bargain before they act, without Shapley reasoning.

    open → convene → propose → answer → tally ↺ → summarize → act → step ↺ → settle

What `llm_only` does not have: convene, propose, answer, tally, summarize.
"""

from langgraph.graph import END

from graphs.chapters import PLAN, bargain, blank, convened, play
from graphs.minds import Page
from graphs.routing import lead
from nodes.settle import settle
from nodes.summarize import summarize


def build() -> Page:
    """The workflow, not compiled."""
    page = blank()
    page.add_edge("open", "convene")
    convened(page, then="propose")
    bargain(page, PLAN, agreed="summarize", no_deal="act")
    page.add_node("summarize", summarize)
    lead(page, "summarize", "act")
    play(page, over="settle", renegotiate="convene")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="negotiation")

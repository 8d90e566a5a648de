"""LLM-only: no talk, no contract. Everybody acts for itself; what it earns is its own.

open → act → step ↺ → settle
"""

from langgraph.graph import END

from graphs.chapters import blank, play
from graphs.minds import Page
from graphs.routing import lead
from nodes.settle import settle


def build() -> Page:
    """The workflow, not compiled."""
    page = blank()
    lead(page, "open", "act")
    play(page, over="settle")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="llm_only")

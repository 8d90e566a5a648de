"""LLM-only: no talk, no contract. Each agent acts for itself and keeps what it earns.

open → act → step ↺ → settle

Its letters speak of no deal and of no price.
"""

from langgraph.graph import END

from shapley_coop.graphs.phases import play
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.settle import settle
from shapley_coop.state.topics import PLAY_ALONE


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    page = WorkflowBuilder()
    page.lead("open", "act")
    play(page, over="settle", topic=PLAY_ALONE)
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="llm_only")

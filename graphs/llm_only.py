"""LLM-only: no talk and no contract. Each agent acts alone and keeps its rewards.

open → act → step ↺ → settle

The letters mention neither deals nor prices.
"""

from langgraph.graph import END

from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step, whether_over
from shapley_coop.questions import act
from shapley_coop.state.topics import PLAY_ALONE

page = WorkflowBuilder()

page.add_edge("open", "act")
page.asks("act", act.QUESTION.about(PLAY_ALONE), then=("step", step))
page.branch("step", whether_over, {"again": "act", "play_on": "act", "over": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="llm_only")

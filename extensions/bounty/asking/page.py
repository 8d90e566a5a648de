"""The workflow `consent`, which asks all contributors to accept a bounty's split by counted work.

open → step → account → put_count → answer_split → tally_split ↺ → settle

All agents answer offer 1, the split by counted work. Whoever objects can make a counter-offer,
which all others answer. A counter-offer that all accept is paid; otherwise offer 1 is paid.
"""

from langgraph.graph import END

from shapley_coop.extensions.bounty.asking import question
from shapley_coop.extensions.bounty.asking.put_count import put_count
from shapley_coop.extensions.bounty.delivered import Delivered
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step
from shapley_coop.nodes.table.tally import tally
from shapley_coop.state.topics import SPLIT

page = WorkflowBuilder("delivered", plays=Delivered)

page.add_edge("open", "step")
page.add_node("step", step)
page.add_edge("step", "account")
page.add_node("account", account)
page.add_edge("account", "put_count")
page.add_node("put_count", put_count)
page.add_edge("put_count", "answer_split")
page.asks("answer_split", question.QUESTION, then=("tally_split", tally(SPLIT)))
ends = {"agreed": "settle", "no_deal": "settle", "talk_on": "settle"}
back = {"again": "answer_split", "countered": "answer_split"}
page.branch("tally_split", verdict_of, {**back, **ends})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="consent")

"""The long-term part of Shapley-Coop alone, over work that is done.

    open → step → account → convene_split → claim ↺ → attribute
         → propose_split → validate_split ↺ → answer_split → tally_split ↺ → settle

`step` plays the one turn in which the work is paid by its value; what is left is to agree on
another split, or to let it stand.
"""

from langgraph.graph import END

from shapley_coop.games.delivered import Delivered
from shapley_coop.graphs.phases import attributed, bargain, claim, convened
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import SPLIT, computed


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    split = computed(SPLIT)
    page = WorkflowBuilder("delivered", plays=Delivered)
    page.add_node("step", step)
    page.add_edge("open", "step")
    page.add_node("account", account)
    page.add_edge("step", "account")
    page.add_edge("account", "convene_split")
    convened(page, then="claim", suffix="_split")
    claim(page, split, then="attribute")
    attributed(page, bargain="propose_split", settled="settle")
    bargain(page, split, agreed="settle", no_deal="settle", suffix="_split", tells=since_play)
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="settlement")

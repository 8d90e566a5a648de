"""LLM+SC, the whole of Shapley-Coop.

    open → reason ↺ → propose → validate ↺ → answer → tally ↺
         → write ↺ → summarize → enforce → act → step → enforce_turn ↺
         → account → convene_split → claim ↺ → attribute
         → propose_split → validate_split ↺ → answer_split → tally_split ↺ → settle
    enforce_turn → convene → reason, where the contract is due to be bargained over again

What `short_term` does not have: write, where an impartial summariser puts what all accepted into
one document; enforce and enforce_turn, which post deposits and forfeits as play goes on; and
attribute, which computes outcome, marginal contributions and Shapley values from the record once
all have claimed without seeing them, for every letter of the last bargaining; so a deal can name
the norm. Where values equal what was signed it goes on to settle.
"""

from langgraph.graph import END

from shapley_coop.graphs.phases import (
    attributed,
    bargain,
    claim,
    convened,
    enforced_play,
    reason,
    summarized,
)
from shapley_coop.graphs.workflow import WorkflowBuilder
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.settle import settle
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import PLAN, SPLIT, computed


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    plan, split = computed(PLAN), computed(SPLIT)
    page = WorkflowBuilder()
    page.lead("open", "reason")
    convened(page, then="reason")
    reason(page, plan, then="propose")
    bargain(page, plan, agreed="write", no_deal="act")
    summarized(page, plan, bound="enforce")
    enforced_play(page, {"due": "convene", "over": "account"})
    page.add_node("account", account)
    page.add_edge("account", "convene_split")
    convened(page, then="claim", suffix="_split")
    claim(page, split, then="attribute")
    attributed(page, bargain="propose_split", settled="settle")
    bargain(page, split, agreed="settle", no_deal="settle", suffix="_split", tells=since_play)
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = build().compile(name="shapley_coop")

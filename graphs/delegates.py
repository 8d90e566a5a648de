"""Delegates: groups send delegates who bargain for all, and every member signs for itself.

    open → group → elect → delegate ↺ → reason ↺ → propose → validate ↺ → answer
         → tally ↺ → ratify → count ↺ → summarize → enforce → act → step ↺ → enforce_turn ↺
         → account → attribute → settle
    enforce_turn → convene → group, where the contract is due to be bargained over again

Liquid delegation for bargainings of many. Agents are grouped, by interest or at random; each group
elects a delegate, or draws one; the delegates bargain as in `shapley_coop`. Then every member is
sent one letter that says what the deal means for it, and signs, vetoes or leaves. No member is
bound without its own signature: after a veto its group can recall its delegate, and the delegates
bargain again; what concerns a member that leaves falls, and the others sign what is left. Nobody
claims and nobody bargains at the end, which would take everybody's word once more: values are
computed from the record, and paid where the deal names the norm.
"""

from dataclasses import replace

from langgraph.graph import END

from shapley_coop.graphs.phases import ACT, attributed, bargain, convened, enforced_play, reason
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.agent.publish import hold_answers
from shapley_coop.nodes.delegates.checks import a_ratification, a_vote
from shapley_coop.nodes.delegates.count import count
from shapley_coop.nodes.delegates.delegate import delegate
from shapley_coop.nodes.delegates.group import group
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state.groups import electors
from shapley_coop.state.telling import deeds, of_delegates
from shapley_coop.state.topics import PLAN, computed
from shapley_coop.state.turn import Asking, Topic
from shapley_coop.state.who import unsigned


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    plan = computed(PLAN)
    page = WorkflowBuilder()
    page.add_edge("open", "group")
    convened(page, then="group")
    delegated(page, plan, then="reason")
    reason(page, plan, then="propose", tells=of_delegates)
    bargain(page, plan, agreed="ratify", no_deal="act", tells=of_delegates)
    ratified(page, plan, signed="summarize", vetoed="group", no_deal="act")
    page.add_node("summarize", summarize)
    page.lead("summarize", "enforce")
    act = replace(ACT, tells=deeds)
    enforced_play(page, {"due": "convene", "over": "account"}, act=act)
    page.add_node("account", account)
    page.add_edge("account", "attribute")
    attributed(page, bargain="settle", settled="settle")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


def delegated(page: WorkflowBuilder, topic: Topic, then: str) -> None:
    """`group` → `elect` → `delegate` ↺: every group has a delegate."""
    page.add_node("group", group)
    page.branch("group", verdict_of, {"elect": "elect", "seated": "delegate"})
    asking = Asking("elect", topic, electors, a_vote, hold_answers, tells=deeds)
    page.asks("elect", asking, then="delegate")
    page.add_node("delegate", delegate)
    page.branch("delegate", verdict_of, {"refused": "elect", "seated": then})


def ratified(page: WorkflowBuilder, topic: Topic, signed: str, vetoed: str, no_deal: str) -> None:
    """`ratify` → `count` ↺: the deal binds who signed it, and needs all who have not left it."""
    asking = Asking("ratify", topic, unsigned, a_ratification, hold_answers, tells=deeds)
    page.asks("ratify", asking, then="count")
    page.add_node("count", count)
    onward = {"signed": signed, "vetoed": vetoed, "no_deal": no_deal}
    page.branch("count", verdict_of, {**onward, "reduced": "ratify", "refused": "ratify"})


graph = build().compile(name="delegates")

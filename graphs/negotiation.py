"""LLM+NEG: agents agree on actions before they act, without payments or a reasoning step.

    open → propose → validate ↺ → answer → tally ↺ → summarize → act → step ↺ → settle
    step → convene → propose, if the contract must be bargained over again

This workflow adds convene, propose, validate, answer, tally and summarize to `llm_only`. A deal has
only `do` and `forbid` clauses. Letters explain no payments, and offers with payments are refused.
"""

from langgraph.graph import END

from shapley_coop.graphs.workflow import WorkflowBuilder, route_offer, verdict_of
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import how_it_goes_on, step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.nodes.table.tally import tally
from shapley_coop.questions import act, answer, propose
from shapley_coop.state.topics import ACTIONS, PLAY_UNPAID, Topic


def negotiation(plan: Topic, play: Topic) -> WorkflowBuilder:
    """Return the builder of the workflow.

    Args:
        plan: the topic of the bargaining, which says which kinds of clauses a deal may have.
        play: the topic of the letters that ask for actions.
    """
    page = WorkflowBuilder()

    page.add_edge("open", "propose")
    page.add_node("convene", convene)
    page.add_edge("convene", "propose")
    page.asks_and_validates("propose", "validate", propose.QUESTION.about(plan))
    page.branch("validate", route_offer, {"again": "propose", "offer": "answer", "pass": "tally"})
    page.asks("answer", answer.QUESTION.about(plan), then=("tally", tally(plan)))
    talk_on = {"again": "answer", "countered": "answer", "talk_on": "propose"}
    page.branch("tally", verdict_of, {**talk_on, "agreed": "summarize", "no_deal": "act"})
    page.add_node("summarize", summarize)
    page.add_edge("summarize", "act")

    page.asks("act", act.QUESTION.about(play), then=("step", step))
    play_on = {"again": "act", "play_on": "act", "due": "convene"}
    page.branch("step", how_it_goes_on, {**play_on, "over": "settle"})
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = negotiation(ACTIONS, PLAY_UNPAID).compile(name="negotiation")

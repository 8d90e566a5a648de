"""LLM+NEG: agents agree on actions before they act. Nobody can pay, and nobody is asked to reason.

    open → propose → validate ↺ → answer → tally ↺ → summarize → act → step ↺ → settle
    step → convene → propose, where the contract is due to be bargained over again

What `llm_only` does not have: convene, propose, validate, answer, tally, summarize. A deal has
`do` and `forbid` clauses alone: letters teach no payments, and an offer of one is sent back.
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
    """Return the workflow, not compiled.

    Args:
        plan: what a deal may hold.
        play: what letters that ask for an action may speak of.
    """
    page = WorkflowBuilder()

    page.add_edge("open", "propose")
    page.add_node("convene", convene)
    page.lead("convene", "propose")
    page.asks_and_validates("propose", "validate", propose.QUESTION.about(plan))
    page.branch("validate", route_offer, {"again": "propose", "offer": "answer", "pass": "tally"})
    page.asks("answer", answer.QUESTION.about(plan), then="tally")
    page.add_node("tally", tally(plan))
    talk_on = {"refused": "answer", "countered": "answer", "talk_on": "propose"}
    page.branch("tally", verdict_of, {**talk_on, "agreed": "summarize", "no_deal": "act"})
    page.add_node("summarize", summarize)
    page.lead("summarize", "act")

    page.asks("act", act.QUESTION.about(play), then="step")
    page.add_node("step", step)
    play_on = {"refused": "act", "play_on": "act", "due": "convene"}
    page.branch("step", how_it_goes_on, {**play_on, "over": "settle"})
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


graph = negotiation(ACTIONS, PLAY_UNPAID).compile(name="negotiation")

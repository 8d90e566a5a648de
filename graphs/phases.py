"""The chapters that workflows are made of: bargaining and play.

Each adds its nodes and inner edges to a page and leaves one way in and one way out, both named by
the page. Routing is by verdicts that nodes left on the table; nodes name no successor.
"""

from langgraph.graph import StateGraph

from shapley_coop.deals import DEAL_RULES, Do, Forbid, Pay, Share, only
from shapley_coop.graphs.minds import WorkflowBuilder, mind, quick, seated
from shapley_coop.graphs.routing import (
    able,
    branch,
    everyone,
    how_it_goes_on,
    lead,
    listeners,
    offered,
    speaker,
    tallied,
    whether_over,
)
from shapley_coop.nodes.agent.say import (
    keep_thoughts,
    say_answers,
    say_claims,
    say_offer,
    seal_actions,
)
from shapley_coop.nodes.agent.validate import a_claim, a_thought, an_action, an_answer, an_offer
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.open import opening
from shapley_coop.nodes.table.step import step
from shapley_coop.nodes.table.tally import tally
from shapley_coop.state import Opening, RunConfig, Table, Topic

PLAN = Topic("plan", rules=(only(Do, Forbid, Pay, Share), *DEAL_RULES))
"""Bargaining before acting: who does what, and for what price."""

SPLIT = Topic(
    "split",
    rules=(only(Pay, Share), *DEAL_RULES),
    letters=("propose_split", "answer_split"),
    phase="settlement",
)
"""Bargaining after acting: who ends up with what."""

PLAY = Topic("play", rules=(), phase="action")
"""Acting, all at the same time."""


def new_workflow(game: str = "escape_room") -> WorkflowBuilder:
    """A page with nothing on it but the opening.

    Args:
        game: what it plays when nobody says.
    """
    page = StateGraph(Table, context_schema=RunConfig, input_schema=Opening)
    page.add_node("open", opening(game))
    page.set_entry_point("open")
    return page


def reason(page: WorkflowBuilder, topic: Topic, then: str) -> None:
    """`reason`: every agent works out payoff, externality and price, in private, in parallel."""
    page.add_node("reason", seated(mind("reason", a_thought), everyone, topic, keep_thoughts))
    page.add_edge("reason", then)


def claim(page: WorkflowBuilder, topic: Topic, then: str) -> None:
    """`claim`: every agent states what part of the total was its doing, in parallel."""
    page.add_node("claim", seated(mind("claim", a_claim), everyone, topic, say_claims))
    page.add_edge("claim", then)


def bargain(
    page: WorkflowBuilder, topic: Topic, agreed: str, no_deal: str, suffix: str = ""
) -> None:
    """`propose` → `answer` → `tally`, until all agree or the rounds are used up.

    One agent proposes, everybody else answers at once; a rejection may carry the next proposal.

    Args:
        page: the page.
        topic: what is bargained over.
        agreed: the node to go to once everybody accepted the same revision.
        no_deal: the node to go to otherwise.
        suffix: of the nodes' names, for a page with two bargainings.
    """
    propose, answer, count = f"propose{suffix}", f"answer{suffix}", f"tally{suffix}"
    page.add_node(propose, seated(mind("propose", an_offer), speaker, topic, say_offer))
    page.add_node(answer, seated(mind("answer", an_answer), listeners, topic, say_answers))
    page.add_node(count, quick(tally(topic)))
    branch(page, propose, offered, {"offer": answer, "pass": count})
    page.add_edge(answer, count)
    branch(
        page,
        count,
        tallied,
        {"agreed": agreed, "countered": answer, "talk_on": propose, "no_deal": no_deal},
    )


def convened(page: WorkflowBuilder, then: str, suffix: str = "") -> None:
    """`convene`: a bargaining begins with a clear table."""
    page.add_node(f"convene{suffix}", quick(convene))
    lead(page, f"convene{suffix}", then)


def play(page: WorkflowBuilder, over: str, renegotiate: str = "") -> None:
    """`act` → `step`, until the game is over.

    Args:
        page: the page.
        over: the node to go to then.
        renegotiate: the node to go to when the contract is due to be bargained over again; empty
            for a page without contracts.
    """
    page.add_node("act", seated(mind("act", an_action), able, PLAY, seal_actions))
    page.add_node("step", step)
    page.add_edge("act", "step")
    onward = {"play_on": "act", "over": over}
    if renegotiate:
        branch(page, "step", how_it_goes_on, {**onward, "due": renegotiate})
    else:
        branch(page, "step", whether_over, onward)

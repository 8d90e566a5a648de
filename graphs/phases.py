"""The phases that workflows are made of: reasoning, bargaining, play, claims.

Each adds its nodes and inner edges to a page and leaves one way in and one way out, both named by
the page. Routing is by verdicts that nodes left on the table; nodes name no successor.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.agent.checks import a_claim, a_reason, an_action, an_answer, an_offer
from shapley_coop.nodes.agent.publish import (
    hold_answers,
    keep_reasons,
    offered,
    put_offer,
    seal_actions,
)
from shapley_coop.nodes.contract.checks import a_written_contract
from shapley_coop.nodes.contract.enforce import enforce
from shapley_coop.nodes.contract.publish import put_written
from shapley_coop.nodes.table.attribute import attribute
from shapley_coop.nodes.table.collect import collect_claims, collect_thoughts
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.step import how_it_goes_on, step, whether_over
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.nodes.table.tally import tally
from shapley_coop.state import Table
from shapley_coop.state.telling import (
    Telling,
    deeds_once_signed,
    of_agents,
    since_play,
    what_was_agreed,
)
from shapley_coop.state.topics import PLAY
from shapley_coop.state.turn import Asking, Topic
from shapley_coop.state.who import able, all_agents, bargaining, listeners, speaker, summariser

ACT = Asking("act", PLAY, able, an_action, seal_actions, tells=deeds_once_signed)
"""Every agent that can act chooses."""


def convened(page: WorkflowBuilder, then: str, suffix: str = "") -> None:
    """`convene`: another bargaining begins with no offer, as the first does after `open`."""
    page.add_node(f"convene{suffix}", convene)
    page.lead(f"convene{suffix}", then)


def reason(page: WorkflowBuilder, topic: Topic, then: str, tells: Telling = of_agents) -> None:
    """`reason` → `collect_reasons`: all who bargain work out payoff, externality and price."""
    page.add_node("collect_reasons", collect_thoughts)
    asking = Asking("reason", topic, bargaining, a_reason, keep_reasons, tells=tells)
    page.asks("reason", asking, then="collect_reasons")
    page.branch("collect_reasons", verdict_of, {"refused": "reason", "sound": then})


def claim(page: WorkflowBuilder, topic: Topic, then: str) -> None:
    """`claim` → `collect_claims`: every agent states what part was its doing, seeing no values."""
    page.add_node("collect_claims", collect_claims(topic))
    asking = Asking("claim", topic, all_agents, a_claim, hold_answers, tells=since_play)
    page.asks("claim", asking, then="collect_claims")
    page.branch("collect_claims", verdict_of, {"refused": "claim", "sound": then})


def attributed(page: WorkflowBuilder, bargain: str, settled: str) -> None:
    """`attribute`: values are computed once all have claimed.

    Args:
        page: the page.
        bargain: the node to go to where there is something to bargain over.
        settled: the node to go to where values equal what was signed, or nothing is at stake.
    """
    page.add_node("attribute", attribute)
    page.branch("attribute", verdict_of, {"bargain": bargain, "settled": settled})


def bargain(
    page: WorkflowBuilder,
    topic: Topic,
    agreed: str,
    no_deal: str,
    suffix: str = "",
    tells: Telling = of_agents,
) -> None:
    """`propose` → `validate` ↺ → `answer` → `tally` ↺, until all agree or the rounds are used up.

    One agent proposes, all others answer in parallel; a rejection may carry the next proposal.

    Args:
        page: the page.
        topic: what is bargained over.
        agreed: the node to go to once all accepted the same revision.
        no_deal: the node to go to otherwise.
        suffix: of nodes and letters, for a page with two bargainings.
        tells: which lines of the history its letters tell.
    """
    propose, check = f"propose{suffix}", f"validate{suffix}"
    answer, count = f"answer{suffix}", f"tally{suffix}"
    page.add_node(count, tally(topic))
    answering = Asking(answer, topic, listeners, an_answer, hold_answers, tells=tells)
    page.asks(answer, answering, then=count)
    offering = Asking(propose, topic, speaker, an_offer, put_offer, tells=tells)
    page.asks_visibly(propose, check, offering, {"offer": answer, "pass": count}, offered)
    page.branch(
        count,
        verdict_of,
        {
            "agreed": agreed,
            "countered": answer,
            "talk_on": propose,
            "no_deal": no_deal,
            "refused": answer,
        },
    )


def play(page: WorkflowBuilder, over: str, renegotiate: str = "", topic: Topic = PLAY) -> None:
    """`act` → `step` ↺, until the game is over.

    Args:
        page: the page.
        over: the node to go to then.
        renegotiate: the node to go to when the contract is due to be bargained over again; empty
            for a page without contracts.
        topic: what letters that ask for an action may speak of.
    """
    page.asks("act", replace(ACT, topic=topic), then="step")
    page.add_node("step", step)
    onward = {"play_on": "act", "over": over, "refused": "act"}
    if renegotiate:
        page.branch("step", how_it_goes_on, {**onward, "due": renegotiate})
    else:
        page.branch("step", whether_over, onward)


def summarized(page: WorkflowBuilder, topic: Topic, bound: str) -> None:
    """`write` ↺ → `summarize`: an impartial summariser writes down the clauses that all accepted.

    Args:
        page: the page.
        topic: what was bargained over.
        bound: the node to go to with the contract.
    """
    writing = Asking(
        "contract_write",
        topic,
        summariser,
        a_written_contract,
        put_written,
        tells=what_was_agreed,
    )
    page.asks_and_routes("write", writing, {"written": "summarize"})
    page.add_node("summarize", summarize)
    page.lead("summarize", bound)


def enforced_play(
    page: WorkflowBuilder,
    onward: Mapping[str, str],
    verdict: Callable[[Table], str] = how_it_goes_on,
    act: Asking = ACT,
) -> None:
    """`enforce` → `act` → `step` ↺ → `enforce_turn` ↺: what is at stake is posted as play goes on.

    Args:
        page: the page.
        onward: verdict → node, for all verdicts but `play_on`.
        verdict: how it goes on after a turn.
        act: what every agent that can act is asked.
    """
    page.add_node("enforce", enforce)
    page.lead("enforce", "act")
    page.asks("act", act, then="step")
    page.add_node("step", step)
    page.branch("step", verdict_of, {"refused": "act", "played": "enforce_turn"})
    page.add_node("enforce_turn", enforce)
    page.branch("enforce_turn", verdict, {"play_on": "act", **onward})

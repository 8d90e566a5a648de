"""Delegates: groups send delegates who bargain for all, and every member signs for itself.

    open → group → elect → delegate ↺ → reason ↺ → propose → validate ↺ → answer
         → tally ↺ → ratify → count ↺ → summarize → enforce → act → step ↺ → enforce_turn ↺
         → account → attribute → settle
    enforce_turn → convene → group, where the contract is due to be bargained over again

This is liquid delegation for bargaining among many agents. Agents are grouped by interest or at
random. Each group elects a delegate, or draws one by lot. The delegates bargain as in
`shapley_coop`. Then every member gets a letter on the deal's effects on it, and signs, vetoes or
leaves. Only its own signature binds a member. After a veto, a group can recall its delegate, and
the delegates bargain again. If a member leaves, the clauses that concern it are dropped, and the
others sign the rest. There are no claims and no final bargaining, since these would need an answer
of every member. Values are computed from the record, and paid if the deal names the norm.
"""

from dataclasses import replace
from typing import Any

from langgraph.graph import END

from shapley_coop.extensions.institutions.delegates import elect, ratify
from shapley_coop.extensions.institutions.delegates.count import count
from shapley_coop.extensions.institutions.delegates.delegate import delegate
from shapley_coop.extensions.institutions.delegates.group import group
from shapley_coop.extensions.institutions.delegates.membership import delegation
from shapley_coop.extensions.institutions.delegates.table import GroupsTable
from shapley_coop.extensions.institutions.delegates.telling import of_delegates
from shapley_coop.extensions.institutions.delegates.words import binding
from shapley_coop.graphs.workflow import WorkflowBuilder, route_offer, sound, verdict_of
from shapley_coop.nodes.contract.enforce import enforce
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.attribute import attribute
from shapley_coop.nodes.table.collect import collect_thoughts
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import how_it_goes_on, step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.nodes.table.tally import tally
from shapley_coop.questions import act, answer, propose, reason
from shapley_coop.state.telling import deeds
from shapley_coop.state.topics import PLAN, PLAY, with_computed_values
from shapley_coop.state.turn import Question

plan = with_computed_values(PLAN)


def of_a_delegate(question: Question[Any]) -> Question[Any]:
    """Return the question, whose letters also tell a delegate the names of its members."""
    asked = question.about(plan, tells=of_delegates)
    return replace(asked, shows=(*asked.shows, delegation), words=(*asked.words, binding))


page = WorkflowBuilder(state=GroupsTable, start={"groups": []})

page.add_edge("open", "group")
page.add_node("convene", convene)
page.add_edge("convene", "group")
page.add_node("group", group)
page.branch("group", verdict_of, {"elect": "elect", "seated": "delegate"})
page.asks("elect", elect.QUESTION.about(plan), then=("delegate", delegate))
page.branch("delegate", verdict_of, {"again": "elect", "seated": "reason"})

page.asks("reason", of_a_delegate(reason.QUESTION), then=("collect_reasons", collect_thoughts))
page.branch("collect_reasons", sound, {"again": "reason", "sound": "propose"})
page.asks_and_validates("propose", "validate", of_a_delegate(propose.QUESTION))
page.branch("validate", route_offer, {"again": "propose", "offer": "answer", "pass": "tally"})
page.asks("answer", of_a_delegate(answer.QUESTION), then=("tally", tally(plan)))
talk_on = {"again": "answer", "countered": "answer", "talk_on": "propose"}
page.branch("tally", verdict_of, {**talk_on, "agreed": "ratify", "no_deal": "act"})

page.asks("ratify", ratify.QUESTION.about(plan), then=("count", count))
back = {"again": "ratify", "reduced": "ratify", "vetoed": "group"}
page.branch("count", verdict_of, {**back, "signed": "summarize", "no_deal": "act"})
page.add_node("summarize", summarize)
page.add_edge("summarize", "enforce")

page.add_node("enforce", enforce)
page.add_edge("enforce", "act")
page.asks("act", act.QUESTION.about(PLAY, tells=deeds), then=("step", step))
page.branch("step", verdict_of, {"again": "act", "played": "enforce_turn"})
page.add_node("enforce_turn", enforce)
onward = {"play_on": "act", "due": "convene", "over": "account"}
page.branch("enforce_turn", how_it_goes_on, onward)
page.add_node("account", account)
page.add_edge("account", "attribute")
page.add_node("attribute", attribute)
page.branch("attribute", verdict_of, {"bargain": "settle", "settled": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="delegates")

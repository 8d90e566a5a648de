"""LLM+STS: short-term Shapley reasoning, and bargaining over the final split without values.

    open → reason ↺ → propose → validate ↺ → answer → tally ↺ → summarize → act → step ↺
    step → convene → reason, if the contract must be bargained over again
    step → account → convene_split → claim ↺
    claim → propose_split → validate_split ↺ → answer_split → tally_split ↺ → settle

This workflow adds to `negotiation_priced`: reason, claim, and the bargaining over the split.
"""

from langgraph.graph import END

from shapley_coop.graphs.workflow import WorkflowBuilder, route_offer, sound, verdict_of
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.collect import collect_claims, collect_thoughts
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import how_it_goes_on, step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.nodes.table.tally import tally
from shapley_coop.questions import act, answer, answer_split, claim, propose, propose_split, reason
from shapley_coop.state.topics import PLAN, SPLIT

page = WorkflowBuilder()

page.add_edge("open", "reason")
page.add_node("convene", convene)
page.add_edge("convene", "reason")
page.asks("reason", reason.QUESTION, then=("collect_reasons", collect_thoughts))
page.branch("collect_reasons", sound, {"again": "reason", "sound": "propose"})
page.asks_and_validates("propose", "validate", propose.QUESTION)
page.branch("validate", route_offer, {"again": "propose", "offer": "answer", "pass": "tally"})
page.asks("answer", answer.QUESTION, then=("tally", tally(PLAN)))
talk_on = {"again": "answer", "countered": "answer", "talk_on": "propose"}
page.branch("tally", verdict_of, {**talk_on, "agreed": "summarize", "no_deal": "act"})
page.add_node("summarize", summarize)
page.add_edge("summarize", "act")

page.asks("act", act.QUESTION, then=("step", step))
play_on = {"again": "act", "play_on": "act", "due": "convene"}
page.branch("step", how_it_goes_on, {**play_on, "over": "account"})

page.add_node("account", account)
page.add_edge("account", "convene_split")
page.add_node("convene_split", convene)
page.add_edge("convene_split", "claim")
page.asks("claim", claim.QUESTION, then=("collect_claims", collect_claims(SPLIT)))
page.branch("collect_claims", sound, {"again": "claim", "sound": "propose_split"})
page.asks_and_validates("propose_split", "validate_split", propose_split.QUESTION)
onward = {"again": "propose_split", "offer": "answer_split", "pass": "tally_split"}
page.branch("validate_split", route_offer, onward)
page.asks("answer_split", answer_split.QUESTION, then=("tally_split", tally(SPLIT)))
talk_on = {"again": "answer_split", "countered": "answer_split", "talk_on": "propose_split"}
page.branch("tally_split", verdict_of, {**talk_on, "agreed": "settle", "no_deal": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="short_term")

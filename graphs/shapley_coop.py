"""LLM+SC: the whole of Shapley-Coop.

    open → reason ↺ → propose → validate ↺ → answer → tally ↺
         → write ↺ → summarize → enforce → act → step ↺ → enforce_turn ↺
         → account → convene_split → claim ↺ → attribute
         → propose_split → validate_split ↺ → answer_split → tally_split ↺ → settle
    tally → act, if no offer was accepted by all
    enforce_turn → convene → reason, if the contract must be bargained over again

This workflow adds to `short_term`: write, where an impartial summariser writes the accepted offer
as one document; enforce and enforce_turn, which post deposits and forfeits during play; and
attribute, which computes outcome, marginal contributions and Shapley values from the record. All
agents claim their parts before the letters of the last bargaining show these values. A deal can
name a norm for the payoffs. If nothing is left to bargain over, `attribute` leads to `settle`.
"""

from langgraph.graph import END

from shapley_coop.graphs.workflow import WorkflowBuilder, route_offer, sound, verdict_of
from shapley_coop.nodes.contract.enforce import enforce
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.attribute import attribute
from shapley_coop.nodes.table.collect import collect_claims, collect_thoughts
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import how_it_goes_on, step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.nodes.table.tally import tally
from shapley_coop.questions import (
    act,
    answer,
    answer_split,
    claim,
    contract_write,
    propose,
    propose_split,
    reason,
)
from shapley_coop.state.topics import PLAN, SPLIT, with_computed_values

plan, split = with_computed_values(PLAN), with_computed_values(SPLIT)
page = WorkflowBuilder()

page.add_edge("open", "reason")
page.add_node("convene", convene)
page.add_edge("convene", "reason")
page.asks("reason", reason.QUESTION.about(plan), then=("collect_reasons", collect_thoughts))
page.branch("collect_reasons", sound, {"again": "reason", "sound": "propose"})
page.asks_and_validates("propose", "validate", propose.QUESTION.about(plan))
page.branch("validate", route_offer, {"again": "propose", "offer": "answer", "pass": "tally"})
page.asks("answer", answer.QUESTION.about(plan), then=("tally", tally(plan)))
talk_on = {"again": "answer", "countered": "answer", "talk_on": "propose"}
page.branch("tally", verdict_of, {**talk_on, "agreed": "write", "no_deal": "act"})
page.asks("write", contract_write.QUESTION.about(plan))
page.branch("write", verdict_of, {"again": "write", "written": "summarize"})
page.add_node("summarize", summarize)
page.add_edge("summarize", "enforce")

page.add_node("enforce", enforce)
page.add_edge("enforce", "act")
page.asks("act", act.QUESTION, then=("step", step))
page.branch("step", verdict_of, {"again": "act", "played": "enforce_turn"})
page.add_node("enforce_turn", enforce)
onward = {"play_on": "act", "due": "convene", "over": "account"}
page.branch("enforce_turn", how_it_goes_on, onward)

page.add_node("account", account)
page.add_edge("account", "convene_split")
page.add_node("convene_split", convene)
page.add_edge("convene_split", "claim")
page.asks("claim", claim.QUESTION.about(split), then=("collect_claims", collect_claims(split)))
page.branch("collect_claims", sound, {"again": "claim", "sound": "attribute"})
page.add_node("attribute", attribute)
page.branch("attribute", verdict_of, {"bargain": "propose_split", "settled": "settle"})
page.asks_and_validates("propose_split", "validate_split", propose_split.QUESTION.about(split))
onward = {"again": "propose_split", "offer": "answer_split", "pass": "tally_split"}
page.branch("validate_split", route_offer, onward)
page.asks("answer_split", answer_split.QUESTION.about(split), then=("tally_split", tally(split)))
talk_on = {"again": "answer_split", "countered": "answer_split", "talk_on": "propose_split"}
page.branch("tally_split", verdict_of, {**talk_on, "agreed": "settle", "no_deal": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="shapley_coop")

"""The workflow `settlement`: the bargaining over payments as in Shapley-Coop, for finished work.

    open → step → account → convene_split → claim ↺ → attribute
         → propose_split → validate_split ↺ → answer_split → tally_split ↺ → settle

`step` plays the only turn, which pays each agent the value of its work. Then the agents either
agree on another split or keep these payments.
"""

from langgraph.graph import END

from shapley_coop.extensions.bounty.delivered import Delivered
from shapley_coop.graphs.workflow import WorkflowBuilder, route_offer, sound, verdict_of
from shapley_coop.nodes.table.account import account
from shapley_coop.nodes.table.attribute import attribute
from shapley_coop.nodes.table.collect import collect_claims
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step
from shapley_coop.nodes.table.tally import tally
from shapley_coop.questions import answer_split, claim, propose_split
from shapley_coop.state.topics import SPLIT, with_computed_values

split = with_computed_values(SPLIT)
page = WorkflowBuilder("delivered", plays=Delivered)

page.add_edge("open", "step")
page.add_node("step", step)
page.add_edge("step", "account")
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

graph = page.compile(name="settlement")

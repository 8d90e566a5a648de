"""Structured contracts: drafted in turn, written by an impartial summariser, played, enforced.

    open → propose → validate ↺ → pass_on → write ↺ → sign → count ↺
         → summarize → enforce → act → step ↺ → enforce_turn ↺ → judge ↺ → settle
    pass_on → respond ↺ → pass_on, if not all agents have accepted the offer
    enforce_turn → convene → propose, if the contract must be bargained over again

Use Your Words (Schiavone, 2025). Agents speak in turn until all accept one offer. An impartial
summariser writes the contract in five sections. If the agents agreed only in words, the summariser
also drafts the clauses, and `sign` asks all agents to sign. If one of them refuses, no agent is
bound. Deposits are taken before play and forfeited at the first breach. A judge is optional.
"""

from langgraph.graph import END

from shapley_coop.graphs.workflow import WorkflowBuilder, sound, verdict_of
from shapley_coop.nodes.contract.count import count_signatures
from shapley_coop.nodes.contract.enforce import enforce
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.pass_on import pass_on
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import how_it_goes_on, step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.questions import (
    act,
    contract_answer,
    contract_judge,
    contract_propose,
    contract_sign,
    contract_write,
)
from shapley_coop.state.run_config import JUDGE
from shapley_coop.state.table import Table
from shapley_coop.state.topics import DRAFTS


def what_is_next(table: Table) -> str:
    """Return `judge` if the game is over and a judge must rule, else what `how_it_goes_on` says."""
    found = how_it_goes_on(table)
    judged = table.get("contract") and JUDGE in table["settings"]["seats"]
    return "judge" if found == "over" and judged else found


page = WorkflowBuilder()

page.add_edge("open", "propose")
page.add_node("convene", convene)
page.add_edge("convene", "propose")
page.asks_and_validates("propose", "validate", contract_propose.QUESTION)
page.branch("validate", sound, {"again": "propose", "sound": "pass_on"})
page.asks("respond", contract_answer.QUESTION)
page.branch("respond", sound, {"again": "respond", "sound": "pass_on"})
page.add_node("pass_on", pass_on())
talk_on = {"propose": "propose", "respond": "respond", "no_deal": "act"}
page.branch("pass_on", verdict_of, {**talk_on, "agreed": "write", "in_words": "write"})

page.asks("write", contract_write.QUESTION.about(DRAFTS))
onward = {"again": "write", "written": "summarize", "to_sign": "sign", "unwritten": "act"}
page.branch("write", verdict_of, onward)
page.asks("sign", contract_sign.QUESTION, then=("count", count_signatures))
page.branch("count", verdict_of, {"again": "sign", "signed": "summarize", "unsigned": "act"})
page.add_node("summarize", summarize)
page.add_edge("summarize", "enforce")

page.add_node("enforce", enforce)
page.add_edge("enforce", "act")
page.asks("act", act.QUESTION, then=("step", step))
page.branch("step", verdict_of, {"again": "act", "played": "enforce_turn"})
page.add_node("enforce_turn", enforce)
play_on = {"play_on": "act", "due": "convene"}
page.branch("enforce_turn", what_is_next, {**play_on, "judge": "judge", "over": "settle"})
page.asks("judge", contract_judge.QUESTION)
page.branch("judge", sound, {"again": "judge", "sound": "settle"})
page.add_node("settle", settle)
page.add_edge("settle", END)

graph = page.compile(name="contracts")

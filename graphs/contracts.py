"""Structured contracts: drafted in turn, written down by an impartial summariser, played, enforced.

    open → propose → validate ↺ ⇄ pass_on ⇄ respond ↺ → write ↺ → sign → count ↺
         → summarize → enforce → act → step ↺ → enforce_turn ↺ → judge ↺ → settle
    enforce_turn → convene → propose, where the contract is due to be bargained over again

Use Your Words (Schiavone, 2025). In turn, every agent proposes a contract or accepts the one that
stands; all have to accept the same. An impartial summariser writes it down in five sections. If
only words were agreed, it drafts the clauses too, and `sign` asks all agents for a signature;
without all of them none is bound. Deposits are taken before play and forfeited at the first breach;
payments are made at settlement. If the configuration seats a judge, it reads the record as well.
"""

from langgraph.graph import END

from shapley_coop.deals import DEAL_RULES
from shapley_coop.graphs.phases import convened, enforced_play
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.agent.publish import hold_answers
from shapley_coop.nodes.contract.checks import (
    a_contract_answer,
    a_contract_offer,
    a_judgement,
    a_signature,
    a_written_contract,
)
from shapley_coop.nodes.contract.count import count_signatures
from shapley_coop.nodes.contract.pass_on import pass_on
from shapley_coop.nodes.contract.publish import put_draft, put_judgement, put_written
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import how_it_goes_on
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state import Table
from shapley_coop.state.run_config import JUDGE
from shapley_coop.state.telling import everything, since_play, what_was_agreed
from shapley_coop.state.turn import Asking, Topic
from shapley_coop.state.who import all_agents, judge, speaker, summariser

DRAFTS = Topic("plan", rules=DEAL_RULES, certified=True)
"""Drafting and signing, before the game begins."""

JUDGING = Topic("judgement", phase="settlement")
"""Reading the record."""

PROPOSE = Asking("contract_propose", DRAFTS, speaker, a_contract_offer, put_draft)
RESPOND = Asking("contract_answer", DRAFTS, speaker, a_contract_answer, put_draft)
SIGN = Asking("contract_sign", DRAFTS, all_agents, a_signature, hold_answers, tells=everything)
WRITE = Asking(
    "contract_write",
    DRAFTS,
    summariser,
    a_written_contract,
    put_written,
    tells=what_was_agreed,
)
JUDGE_IT = Asking("contract_judge", JUDGING, judge, a_judgement, put_judgement, tells=since_play)


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    page = WorkflowBuilder()
    page.add_edge("open", "propose")
    convened(page, then="propose")
    drafting(page, agreed="write", no_deal="act")
    written(page, bound="enforce", null="act")
    onward = {"due": "convene", "judge": "judge", "over": "settle"}
    enforced_play(page, onward, what_is_next)
    page.asks_one("judge", JUDGE_IT, then="settle")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


def drafting(page: WorkflowBuilder, agreed: str, no_deal: str) -> None:
    """`propose` or `respond` → `pass_on`, until all accept one draft or had their turns."""
    page.asks_visibly("propose", "validate", PROPOSE, {"sound": "pass_on"}, lambda _: "sound")
    page.asks_one("respond", RESPOND, then="pass_on")
    page.add_node("pass_on", pass_on)
    onward = {"agreed": agreed, "in_words": agreed, "no_deal": no_deal}
    page.branch("pass_on", verdict_of, {**onward, "propose": "propose", "respond": "respond"})


def written(page: WorkflowBuilder, bound: str, null: str) -> None:
    """`write` → `summarize`, by way of `sign` and `count` where only words were agreed."""
    onward = {"written": "summarize", "to_sign": "sign", "unwritten": null}
    page.asks_and_routes("write", WRITE, onward)
    page.asks("sign", SIGN, then="count")
    page.add_node("count", count_signatures)
    onward = {"signed": "summarize", "unsigned": null, "refused": "sign"}
    page.branch("count", verdict_of, onward)
    page.add_node("summarize", summarize)
    page.lead("summarize", bound)


def what_is_next(table: Table) -> str:
    """Whether the game goes on, and whether the judge is asked when it does not."""
    found = how_it_goes_on(table)
    judged = table.get("contract") and JUDGE in table["settings"]["seats"]
    return "judge" if found == "over" and judged else found


graph = build().compile(name="contracts")

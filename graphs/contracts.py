"""Structured contracts: drafted in turn, written down by nobody's friend, played and enforced.

    open → convene → propose ⇄ pass_on ⇄ respond → write → sign → count → summarize → enforce
         → act → step → enforce_turn ↺ → judge → settle

Use Your Words (Schiavone, 2025). In turn, everybody proposes a contract or accepts the one that
stands; all have to accept the same. An impartial summariser writes it down in five sections. If
only words were agreed, it drafts the clauses too, and `sign` asks everybody for a signature;
without all of them nobody is bound. Deposits are taken before play and forfeited at the first
breach; payments are made at settlement. Where the room seats a judge, it reads the record as well.
"""

from langgraph.graph import END

from shapley_coop.deals import DEAL_RULES
from shapley_coop.graphs.minds import TurnGraph, WorkflowBuilder, mind, retried, seated
from shapley_coop.graphs.phases import PLAY, convened, new_workflow
from shapley_coop.graphs.routing import (
    able,
    branch,
    everyone,
    how_it_goes_on,
    lead,
    speaker,
    tallied,
)
from shapley_coop.nodes.agent.say import say_answers, seal_actions
from shapley_coop.nodes.agent.validate import Check, an_action, validate
from shapley_coop.nodes.contract.draft import (
    SUMMARISER,
    a_written_contract,
    ask_outsider,
    say_written,
)
from shapley_coop.nodes.contract.enforce import enforce
from shapley_coop.nodes.contract.judge import JUDGE, a_judgement, say_judgement
from shapley_coop.nodes.contract.sign import (
    a_contract_answer,
    a_contract_offer,
    a_signature,
    count_signatures,
    pass_on,
    say_draft,
)
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state import Table, Topic

DRAFTS = Topic("plan", rules=DEAL_RULES, letters=("contract_propose", "contract_answer"))
"""Drafting, one agent after the other."""

SIGNING = Topic("plan", rules=DEAL_RULES, letters=("contract_sign", "contract_sign"))
"""Signing clauses that were drafted from words."""

JUDGING = Topic("judgement", rules=(), phase="settlement")
"""Reading the record."""


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    page = new_workflow()
    page.add_edge("open", "convene")
    convened(page, then="propose")
    drafting(page, agreed="write", no_deal="act")
    written(page, bound="enforce", null="act")
    page.add_node("enforce", enforce)
    lead(page, "enforce", "act")
    page.add_node("act", seated(mind("act", an_action), able, PLAY, seal_actions))
    page.add_edge("act", "step")
    page.add_node("step", step)
    page.add_edge("step", "enforce_turn")
    page.add_node("enforce_turn", enforce)
    onward = {"play_on": "act", "due": "convene", "judge": "judge", "over": "settle"}
    branch(page, "enforce_turn", what_is_next, onward)
    judging = outsider("contract_judge", a_judgement)
    page.add_node("judge", seated(judging, lambda _: [JUDGE], JUDGING, say_judgement))
    page.add_edge("judge", "settle")
    page.add_node("settle", settle)
    page.add_edge("settle", END)
    return page


def drafting(page: WorkflowBuilder, agreed: str, no_deal: str) -> None:
    """`propose` or `respond` → `pass_on`, until all accept one draft or had their turns."""
    page.add_node("propose", seated(mind("propose", a_contract_offer), speaker, DRAFTS, say_draft))
    page.add_node("respond", seated(mind("answer", a_contract_answer), speaker, DRAFTS, say_draft))
    page.add_node("pass_on", pass_on)
    page.add_edge("propose", "pass_on")
    page.add_edge("respond", "pass_on")
    onward = {"agreed": agreed, "in_words": agreed, "no_deal": no_deal}
    branch(page, "pass_on", tallied, {**onward, "propose": "propose", "respond": "respond"})


def written(page: WorkflowBuilder, bound: str, null: str) -> None:
    """`write` → `summarize`, by way of `sign` and `count` where only words were agreed."""
    writing = outsider("contract_write", a_written_contract)
    page.add_node("write", seated(writing, lambda _: [SUMMARISER], DRAFTS, say_written))
    branch(page, "write", tallied, {"written": "summarize", "to_sign": "sign", "unwritten": null})
    page.add_node("sign", seated(mind("answer", a_signature), everyone, SIGNING, say_answers))
    page.add_edge("sign", "count")
    page.add_node("count", count_signatures)
    branch(page, "count", tallied, {"signed": "summarize", "unsigned": null})
    page.add_node("summarize", summarize)
    page.add_edge("summarize", bound)


def outsider(letter: str, check: Check) -> TurnGraph:
    """The mind of somebody who is no party: ask → validate ↺.

    To certify what it wrote can take a second, so that it is validated in a thread.
    """
    return retried(letter, ask_outsider(letter), validate(check))


def what_is_next(table: Table) -> str:
    """Whether the game goes on, and who is heard when it does not."""
    found = how_it_goes_on(table)
    judged = table.get("contract") and JUDGE in table["settings"]["seats"]
    return "judge" if found == "over" and judged else found


graph = build().compile(name="contracts")

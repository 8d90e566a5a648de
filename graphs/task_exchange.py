"""Task exchange: agents trade tasks by proposals that are checked before they are delivered.

    open → convene → consider ↺ → speak → validate ↺ → check → summarize → trade
         → act → call → step ↺ → settle

Utility-aware task decomposition and exchange (Kimura et al.). In `consider` every agent plans in
private; in `speak` the agents take turns to propose, accept or reject; `check` looks at what was
agreed once more; `trade` has the tasks change hands; then each task is a tool call of its owner.
Without an agreement the talk goes on to `trade`, and every agent works on what it had; after five
invalid attempts at one turn the run ends as an error.

Two parts can be left out, each by itself: the *validator*, which is wiring (`speak` → `validate` ↺
with it, and `speak` alone without), and the *guidance*, which is a section of the
letters. So there are four pages, each of which names its two:

======================== ========= ========
graph                    validator guidance
======================== ========= ========
task_exchange            yes       yes       the paper's proposal
task_exchange_unguided   yes       no
task_exchange_unchecked  no        yes
task_exchange_baseline   no        no        the paper's baseline
======================== ========= ========
"""

from dataclasses import replace

from langgraph.graph import END

from shapley_coop.games.task_exchange import TaskExchange
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.exchange.call import call_tools
from shapley_coop.nodes.exchange.check import check
from shapley_coop.nodes.exchange.collect import collect_plans
from shapley_coop.nodes.exchange.fail import fail, failed
from shapley_coop.nodes.exchange.trade import trade
from shapley_coop.nodes.table.convene import convene
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step, whether_over
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.questions import act, consider, exchange
from shapley_coop.state.own_tables import ExchangeTable


def trading(validator: bool, guidance: bool) -> WorkflowBuilder:
    """Any of the four, not compiled.

    Args:
        validator: whether proposals are checked before they are delivered.
        guidance: whether letters ask to weigh the others' utilities.
    """
    page = WorkflowBuilder(
        "task_exchange", plays=TaskExchange, state=ExchangeTable, start={"pending": None}
    )
    page.add_edge("open", "convene")
    page.add_node("convene", convene)
    page.lead("convene", "consider")
    page.asks("consider", replace(consider.QUESTION, guidance=guidance), then="collect_plans")
    page.add_node("collect_plans", collect_plans)
    page.branch("collect_plans", verdict_of, {"refused": "consider", "sound": "speak"})
    said = {"talk_on": "speak", "agreed": "check", "no_deal": "trade", "error": "settle"}
    if validator:
        page.asks_and_validates("speak", "validate", replace(exchange.QUESTION, guidance=guidance))
        page.branch("validate", verdict_of, {**said, "again": "speak"})
    else:
        page.asks("speak", replace(exchange.AS_IT_IS, guidance=guidance))
        page.branch("speak", verdict_of, said)
    page.add_node("check", check)
    page.branch("check", verdict_of, {"sound": "summarize", "error": "settle"})
    page.add_node("summarize", summarize)
    page.add_edge("summarize", "trade")
    page.add_node("trade", trade)
    page.lead("trade", "act")

    page.asks("act", act.QUESTION, then="call")
    page.add_node("call", call_tools)
    page.add_edge("call", "step")
    page.add_node("step", step)
    page.branch("step", whether_over, {"refused": "act", "play_on": "act", "over": "settle"})
    page.add_node("settle", settle)
    page.branch("settle", failed, {"error": "fail", "done": END})
    page.add_node("fail", fail)
    page.add_edge("fail", END)
    return page


graph = trading(validator=True, guidance=True).compile(name="task_exchange")

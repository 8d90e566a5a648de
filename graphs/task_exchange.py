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

from langgraph.graph import END

from shapley_coop.games.task_exchange import TaskExchange
from shapley_coop.graphs.phases import ACT, convened
from shapley_coop.graphs.workflow import WorkflowBuilder, verdict_of
from shapley_coop.nodes.agent.checks import a_thought
from shapley_coop.nodes.exchange.call import call_tools
from shapley_coop.nodes.exchange.check import check
from shapley_coop.nodes.exchange.checks import a_valid_message, as_it_is, attempts
from shapley_coop.nodes.exchange.collect import collect_plans
from shapley_coop.nodes.exchange.fail import fail
from shapley_coop.nodes.exchange.publish import keep_plans, put_message
from shapley_coop.nodes.exchange.trade import trade
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step, whether_over
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state import Table
from shapley_coop.state.exchange import TOPIC
from shapley_coop.state.turn import Asking, Topic
from shapley_coop.state.who import all_agents, speaker

TRADE = Topic(TOPIC)
"""Who does which tasks; what a proposal has to pass is in `deals.exchange`."""


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    return exchange(validator=True, guidance=True)


def exchange(validator: bool, guidance: bool) -> WorkflowBuilder:
    """Any of the four.

    Args:
        validator: whether proposals are checked before they are delivered.
        guidance: whether letters ask to weigh the others' utilities.
    """
    page = WorkflowBuilder("task_exchange", plays=TaskExchange)
    page.add_edge("open", "convene")
    convened(page, then="consider")
    talk(page, validator, guidance, agreed="summarize", no_deal="trade", error="settle")
    page.add_node("summarize", summarize)
    page.add_edge("summarize", "trade")
    page.add_node("trade", trade)
    page.lead("trade", "act")
    work(page, ACT, over="settle")
    page.add_node("settle", settle)
    page.branch("settle", failed, {"error": "fail", "done": END})
    page.add_node("fail", fail)
    page.add_edge("fail", END)
    return page


def talk(
    page: WorkflowBuilder,
    validator: bool,
    guidance: bool,
    agreed: str,
    no_deal: str,
    error: str,
) -> None:
    """`consider` → `speak` → `validate` ↺ → `check`."""
    letters = {"rules": "exchange_table", "guidance": guidance}
    plan = Asking("consider", TRADE, all_agents, a_thought, keep_plans, **letters)
    page.asks("consider", plan, then="collect_plans")
    page.add_node("collect_plans", collect_plans)
    page.branch("collect_plans", verdict_of, {"refused": "consider", "sound": "speak"})
    onward = {"talk_on": "speak", "agreed": "check", "no_deal": no_deal, "error": error}
    reads = a_valid_message if validator else as_it_is
    speak = Asking("exchange", TRADE, speaker, reads, put_message, tries=attempts, **letters)
    if validator:
        page.asks_visibly("speak", "validate", speak, onward)
    else:
        page.asks_and_routes("speak", speak, onward, retry=False)
    page.add_node("check", check)
    page.branch("check", verdict_of, {"sound": agreed, "error": error})


def work(page: WorkflowBuilder, act: Asking, over: str) -> None:
    """`act` → `call` → `step` ↺, until every task is done."""
    page.asks("act", act, then="call")
    page.add_node("call", call_tools)
    page.add_edge("call", "step")
    page.add_node("step", step)
    page.branch("step", whether_over, {"play_on": "act", "over": over, "refused": "act"})


def failed(table: Table) -> str:
    """Whether the talk broke down."""
    return "error" if table["verdict"] == "error" else "done"


graph = build().compile(name="task_exchange")

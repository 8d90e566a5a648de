"""Task exchange: agents trade tasks by proposals that are checked before they are delivered.

    open → convene → consider → speak ↺ → check → summarize → trade → act → call → step ↺ → settle

Utility-aware task decomposition and exchange (Kimura et al.). In `consider` everybody plans in
private; in `speak` the agents take turns to propose, accept or reject; `check` looks at what was
agreed once more; `trade` has the tasks change hands; then each task is a tool call of its owner.
Without an agreement `speak` goes on to `trade`, and everybody works on what it had; after five
invalid attempts at one turn the run ends as an error.

Two parts can be left out, each by itself: the *validator*, which is wiring (a trader's mind is
ask → validate ↺ with it, and ask → deliver without), and the *guidance*, which is a section of the
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

from langgraph.graph import END, START, StateGraph

from shapley_coop.graphs.minds import (
    TurnGraph,
    WorkflowBuilder,
    lightly,
    mind,
    quick,
    retried,
    seated,
)
from shapley_coop.graphs.phases import PLAY, new_workflow
from shapley_coop.graphs.routing import able, branch, everyone, lead, speaker, whether_over
from shapley_coop.nodes.agent.ask import ask
from shapley_coop.nodes.agent.say import seal_actions
from shapley_coop.nodes.agent.validate import a_thought, an_action
from shapley_coop.nodes.exchange.call import call_tools
from shapley_coop.nodes.exchange.check import check
from shapley_coop.nodes.exchange.convene import convene_trade
from shapley_coop.nodes.exchange.fail import fail
from shapley_coop.nodes.exchange.letter import trade_letter
from shapley_coop.nodes.exchange.say import say_plans, say_turn
from shapley_coop.nodes.exchange.trade import trade
from shapley_coop.nodes.exchange.validate import deliver, validate_trades
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.state import Table, Topic, TurnContext, TurnState
from shapley_coop.state.exchange import TOPIC

TRADE = Topic(TOPIC, rules=())
"""Who does which tasks; what a proposal has to pass is in `deals.exchange.messages`."""


def build() -> WorkflowBuilder:
    """The workflow, not compiled."""
    return exchange(validator=True, guidance=True)


def exchange(validator: bool, guidance: bool) -> WorkflowBuilder:
    """Any of the four.

    Args:
        validator: whether proposals are checked before they are delivered.
        guidance: whether letters ask to weigh the others' utilities.
    """
    page = new_workflow("task_exchange")
    page.add_node("convene", convene_trade)
    page.add_edge("open", "convene")
    talk(page, validator, guidance, agreed="summarize", no_deal="trade", error="settle")
    page.add_node("summarize", summarize)
    page.add_edge("summarize", "trade")
    work(page, over="settle")
    page.add_node("settle", settle)
    branch(page, "settle", failed, {"error": "fail", "done": END})
    page.add_node("fail", fail)
    page.add_edge("fail", END)
    return page


def talk(
    page: WorkflowBuilder, validator: bool, guidance: bool, agreed: str, no_deal: str, error: str
) -> None:
    """`consider` → `speak` ↺ → `check`."""
    planning = mind("consider", a_thought, trade_letter(guidance))
    page.add_node("consider", seated(planning, everyone, TRADE, say_plans))
    lead(page, "convene", "consider")
    page.add_edge("consider", "speak")
    speak = seated(trading(validator, guidance), speaker, TRADE, say_turn)
    page.add_node("speak", speak)
    onward = {"talk_on": "speak", "agreed": "check", "no_deal": no_deal, "error": error}
    branch(page, "speak", heard, onward)
    page.add_node("check", check)
    branch(page, "check", heard, {"sound": agreed, "error": error})


def work(page: WorkflowBuilder, over: str) -> None:
    """`trade` → `act` → `call` → `step` ↺, until every task is done."""
    page.add_node("trade", trade)
    lead(page, "trade", "act")
    page.add_node("act", seated(mind("act", an_action), able, PLAY, seal_actions))
    page.add_edge("act", "call")
    page.add_node("call", call_tools)
    page.add_edge("call", "step")
    page.add_node("step", step)
    branch(page, "step", whether_over, {"play_on": "act", "over": over})


def trading(validator: bool, guidance: bool) -> TurnGraph:
    """A turn of talk: ask → validate ↺, or ask → deliver."""
    asking = ask("exchange", trade_letter(guidance))
    if validator:
        return retried("speak", asking, lightly(validate_trades))
    page = StateGraph(TurnState, context_schema=TurnContext)
    page.add_node("ask", asking)
    page.add_node("deliver", quick(deliver))
    page.add_edge(START, "ask")
    page.add_edge("ask", "deliver")
    page.add_edge("deliver", END)
    return page.compile(name="speak")


def heard(table: Table) -> str:
    """What the last turn of talk, or the check, came to."""
    return table["verdict"]


def failed(table: Table) -> str:
    """Whether the talk broke down."""
    return "error" if table["verdict"] == "error" else "done"


graph = build().compile(name="task_exchange")

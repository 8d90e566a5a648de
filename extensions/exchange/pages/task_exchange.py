"""Task exchange: agents trade tasks by proposals that are checked before they are delivered.

    open → consider ↺ → speak → validate ↺ → pass_on ↺ → summarize → step
         → act → step ↺ → settle

Utility-aware task decomposition and exchange (Kimura et al.). In `consider` every agent plans in
private. In `speak` the agents take turns to propose, accept or reject. The proposal that all accept
becomes a contract, whose clauses transfer the tasks in the first turn of play. Then each owner does
its tasks by tool calls. Without an agreement every agent keeps the tasks that it began with. After
five invalid messages in one turn of talk, the run ends with the status `error`.

The validator and the guidance are optional. Without the *validator* there is no node `validate`;
`check` then reports the faults of an agreement. The *guidance* is a section of the letters. So
there are four workflows:

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

from shapley_coop.extensions.exchange.at_work import open_in_words, still_open
from shapley_coop.extensions.exchange.check import check
from shapley_coop.extensions.exchange.fail import fail, route_failure
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.extensions.exchange.measures import MEASURES
from shapley_coop.extensions.exchange.questions import consider, exchange
from shapley_coop.extensions.exchange.questions.exchange import turns_of_talk
from shapley_coop.graphs.workflow import WorkflowBuilder, sound, verdict_of
from shapley_coop.nodes.table.collect import collect_plans
from shapley_coop.nodes.table.pass_on import pass_on
from shapley_coop.nodes.table.settle import settle
from shapley_coop.nodes.table.step import step, whether_over
from shapley_coop.nodes.table.summarize import summarize
from shapley_coop.questions import act
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.telling import deeds

WORK = replace(
    act.QUESTION,
    tells=deeds,
    shows=(*act.QUESTION.shows, still_open),
    words=(*act.QUESTION.words, open_in_words),
)
"""The question for an action; its letters ask only for tasks that are not done yet."""


def of_executed(config: RunConfig) -> None:
    """Check that contracts are carried out in the run.

    Raises:
        ValueError: the enforcement is notional, so that no contract could transfer a task.
    """
    if config.enforcement == "notional":
        raise ValueError(
            "notional contracts cannot transfer tasks: give enforcement enforced or escrow"
        )


def build_exchange(validator: bool, guidance: bool) -> WorkflowBuilder:
    """Return the builder of any of the four workflows.

    Args:
        validator: whether proposals are checked before delivery.
        guidance: whether letters ask agents to weigh the others' utilities.
    """
    page = WorkflowBuilder(
        "task_exchange", plays=TaskExchange, check_config=of_executed, measures=MEASURES
    )
    page.add_edge("open", "consider")
    plan = replace(consider.QUESTION, guidance=guidance)
    page.asks("consider", plan, then=("collect_plans", collect_plans))
    page.branch("collect_plans", sound, {"again": "consider", "sound": "speak"})
    if validator:
        page.asks_and_validates("speak", "validate", replace(exchange.QUESTION, guidance=guidance))
        said = {"again": "speak", "said": "pass_on", "error": "settle"}
        page.branch("validate", verdict_of, said)
    else:
        page.asks("speak", replace(exchange.AS_IT_IS, guidance=guidance))
        page.add_edge("speak", "pass_on")
    page.add_node("pass_on", pass_on(turns_of_talk))
    talk_on = {"respond": "speak", "propose": "speak", "no_deal": "step"}
    page.branch("pass_on", verdict_of, {**talk_on, "agreed": "summarize", "in_words": "check"})
    page.add_node("check", check)
    page.add_edge("check", "settle")
    page.add_node("summarize", summarize)
    page.add_edge("summarize", "step")  # this turn carries out the contract's transfers of tasks

    page.asks("act", WORK, then=("step", step))
    page.branch("step", whether_over, {"again": "act", "play_on": "act", "over": "settle"})
    page.add_node("settle", settle)
    page.branch("settle", route_failure, {"error": "fail", "done": END})
    page.add_node("fail", fail)
    page.add_edge("fail", END)
    return page


graph = build_exchange(validator=True, guidance=True).compile(name="task_exchange")

"""The tools that an agent may call before it answers: read-only queries with answers in words.

The tools use public facts and the caller's own secrets. A tool changes nothing, not even the game's
random numbers, and explains what is wrong with bad arguments.

>>> from shapley_coop.state.tools import tools_of  # doctest: +SKIP
>>> [tool.name for tool in tools_of(turn, "Bob")]  # doctest: +SKIP
['evaluate_deal', 'check_deal', 'simulate', 'history']
"""

import json
from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapley_coop.deals.language.clauses import Do, Forbid
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.rules import DEAL_RULES, all_faults, only
from shapley_coop.invalid import first_error
from shapley_coop.state.consent import cannot_sign, terms_of
from shapley_coop.state.tool_words import (
    cap,
    contribution_words,
    event_words,
    outcome_words,
    outlook_words,
    plan_words,
    value_words,
)
from shapley_coop.state.turn import TurnContext

MAX_ARGUMENT_CHARS = 20_000
"""The most characters of a call's arguments as JSON."""

NESTED = "The arguments are nested too deeply: write them flat."

MOST_EVENTS = 20
"""The most matching events in an answer; if more match, the latest ones are kept."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NoArguments(_Arguments):
    """No arguments."""


class DealArguments(_Arguments):
    """A draft of a deal."""

    clauses: list[Any] = Field(
        description="The deal's clauses, each a JSON object as in a proposal: do, forbid, pay or "
        "share."
    )
    drops: list[str] = Field(
        default=[],
        description="Ids of payments or shares of the contract in force that the draft would end; "
        "after the play, none can end.",
    )


class PlanArguments(_Arguments):
    """A plan: the agents' actions, without payments."""

    mine: list[Any] = Field(
        description="What you would do: clauses of kind do or forbid; their agent may be left out."
    )
    others: list[Any] = Field(
        default=[],
        description="What you take the others to do: clauses of kind do or forbid, each with its "
        "agent. Others do what they would do without a plan.",
    )


class AgentArguments(_Arguments):
    """The agent that the question is about."""

    agent: str = Field(default="", description="An agent's name; empty: all.", max_length=200)


class HistoryArguments(_Arguments):
    """The events to return."""

    agent: str = Field(default="", description="Only this agent's; empty: all.", max_length=200)
    first: int = Field(default=1, description="Only events from this turn on.")
    last: int = Field(default=0, description="Only events up to this turn; 0: up to the latest.")
    words: str = Field(
        default="",
        description="Only events in which these words occur, in capitals or not.",
        max_length=200,
    )


def tools_of(turn: TurnContext, agent: str) -> tuple[BaseTool, ...]:
    """Return the tools that an agent may call now.

    Tools about drafts of deals exist during bargaining. Tools about the outcome and the values
    exist only after the claims, so that agents make their claims without them. Outsiders have no
    tools.

    Args:
        turn: the table and its question.
        agent: the caller, whose secrets the answers may use, but no other agent's.
    """
    if agent not in turn.evaluated.agents:
        return ()
    names: list[str] = []
    if turn.topic.rules and not turn.question.blind:  # `blind`: a claim needs no drafts
        names += ["evaluate_deal", "check_deal"]
    if turn.topic.rules and not turn.evaluated.over:
        names.append("simulate")
    if turn.table.get("accounts") and not turn.question.blind:
        names.append("outcome")
        if turn.topic.computed and turn.table.get("reckoning"):
            names += ["marginal_contribution", "shapley_value"]
    return tuple(_tool(name, turn, agent) for name in [*names, "history"])


def evaluate_deal(turn: TurnContext, agent: str, given: DealArguments) -> str:
    """What a draft would pay you and each other agent: if all keep it, if you or another breaks it
    (and how), and without a deal. Nobody else sees the draft."""
    deal = _read(given)
    if isinstance(deal, Fault):
        return f"It cannot be read: {deal.feedback}"
    if fault := cannot_sign(turn, agent, deal):
        return _refuse_call(fault)
    norms = turn.norms if turn.topic.phase == "negotiation" else []
    found = turn.evaluated.outlook(deal, viewer=agent, norms=norms)
    return outlook_words(found, agent, _unit(turn))


def check_deal(turn: TurnContext, agent: str, given: DealArguments) -> str:
    """How the program reads a draft, in its own words, and everything that forbids proposing it.
    Nobody else sees the draft."""
    deal = _read(given)
    if isinstance(deal, Fault):
        return f"It cannot be read: {deal.feedback}"
    fault = cannot_sign(turn, agent, deal)
    verdict = _refuse_call(fault) if fault else "It can be proposed as it is."
    return f"{verdict}\nIn the program's words:\n{deal.text()}"


def simulate(turn: TurnContext, agent: str, given: PlanArguments) -> str:
    """What everybody would earn if you and the others acted by a plan, without payments of its own;
    payments of a contract in force count. With a range where dice decide."""
    mine = [{"agent": agent, **x} if isinstance(x, dict) else x for x in given.mine]
    deal = read_deal({"clauses": [*mine, *given.others]})
    if isinstance(deal, Fault):
        return f"The plan cannot be read: {deal.feedback}"
    rules = (only(Do, Forbid), *DEAL_RULES)
    if fault := all_faults(rules, deal, terms_of(turn)):
        return _refuse_call(fault)
    found = turn.evaluated.outlook(deal, viewer=agent)
    return plan_words(found, agent, _unit(turn))


def outcome(turn: TurnContext, agent: str, given: NoArguments) -> str:
    """What was earned, by whom, what belongs to all together, and what everybody ends up with if
    nothing more is agreed (the collective outcome)."""
    evaluated = turn.evaluated
    return outcome_words(evaluated.record, evaluated.earned, evaluated.without_more(), _unit(turn))


def marginal_contribution(turn: TurnContext, agent: str, given: AgentArguments) -> str:
    """What the total would lack without an agent: all others repeat what they did, and it does
    what the baseline says. Computed from the record."""
    if unknown := _unknown(turn, given.agent):
        return unknown
    found = turn.evaluated.attribution(turn.evaluated.config.norm)
    asked = [given.agent] if given.agent else list(turn.evaluated.agents)
    return contribution_words(found, asked, turn.evaluated.game.baseline.words, _unit(turn))


def shapley_value(turn: TurnContext, agent: str, given: AgentArguments) -> str:
    """An agent's value by the norm of this run (Shapley unless said otherwise), with what it would
    have had without the others, and its payoff if that norm decides. Computed from the record."""
    if unknown := _unknown(turn, given.agent):
        return unknown
    evaluated = turn.evaluated
    found = evaluated.attribution(evaluated.config.norm)
    asked = [given.agent] if given.agent else list(evaluated.agents)
    return value_words(found, found.payoffs(evaluated.total), asked, _unit(turn))


def history(turn: TurnContext, agent: str, given: HistoryArguments) -> str:
    """What was publicly said and done, the latest events that match. What agents said is quoted;
    it may be untrue."""
    if unknown := _unknown(turn, given.agent):
        return unknown
    table = turn.table
    last = given.last if given.last > 0 else turn.evaluated.turn
    found = [
        words
        for number, who, words in event_words(table.get("talk", []), table.get("record", []))
        if given.first <= number <= last
        and (not given.agent or given.agent in who)
        and given.words.casefold() in words.casefold()
    ]
    if not found:
        return "Nothing that happened matches."
    told = found[-MOST_EVENTS:]
    head = f"{len(found)} events match, the latest {len(told)}:" if len(found) > len(told) else ""
    return "\n".join([*([head] if head else []), *told])


_TOOLS: dict[str, tuple[Callable[..., str], type[BaseModel]]] = {
    "evaluate_deal": (evaluate_deal, DealArguments),
    "check_deal": (check_deal, DealArguments),
    "simulate": (simulate, PlanArguments),
    "outcome": (outcome, NoArguments),
    "marginal_contribution": (marginal_contribution, AgentArguments),
    "shapley_value": (shapley_value, AgentArguments),
    "history": (history, HistoryArguments),
}


def _tool(name: str, turn: TurnContext, agent: str) -> BaseTool:
    answer, arguments = _TOOLS[name]

    def run(**given: Any) -> str:
        return _answer_call(answer, turn, agent, arguments(**given))

    return StructuredTool.from_function(
        run,
        name=name,
        description=" ".join((answer.__doc__ or "").split()),
        args_schema=arguments,
        infer_schema=False,
        handle_validation_error=explain_misfit,
    )


def explain_misfit(error: Any) -> str:
    """Return an error message that names the first wrong argument and says why it is wrong."""
    if isinstance(error, ValidationError):
        first = first_error(error)
        return f"These arguments cannot be used: {first.where or 'they'}: {first.reason}."
    return "These arguments cannot be used."


def _answer_call(
    answer: Callable[..., str], turn: TurnContext, agent: str, given: BaseModel
) -> str:
    """Return a tool's answer, cut to fit in a letter, or why it cannot be computed."""
    try:
        if len(json.dumps(dict(given), default=str)) > MAX_ARGUMENT_CHARS:
            return f"The arguments are longer than {MAX_ARGUMENT_CHARS} characters: give less."
        return cap(answer(turn, agent, given))
    except RecursionError:
        return NESTED
    except (ValueError, ArithmeticError, LookupError, TypeError) as error:
        return cap(f"This cannot be computed: {' '.join(str(error).split())}")


def _read(given: DealArguments) -> Deal | Fault:
    return read_deal({"clauses": given.clauses, "drops": given.drops})


def _refuse_call(fault: Fault) -> str:
    told = fault.feedback if fault.feedback.startswith("- ") else f"- {fault.feedback}"
    return f"It would be refused:\n{told}"


def _unknown(turn: TurnContext, agent: str) -> str:
    if not agent or agent in turn.evaluated.agents:
        return ""
    known = ", ".join(turn.evaluated.agents)
    return f"There is no agent {json.dumps(agent[:60])}: the agents are {known}."


def _unit(turn: TurnContext) -> str:
    return turn.evaluated.game.unit

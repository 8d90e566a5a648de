"""Ask: render the letter, ask the seat, keep what it answered."""

from collections.abc import Awaitable, Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.amounts import plain
from shapley_coop.credit import norm_payoffs_fn
from shapley_coop.deals import Deal, payments, payoffs
from shapley_coop.games import Game
from shapley_coop.prompts import fenced, fenced_lines, render
from shapley_coop.seats import Letter
from shapley_coop.state import (
    AgentTurnState,
    PrivateView,
    Table,
    TurnContext,
    TurnState,
    ask_seats,
    config_of,
    game_of,
    history,
    home,
    see,
)
from shapley_coop.state.storage.secrets import secrets_of

Node = Callable[[TurnState, Runtime[TurnContext]], Awaitable[dict[str, Any]]]

Writer = Callable[[TurnContext, str, str, PrivateView], Letter]
"""Puts what an agent sees into words: (moment, agent, act, private) → letter."""

_OWN = "the facts that follow."


def ask(role: str, writer: Writer | None = None) -> Node:
    """A node that asks every agent whose mind has nothing sound yet.

    Args:
        role: what they are asked for: reason, propose, answer or act. The topic says which
            letter asks for a proposal and for an answer.
        writer: writes the letters; `write` unless a workflow has letters of its own.
    """

    async def ask_all(minds: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
        proposing, answering = runtime.context.topic.letters
        act = {"propose": proposing, "answer": answering}.get(role, role)
        thought = await ask_seats(runtime.context, act, minds["minds"], privately(writer or write))
        return {"minds": thought}

    return ask_all


def privately(writer: Writer) -> Callable[[TurnContext, str, str, AgentTurnState | None], Letter]:
    """A writer of letters who is handed what its agent alone may know."""

    def prepare(moment: TurnContext, agent: str, act: str, mind: AgentTurnState | None) -> Letter:
        thought = _thoughts(moment).get(agent, "")
        secret = secrets_of(config_of(moment.table["settings"]).secrets).get(agent, "")
        return writer(moment, agent, act, PrivateView(mind, thought, secret))

    return prepare


@lru_cache(maxsize=8)
def _thoughts(moment: TurnContext) -> dict[str, str]:
    """What those who are asked now reasoned before: private, so it waits in the journal."""
    table = moment.table
    kept = {a: at for a, at in table.get("thoughts", {}).items() if a in moment.asked}
    opened = home().journal.open_all(table["episode"], kept)
    return {agent: entry.answer.text for agent, entry in opened.items()}


def write(moment: TurnContext, agent: str, act: str, private: PrivateView) -> Letter:
    """Put what an agent sees into words: static text first, what grows next, the moment last."""
    facts = see(moment, agent, act)
    if act == "answer_split":
        facts["offer"] = {**facts["offer"], "payoffs": _what_it_means(moment.table)}
    if private.reasoning:
        facts["reasoning"] = private.reasoning
    if fault := (private.mind["fault"] if private.mind else None):
        facts["fault"] = fault
    last_round = "rounds" in facts and facts["round"] >= facts["rounds"]
    request = render(
        act,
        priced=bool(private.reasoning),
        last_round=last_round,
        contract=facts.get("contract"),
        computed=facts.get("computed"),
        direction=_direction(facts),
    )
    game = game_of(moment.table["settings"])
    own = game.private(agent)
    # A fence has to begin its line.
    parts = (private.secret, *((_OWN, fenced(own)) if own else ()))
    told = "\n\n".join(part for part in parts if part)
    user = render(
        "letter",
        persona=render("persona", you=agent, private=told),
        history=_history(moment),
        ask=request.strip(),
        fault=fault,
        facts=fenced(facts),
    )
    known = {**game.facts(), **(own or {}), **facts, "history": history(moment.table)}
    return Letter(rules(game, config_of(moment.table["settings"]).instructions), user, known)


@lru_cache(maxsize=256)
def rules(game: Game, instructions: str) -> str:
    """What is the same for everybody, always: put into words once."""
    return render(
        "table", rules=game.rules(), facts=fenced(game.facts()), instructions=instructions
    )


@lru_cache(maxsize=8)
def _history(moment: TurnContext) -> str:
    """What is the same for all who are asked now: put into words once, not once for each."""
    return fenced_lines(history(moment.table))


def _what_it_means(table: Table) -> dict[str, str]:
    """Who would end up with what under the redistribution that stands."""
    offer, record = table["offer"], table["record"]
    assert offer is not None, "an answer is asked only to an offer"
    game = game_of(table["settings"])
    norms = norm_payoffs_fn(game.agents, partial(game.worth, record), game.batch_worth(record))
    deal = Deal.model_validate(offer["deal"])
    due = payoffs(record, game.agents, deal.share, payments(deal, record), norms)
    return {agent: plain(x) for agent, x in due.items()}


def _direction(facts: dict[str, Any]) -> str:
    """The paper's "I need to {ask|pay} reward": the value against what was signed."""
    computed = facts.get("computed")
    if not computed:
        return ""
    gap = Fraction(computed["payoffs"][facts["you"]]) - Fraction(facts["as_signed"][facts["you"]])
    if not gap:
        return "neither ask for more nor pay"
    return f"{'ask for' if gap > 0 else 'pay'} {float(abs(gap)):g}"

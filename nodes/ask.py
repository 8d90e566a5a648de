"""Ask: render the letter, ask the seat, keep what it answered."""

import asyncio
from collections.abc import Awaitable, Callable
from fractions import Fraction
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from credit import by_norm
from deals import Deal, payments, payoffs, plain
from prompts import fenced, fenced_lines, render
from seats import Journal, Letter, Question
from seats import ask as ask_seat
from state import (
    Mind,
    Minds,
    Moment,
    Private,
    Table,
    game_of,
    home,
    new_spent,
    pending,
    room_of,
    see,
)
from state.secrets import secrets_of

Node = Callable[[Minds, Runtime[Moment]], Awaitable[dict[str, Any]]]


Writer = Callable[[Moment, str, str, Private], Letter]
"""Puts what an agent sees into words: (moment, agent, act, private) → letter."""


def ask(role: str, writer: Writer | None = None) -> Node:
    """A node that asks every agent whose mind has nothing sound yet.

    Args:
        role: what they are asked for: reason, propose, answer or act. The topic says which
            letter asks for a proposal and for an answer.
        writer: writes the letters; `write` unless a workflow has letters of its own.
    """

    async def ask_all(minds: Minds, runtime: Runtime[Moment]) -> dict[str, Any]:
        moment = runtime.context
        who = pending(minds["minds"], moment.asked)
        askings = [_ask_one(moment, role, a, minds["minds"].get(a), writer or write) for a in who]
        # Let everybody finish: what is answered is kept, and a resume asks only the others.
        thought = await asyncio.gather(*askings, return_exceptions=True)
        for failed in thought:
            if isinstance(failed, BaseException):
                raise failed
        return {"minds": dict(zip(who, thought, strict=True))}

    return ask_all


async def _ask_one(
    moment: Moment, role: str, agent: str, mind: Mind | None, writer: Writer
) -> Mind:
    table = moment.table
    room = room_of(table["settings"])
    proposing, answering = moment.topic.letters
    act = {"propose": proposing, "answer": answering}.get(role, role)
    # Files and databases are read for a letter, which must not hold up the event loop.
    journal, letter = await asyncio.to_thread(_prepare, moment, agent, act, mind, writer)
    attempt = mind["attempt"] + 1 if mind else 1
    question = Question(
        episode=table["episode"],
        agent=agent,
        act=act,
        letter=letter,
        attempt=attempt,
        why=mind["fault"]["label"] if mind and mind["fault"] else "",
        trace=_trace(moment, agent, act),
    )
    entry, _ = await ask_seat(room.seats[agent], room.seed, question, journal)
    answer = entry.answer
    cost = new_spent(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
    before = mind["spent"] if mind else {}
    return {
        "draft": answer.text,
        "cut": answer.cut,
        "pointer": entry.pointer(),
        "attempt": attempt,
        "fault": mind["fault"] if mind else None,
        "spent": {**before, **{key: before.get(key, 0) + n for key, n in cost.items()}},
    }


def _prepare(
    moment: Moment, agent: str, act: str, mind: Mind | None, writer: Writer
) -> tuple[Journal, Letter]:
    journal, table = home().journal, moment.table
    pointer = table.get("thoughts", {}).get(agent)
    # Reasoning is private, so it waits in the journal.
    thought = journal.open(table["episode"], agent, pointer).answer.text if pointer else ""
    secret = secrets_of(room_of(table["settings"]).secrets).get(agent, "")
    return journal, writer(moment, agent, act, Private(mind, thought, secret))


def write(moment: Moment, agent: str, act: str, private: Private) -> Letter:
    """Put what an agent sees into words: static text first, what grows next, the moment last."""
    sight = see(moment, agent, act)
    facts = dict(sight.facts)
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
    own = game_of(moment.table["settings"]).private(agent)
    told = "\n\n".join(part for part in (private.secret, fenced(own) if own else "") if part)
    user = render(
        "letter",
        persona=render("persona", you=agent, private=told),
        history=fenced_lines(sight.history),
        ask=request.strip(),
        fault=fault,
        facts=fenced(facts),
    )
    system = render("table", rules=sight.rules, facts=fenced(sight.game))
    return Letter(system=system, user=user)


def _what_it_means(table: Table) -> dict[str, str]:
    """Who would end up with what under the redistribution that stands."""
    offer, record = table["offer"], table["record"]
    assert offer is not None, "an answer is asked only to an offer"
    game = game_of(table["settings"])
    norms = by_norm(game.agents, partial(game.worth, record), game.batch_worth(record))
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


def _trace(moment: Moment, agent: str, act: str) -> RunnableConfig:
    table = moment.table
    seat = room_of(table["settings"]).seats[agent]
    return {
        "run_name": f"{agent}.{act}.r{table['round']}",
        "tags": [act, *(["simulated"] if seat.simulated else [])],
        "metadata": {
            "agent": agent,
            "act": act,
            "round": table["round"],
            "phase": moment.topic.phase,
            "episode": table["episode"],
            "model": seat.model,
            "simulated": seat.simulated,
        },
    }

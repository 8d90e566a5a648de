"""Ask a trader: render its letter, ask its seat, keep what it answered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from prompts import fenced, fenced_lines, render
from seats import Letter, Question
from seats import ask as ask_seat
from state import Mind, Minds, Moment, Sight, home, new_spent, pending, room_of
from state.exchange import exchange_of, look
from state.secrets import secrets_of

UTILITIES = "what each set of tasks is worth to you, by mask."

Node = Callable[[Minds, Runtime[Moment]], Awaitable[dict[str, Any]]]


def ask_traders(act: str, guidance: bool) -> Node:
    """A node that asks every trader whose mind has nothing sound yet.

    Args:
        act: `consider` for the private turn, `exchange` for a turn of talk.
        guidance: whether the letter has the section that asks to weigh the others' utilities.
    """

    async def ask_all(minds: Minds, runtime: Runtime[Moment]) -> dict[str, Any]:
        moment = runtime.context
        who = pending(minds["minds"], moment.asked)
        askings = [_ask_one(moment, act, a, minds["minds"].get(a), guidance) for a in who]
        # Let everybody finish: what is answered is kept, and a resume asks only the others.
        thought = await asyncio.gather(*askings, return_exceptions=True)
        for failed in thought:
            if isinstance(failed, BaseException):
                raise failed
        return {"minds": dict(zip(who, thought, strict=True))}

    return ask_all


async def _ask_one(moment: Moment, act: str, agent: str, mind: Mind | None, guidance: bool) -> Mind:
    table = moment.table
    room = room_of(table["settings"])
    # The first use opens a database, which must not hold up the event loop.
    journal = await asyncio.to_thread(lambda: home().journal)
    attempt = mind["attempt"] + 1 if mind else 1
    letter = await asyncio.to_thread(_letter, moment, act, agent, mind, guidance)
    question = Question(
        episode=table["episode"],
        agent=agent,
        act=act,
        letter=letter,
        attempt=attempt,
        why=mind["fault"]["feedback"] if mind and mind["fault"] else "",
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


def _letter(moment: Moment, act: str, agent: str, mind: Mind | None, guidance: bool) -> Letter:
    """What the agent sees, with what only it is told: static text first, the moment last."""
    table = moment.table
    sight = look(moment, agent, act)
    told = secrets_of(room_of(table["settings"]).secrets).get(agent)
    own = fenced(exchange_of(table).private(agent))
    private = "\n\n".join([*([told] if told else []), UTILITIES, own])
    return write(sight, mind, _recall(moment, agent), private, guidance)


def write(sight: Sight, mind: Mind | None, plan: str, private: str, guidance: bool) -> Letter:
    """Put what a trader sees into words."""
    facts = dict(sight.facts)
    if guidance:
        facts["guidance"] = True
    if plan:
        facts["reasoning"] = plan
    if fault := (mind["fault"] if mind else None):
        facts["fault"] = fault
    request = render(
        facts["ask"],
        turn=facts["turn"],
        turns=facts["turns"],
        pending=facts.get("pending"),
        guidance=guidance,
    )
    user = render(
        "letter",
        persona=render("persona", you=facts["you"], private=private),
        history=fenced_lines(sight.history),
        ask=request.strip(),
        fault=fault,
        facts=fenced(facts),
    )
    system = render(
        "exchange_table",
        rules=sight.rules,
        agents=sight.game["agents"],
        facts=fenced(sight.game),
        guidance=guidance,
    )
    return Letter(system=system, user=user)


def _recall(moment: Moment, agent: str) -> str:
    """The agent's plan of the first turn: private, so it waits in the journal."""
    pointer = moment.table.get("thoughts", {}).get(agent)
    if pointer is None:
        return ""
    return home().journal.open(moment.table["episode"], agent, pointer).answer.text


def _trace(moment: Moment, agent: str, act: str) -> RunnableConfig:
    table = moment.table
    seat = room_of(table["settings"]).seats[agent]
    return {
        "run_name": f"{agent}.{act}.t{table['round']}",
        "tags": [act, *(["simulated"] if seat.simulated else [])],
        "metadata": {
            "agent": agent,
            "act": act,
            "turn": table["round"],
            "phase": moment.topic.phase,
            "episode": table["episode"],
            "model": seat.model,
            "simulated": seat.simulated,
        },
    }

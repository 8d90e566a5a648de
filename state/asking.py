"""Asking seats: everybody whose turn it is, side by side, within the budget, once per letter."""

import asyncio
from collections.abc import Callable

from langchain_core.runnables import RunnableConfig

from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.seats import Letter, Question, Seat
from shapley_coop.seats import ask as ask_seat
from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import EMBEDDED
from shapley_coop.state.budget import SPENT_UP, Budget, BudgetTracker
from shapley_coop.state.run_config import OUTSIDERS, RunConfig, config_of, name_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.table import Table
from shapley_coop.state.turn import AgentTurnState, TurnContext, new_spent, pending

IMPARTIAL = Seat(model=f"{EMBEDDED}:impartial")
"""Who writes contracts down and judges them where the room gives nobody."""

CHARS_PER_TOKEN = 4
"""Roughly, to foresee what a letter costs."""

Writer = Callable[[TurnContext, str, str, AgentTurnState | None], Letter]
"""Writes what an agent is shown: (moment, agent, act, its mind so far) → letter."""


async def ask_seats(
    moment: TurnContext, act: str, minds: dict[str, AgentTurnState], write: Writer
) -> dict[str, AgentTurnState]:
    """Ask everybody whose mind has nothing sound yet.

    Everybody finishes before a failure is raised: what is answered is kept, and a resume asks
    only the others. To warm a provider's cache the first is asked before the others. Whoever the
    budget has nothing left for passes with a label.

    Args:
        moment: what is shown, and who is asked.
        act: what for.
        minds: what they have thought so far.
        write: writes the letters; it may read files and databases.

    Raises:
        SeatError: a seat did not answer.
    """
    who = pending(minds, moment.asked)
    # Files and databases are read for a letter, which must not hold up the event loop: one hop to
    # a thread for all, as a hop costs more than a letter.
    journal, asked = await asyncio.to_thread(_asked, moment, act, minds, who, write)
    admitted = _admitted(moment, minds, {agent: question for agent, (question, _) in asked.items()})

    async def hear(agents: list[str]) -> list[AgentTurnState | BaseException]:
        askings = (_ask(moment, minds.get(agent), *asked[agent], journal) for agent in agents)
        return await asyncio.gather(*askings, return_exceptions=True)

    first = 1 if config_of(moment.table["settings"]).warm_cache else 0
    thought = [*await hear(admitted[:first]), *await hear(admitted[first:])]
    found: dict[str, AgentTurnState] = {}
    for agent, one in zip(admitted, thought, strict=True):
        if isinstance(one, BaseException):
            raise one
        found[agent] = one
    return {agent: found.get(agent) or _broke(minds.get(agent)) for agent in who}


def broke(table: Table) -> bool:
    """Whether the run's budget is used up, so that nobody is asked any more."""
    return BudgetTracker(config_of(table["settings"]).budget, table["spent"]).empty


def seat_of(room: RunConfig, who: str) -> Seat:
    """Who answers for an agent, or for somebody who is no party."""
    return room.seats.get(who, IMPARTIAL)


def _asked(
    moment: TurnContext, act: str, minds: dict[str, AgentTurnState], who: list[str], write: Writer
) -> tuple[Journal, dict[str, tuple[Question, Entry | None]]]:
    """What each is asked, and what the journal has in answer to it already."""
    room, journal = config_of(moment.table["settings"]), home().journal
    questions = [_question(moment, room, act, agent, minds.get(agent), write) for agent in who]
    letters = [(q.agent, q.name, q.attempt) for q in questions]
    known = journal.found(moment.table["episode"], letters)
    return journal, {q.agent: (q, entry) for q, entry in zip(questions, known, strict=True)}


def _question(
    moment: TurnContext,
    room: RunConfig,
    act: str,
    agent: str,
    mind: AgentTurnState | None,
    write: Writer,
) -> Question:
    return Question(
        episode=moment.table["episode"],
        agent=agent,
        act=act,
        letter=write(moment, agent, act, mind),
        attempt=mind["attempt"] + 1 if mind else 1,
        why=mind["fault"]["label"] if mind and mind["fault"] else "",
        deadline=room.deadline,
        trace=_trace(moment, room, agent, act),
    )


def _admitted(
    moment: TurnContext, minds: dict[str, AgentTurnState], questions: dict[str, Question]
) -> list[str]:
    """Those for whom something is left, in the order in which they are asked."""
    room = config_of(moment.table["settings"])
    if room.budget == Budget():
        return list(questions)
    thinking = {agent: mind["spent"] for agent, mind in minds.items()}
    seconds = max((mind["seconds"] for mind in minds.values()), default=0)
    purse = BudgetTracker(room.budget, moment.table["spent"], thinking, seconds)
    # Who is asked apart cannot see what is spent here: each leaves the other what it can need.
    for agent in moment.table.get("beside", []):
        purse.reserve(agent, 0, 1 if seat_of(room, agent).human else room.tries)
    admitted = []
    for agent, question in questions.items():
        if purse.admits(agent):
            admitted.append(agent)
            length = len(question.text) // CHARS_PER_TOKEN
            purse.reserve(agent, length + (seat_of(room, agent).max_tokens or 0))
    return admitted


async def _ask(
    moment: TurnContext,
    mind: AgentTurnState | None,
    question: Question,
    entry: Entry | None,
    journal: Journal,
) -> AgentTurnState:
    if entry is None:
        room = config_of(moment.table["settings"])
        seat = seat_of(room, question.agent)
        entry, _ = await ask_seat(seat, room.seed, question, journal, look_up=False)
    answer = entry.answer
    cost = new_spent(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
    before = mind["spent"] if mind else {}
    return {
        "draft": answer.text,
        "cut": answer.cut,
        "pointer": entry.pointer(),
        "attempt": question.attempt,
        "fault": mind["fault"] if mind else None,
        "spent": {**before, **{key: before.get(key, 0) + n for key, n in cost.items()}},
        "seconds": (mind["seconds"] if mind else 0) + answer.seconds,
    }


def _broke(mind: AgentTurnState | None) -> AgentTurnState:
    """A mind that cannot be asked any more: it passes, and says why."""
    idle: AgentTurnState = {
        "draft": "",
        "cut": False,
        "attempt": 0,
        "fault": None,
        "spent": {},
        "seconds": 0,
    }
    return {**(mind or idle), "spoken": {"act": "pass", "text": "", "label": SPENT_UP}}


def _trace(moment: TurnContext, room: RunConfig, agent: str, act: str) -> RunnableConfig:
    """How a call is named and found in a trace."""
    table, seat = moment.table, seat_of(room, agent)
    return {
        "run_name": f"{agent}.{act}.r{table['round']}",
        "tags": [act, *(["simulated"] if seat.simulated else [])],
        "metadata": {
            "game": name_of(room),
            "seed": room.seed,
            "protocol": PROTOCOL,
            "agent": agent,
            "role": agent if agent in OUTSIDERS else "party",
            "act": act,
            "round": table["round"],
            "turn": len(table.get("record", [])) + 1,
            "phase": moment.topic.phase,
            "episode": table["episode"],
            "model": seat.model,
            "simulated": seat.simulated,
        },
    }

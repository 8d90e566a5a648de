"""Asking seats: all agents whose turn it is, in parallel, within the budget, once per letter."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from langchain_core.runnables import RunnableConfig

from shapley_coop.deals import Fault
from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.seats import Letter, Question, Seat
from shapley_coop.seats import ask as ask_seat
from shapley_coop.seats.records import Answer, Entry, Mail
from shapley_coop.seats.seat import EMBEDDED
from shapley_coop.state.budget import Budget, BudgetTracker
from shapley_coop.state.private import PrivateView, private_views
from shapley_coop.state.run_config import OUTSIDERS, RunConfig, name_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.turn import TurnContext, judge

IMPARTIAL = Seat(model=f"{EMBEDDED}:impartial")
"""The seat of the summariser and the judge where the run's configuration names none."""

CHARS_PER_TOKEN = 4
"""A rule of thumb, to foresee what a letter costs."""

Writer = Callable[[TurnContext, str, PrivateView], Letter]
"""Writes an agent's letter: (turn, agent, what it alone is shown) → letter."""


@dataclass(frozen=True)
class Reply:
    """What came of asking one agent.

    Attributes:
        attempt: the number of this answer, from 1; 0 if the agent was not asked.
        entry: the letter and its answer; None if the budget had nothing left for the agent.
    """

    attempt: int
    entry: Entry | None


@dataclass(frozen=True)
class _Open:
    """A letter that is to be sent, and the answer that the journal has to it already."""

    question: Question
    entry: Entry | None


async def ask_seats(turn: TurnContext, write: Writer) -> dict[str, Reply]:
    """Ask every agent that has not answered yet.

    All finish before a failure is raised: what is answered is kept, and a resume asks only the
    others. To warm a provider's cache the first is asked before the others.

    Args:
        turn: who is asked for what.
        write: writes the letters.

    Raises:
        SeatError: a seat did not answer.
    """
    # Files and databases are read for a letter, which must not hold up the event loop: one hop to
    # a thread for all, as a hop costs more than a letter.
    journal, asked = await asyncio.to_thread(prepare, turn, write)
    admitted = _admitted(turn, {agent: one.question for agent, one in asked.items()})

    async def hear(agents: list[str]) -> list[Entry | BaseException]:
        askings = (_ask(turn, asked[agent], journal) for agent in agents)
        return await asyncio.gather(*askings, return_exceptions=True)

    first = 1 if turn.evaluated.config.warm_cache else 0
    heard = [*await hear(admitted[:first]), *await hear(admitted[first:])]
    found: dict[str, Reply] = dict.fromkeys(turn.asked, Reply(0, None))
    for agent, one in zip(admitted, heard, strict=True):
        if isinstance(one, BaseException):
            raise one
        found[agent] = Reply(asked[agent].question.attempt, one)
    return found


def prepare(turn: TurnContext, write: Writer) -> tuple[Journal, dict[str, _Open]]:
    """The letter that each agent is to be sent now, and what the journal has in answer to it."""
    journal, episode = home().journal, turn.table["episode"]
    drafts = {agent: draft for agent in turn.asked if (draft := turn.draft(agent))}
    pointers = {agent: d["pointer"] for agent, d in drafts.items() if "pointer" in d}
    refused = journal.open_all(episode, pointers)
    faults = {agent: _fault(turn, agent, entry.answer) for agent, entry in refused.items()}
    views = private_views(turn, faults)
    questions = {}
    for agent in turn.asked:
        attempt = drafts[agent]["attempt"] + 1 if agent in drafts else 1
        questions[agent] = _question(turn, agent, write(turn, agent, views[agent]), attempt, faults)
    names = [(q.agent, q.name, q.attempt) for q in questions.values()]
    entries = journal.found(episode, names)
    opened = {a: _Open(q, e) for (a, q), e in zip(questions.items(), entries, strict=True)}
    for agent, one in opened.items():
        if turn.is_person(agent):
            opened[agent] = _after_refusals(turn, one, views[agent], write, journal)
    return journal, opened


def refuse(turn: TurnContext, agent: str, answer: Answer, write: Writer) -> Fault | None:
    """Check a person's reply before the run is resumed with it.

    A refused reply is kept in the journal, and the same letter, with the reason, waits at the
    person's seat at once; the run goes on waiting for the same answer. Where the budget has no call
    left for another reply, the run takes this one, and its node counts them all.

    Args:
        turn: who is asked for what.
        agent: who replies.
        answer: its reply.
        write: writes the letters.

    Returns:
        Why it is refused; None if it is sound and nothing was done.
    """
    journal, asked = prepare(turn, write)
    question = asked[agent].question
    if judge(turn, agent, question.attempt, answer, None).output is not None:
        return None
    before = turn.draft(agent)
    tracker = BudgetTracker(turn.evaluated.config.budget, turn.table["spent"])
    tracker.reserve(agent, 0, question.attempt - (before["attempt"] if before else 0))
    if not tracker.admits(agent):
        return None
    fault = _fault(turn, agent, answer)
    episode, seat = question.episode, seat_of(turn.evaluated.config, agent)
    journal.write(episode, question.entry(seat.model, answer))
    view = private_views(turn, {agent: fault})[agent]
    again = _question(turn, agent, write(turn, agent, view), question.attempt + 1, {agent: fault})
    journal.deliver(episode, _mail(agent, again))
    return fault


def _mail(agent: str, asked: Question) -> Mail:
    facts = asked.letter.facts
    return Mail(agent, asked.act, asked.name, asked.text, asked.attempt, facts=facts)


def seat_of(config: RunConfig, who: str) -> Seat:
    """The seat of an agent or of an outsider."""
    return config.seats.get(who, IMPARTIAL)


def _fault(turn: TurnContext, agent: str, answer: Answer) -> Fault:
    found = turn.asking.check(turn, agent, answer)
    assert isinstance(found, Fault), "checking the same answer again finds the same fault"
    return found


def _after_refusals(
    turn: TurnContext, one: _Open, view: PrivateView, write: Writer, journal: Journal
) -> _Open:
    """A person's latest letter: replies that were refused before the run went on are passed by."""
    agent, episode = one.question.agent, one.question.episode
    while one.entry is not None:
        answer, attempt = one.entry.answer, one.question.attempt
        if judge(turn, agent, attempt, answer, None).output is not None:
            break
        fault = _fault(turn, agent, answer)
        told = replace(view, fault=fault)
        again = _question(turn, agent, write(turn, agent, told), attempt + 1, {agent: fault})
        one = _Open(again, journal.find(episode, agent, again.name, again.attempt))
    return one


def _question(
    turn: TurnContext, agent: str, letter: Letter, attempt: int, faults: Mapping[str, Fault]
) -> Question:
    return Question(
        episode=turn.table["episode"],
        agent=agent,
        act=turn.asking.act,
        letter=letter,
        attempt=attempt,
        why=faults[agent].label if agent in faults else "",
        deadline=turn.evaluated.config.deadline,
        trace=_trace(turn, agent),
    )


def _admitted(turn: TurnContext, questions: Mapping[str, Question]) -> list[str]:
    """The agents for whom the budget has something left, in the order in which they are asked."""
    config = turn.evaluated.config
    if config.budget == Budget():
        return list(questions)
    tracker = BudgetTracker(config.budget, turn.table["spent"])
    # Parallel tasks cannot see each other's spending; reserve each one's worst case.
    for agent in turn.table.get("concurrent_agents", []):
        tracker.reserve(agent, 0, 1 if seat_of(config, agent).human else config.tries)
    admitted = []
    for agent, question in questions.items():
        if tracker.admits(agent):
            admitted.append(agent)
            length = len(question.text) // CHARS_PER_TOKEN
            tracker.reserve(agent, length + (seat_of(config, agent).max_tokens or 0))
    return admitted


async def _ask(turn: TurnContext, one: _Open, journal: Journal) -> Entry:
    if one.entry is not None:
        return one.entry
    config = turn.evaluated.config
    seat = seat_of(config, one.question.agent)
    entry, _ = await ask_seat(seat, config.seed, one.question, journal, look_up=False)
    return entry


def _trace(turn: TurnContext, agent: str) -> RunnableConfig:
    """How a call is named and found in a trace."""
    table, config, act = turn.table, turn.evaluated.config, turn.asking.act
    seat = seat_of(config, agent)
    return {
        "run_name": f"{agent}.{act}.r{table['round']}",
        "tags": [act, *(["simulated"] if seat.simulated else [])],
        "metadata": {
            "game": name_of(config),
            "seed": config.seed,
            "protocol": PROTOCOL,
            "agent": agent,
            "role": agent if agent in OUTSIDERS else "party",
            "act": act,
            "round": table["round"],
            "turn": turn.evaluated.turn,
            "phase": turn.topic.phase,
            "episode": table["episode"],
            "model": seat.model,
            "simulated": seat.simulated,
        },
    }

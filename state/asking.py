"""The asking of seats in parallel, within the budget, and only once for each letter."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from langchain_core.runnables import RunnableConfig

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import PROTOCOL
from shapley_coop.games import Game
from shapley_coop.games.gives import legal_in
from shapley_coop.seats.answer import Action
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.records import Answer, Entry, JournalKey, Mail
from shapley_coop.seats.steps import Heard, converse
from shapley_coop.state.budget import UNLIMITED, BudgetTracker, Left, left_for
from shapley_coop.state.judging import judge, read_answer
from shapley_coop.state.letters import write_letter
from shapley_coop.state.outsiders import seat_of
from shapley_coop.state.private import PrivateView, Refusal, private_views, public_choices
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.settings import name_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.tool_runs import tools_for
from shapley_coop.state.traces import label_root
from shapley_coop.state.turn import TurnContext

CHARS_PER_TOKEN = 4
"""An estimate of the characters in one token, to estimate the tokens of a letter."""

TOOL_CALLS = 8
"""The most tool calls of a model for each letter."""


@dataclass(frozen=True)
class Reply:
    """The result of asking one agent one question.

    Attributes:
        attempt: the number of this attempt to answer, from 1; 0 if the agent was not asked.
        entry: the letter and its answer; None if the budget had no call left for the agent.
        steps: the model calls before the answer, in which the model called tools.
        sent: False if no letter was sent, because the program took the agent's only legal action.
    """

    attempt: int
    entry: Entry | None
    steps: tuple[Entry, ...] = ()
    sent: bool = True


@dataclass(frozen=True)
class _Open:
    """A letter, the journal's entry if it is answered already, and the answer `forced` on an agent
    with one legal action, which gets no letter."""

    question: Enquiry
    entry: Entry | None
    forced: str = ""


ONLY_ONE = "No letter was sent, as there was one legal action. The program took it:"
"""The words with which the journal records an action that the program took for an agent."""


async def ask_seats(turn: TurnContext) -> dict[str, Reply]:
    """Ask every agent that has not answered yet, and return their replies.

    If a call fails, the other calls finish before the error is raised. Their answers are stored, so
    a resumed run repeats only failed calls. With `warm_cache`, one agent is asked first.

    Args:
        turn: the question and the asked agents.

    Raises:
        SeatError: a seat did not answer.
        ValueError: several people are asked in one task, so their replies could be mixed up.
    """
    if len(people := [agent for agent in turn.asked if turn.is_person(agent)]) > 1:
        raise ValueError(
            f"{turn.question.name} asks {', '.join(people)} in one task, but each person needs one "
            "alone: lead to the node that asks from a node that asks nobody"
        )
    label_root(turn.table)
    journal, asked = await asyncio.to_thread(next_letters, turn)
    sent = {agent: one.question for agent, one in asked.items() if not one.forced}
    within = _within_budget(turn, sent)
    admitted = [agent for agent in asked if agent in within or agent not in sent]
    budgets = left_for(turn.evaluated.config.budget, turn.table, admitted)
    steps = _steps(turn, admitted) if any(asked[a].question.tools for a in admitted) else {}

    async def hear(agents: list[str]) -> list[Heard | BaseException]:
        limits = [(steps.get(agent, 0), budgets.get(agent, {})) for agent in agents]
        askings = [_ask(turn, asked[a], journal, *x) for a, x in zip(agents, limits, strict=True)]
        return await asyncio.gather(*askings, return_exceptions=True)

    first = 1 if turn.evaluated.config.warm_cache else 0
    heard = [*await hear(admitted[:first]), *await hear(admitted[first:])]
    found: dict[str, Reply] = dict.fromkeys(turn.asked, Reply(0, None))
    for agent, one in zip(admitted, heard, strict=True):
        if isinstance(one, BaseException):
            raise one
        attempt = asked[agent].question.attempt
        found[agent] = Reply(attempt, one.entry, one.steps, sent=agent in sent)
    return found


def next_letters(turn: TurnContext) -> tuple[Journal, dict[str, _Open]]:
    """Return the journal, and each agent's next letter, with its answer if the journal has it."""
    journal, episode = home().journal, turn.table["episode"]
    drafts = {agent: draft for agent in turn.asked if (draft := turn.draft(agent))}
    pointers = {agent: d["pointer"] for agent, d in drafts.items() if "pointer" in d}
    refused = journal.open_all(episode, pointers)
    refusals = {
        agent: _refusal(turn, agent, entry.answer, drafts[agent]["attempt"])
        for agent, entry in refused.items()
    }
    views = private_views(turn, refusals)
    questions = {}
    for agent in turn.asked:
        attempt = drafts[agent]["attempt"] + 1 if agent in drafts else 1
        questions[agent] = _question(turn, agent, views[agent], attempt)
    names = [
        JournalKey(q.agent, q.name, q.attempt, seat_of(turn, agent).model)
        for agent, q in questions.items()
    ]
    entries = journal.found(episode, names)
    opened = {
        a: _Open(q, e, _forced(turn, q))
        for (a, q), e in zip(questions.items(), entries, strict=True)
    }
    for agent, one in opened.items():
        if turn.is_person(agent):
            opened[agent] = _after_refusals(turn, one, views[agent], journal)
    return journal, opened


def _forced(turn: TurnContext, asked: Enquiry) -> str:
    """Return the answer of an agent with one legal action; "" if its letter must be sent.

    An agent is asked nevertheless if it writes the action's text, or if its answer was refused.
    """
    legal = legal_in(asked.letter.facts)
    acts = issubclass(turn.question.answer, Action) and asked.attempt == 1 and not asked.carries
    return f"{ONLY_ONE} <ACTION>{legal[0]}</ACTION>" if acts and len(legal) == 1 else ""


def check_reply(turn: TurnContext, agent: str, answer: Answer) -> Fault | None:
    """Check a person's reply before the reply resumes the run.

    The journal keeps a refused reply. The person gets the letter again with the reason, and the
    run keeps waiting. If the budget has no call left for another reply, return None: the run
    resumes, and the node that asked judges the reply.

    Args:
        turn: the question and the asked agents.
        agent: the person's agent.
        answer: the reply.

    Returns:
        The fault of a refused reply; None if the run can resume with the reply.
    """
    journal, asked = next_letters(turn)
    question = asked[agent].question
    if judge(turn, agent, question.attempt, answer, None).output is not None:
        return None
    before = turn.draft(agent)
    tracker = BudgetTracker(turn.evaluated.config.budget, turn.table["spent"])
    tracker.reserve(agent, 0, question.attempt - (before["attempt"] if before else 0))
    if not tracker.admits(agent):
        return None
    refusal = _refusal(turn, agent, answer, question.attempt)
    if asked[agent].entry is not None:  # another process has got an answer to the letter meanwhile
        return refusal.fault
    episode, seat = question.episode, seat_of(turn, agent)
    journal.write(episode, question.entry(seat.model, answer))
    view = private_views(turn, {agent: refusal})[agent]
    again = _question(turn, agent, view, question.attempt + 1)
    journal.deliver(episode, _mail(agent, again))
    return refusal.fault


def _mail(agent: str, asked: Enquiry) -> Mail:
    facts = asked.letter.facts
    return Mail(agent, asked.act, asked.name, asked.text, asked.attempt, facts=facts)


def _refusal(turn: TurnContext, agent: str, answer: Answer, attempt: int) -> Refusal:
    """Return the refusal of an answer; check the answer again, as the table lacks the reason."""
    found = read_answer(turn, agent, answer)
    if not isinstance(found, Fault):
        # If newer code accepts the refused answer, ask its author again as was promised.
        before = turn.draft(agent)
        label = before.get("label", "MPT") if before else "MPT"
        found = Fault(label, "Answer once more.")
    # A person may try again without limit.
    tries = 0 if turn.is_person(agent) else turn.question.tries(turn.evaluated)
    return Refusal(found, answer.text, attempt, tries)


def _after_refusals(turn: TurnContext, one: _Open, view: PrivateView, journal: Journal) -> _Open:
    """Return a person's latest letter, after the refused replies that the journal has."""
    agent, episode = one.question.agent, one.question.episode
    while one.entry is not None:
        answer, attempt = one.entry.answer, one.question.attempt
        if judge(turn, agent, attempt, answer, None).output is not None:
            break
        told = replace(view, refusal=_refusal(turn, agent, answer, attempt))
        again = _question(turn, agent, told, attempt + 1)
        model = seat_of(turn, agent).model
        one = _Open(again, journal.find(episode, agent, again.name, again.attempt, model))
    return one


def _question(turn: TurnContext, agent: str, view: PrivateView, attempt: int) -> Enquiry:
    config = turn.evaluated.config
    tools, letter = tools_for(turn, agent), write_letter(turn, agent, view)
    return Enquiry(
        episode=turn.table["episode"],
        agent=agent,
        act=turn.question.name,
        letter=letter,
        attempt=attempt,
        why=view.refusal.fault.label if view.refusal else "",
        deadline=config.deadline,
        at=turn.at,
        carries=type(turn.evaluated.game).action_label is not Game.action_label,
        choices=public_choices(turn, agent, letter),
        tools=tools,
        calls=TOOL_CALLS if tools else 0,
        trace=_trace(turn, agent),
    )


def _within_budget(turn: TurnContext, questions: Mapping[str, Enquiry]) -> list[str]:
    """Return the agents for which the budget still has a call, in the order of the questions."""
    config = turn.evaluated.config
    if config.budget == UNLIMITED:
        return list(questions)
    tracker = BudgetTracker(config.budget, turn.table["spent"])
    # Parallel tasks cannot see each other's spending, so reserve each agent's worst case.
    for agent in turn.table.get("concurrent_agents", []):
        tracker.reserve(agent, 0, 1 if seat_of(turn, agent).human else config.tries)
    admitted = []
    for agent, question in questions.items():
        if tracker.admits(agent):
            admitted.append(agent)
            length = len(question.text) // CHARS_PER_TOKEN
            tracker.reserve(agent, length + (seat_of(turn, agent).max_tokens or 0))
    return admitted


def _steps(turn: TurnContext, admitted: Sequence[str]) -> dict[str, int]:
    """Return agent → how many calls with tools its model may make before it must answer."""
    tracker = BudgetTracker(turn.evaluated.config.budget, turn.table["spent"])
    for agent in admitted:
        tracker.reserve(agent, 0)
    share = len(admitted) + len(turn.table.get("concurrent_agents", []))
    return {
        agent: TOOL_CALLS if left is None else min(TOOL_CALLS, left)
        for agent in admitted
        for left in [tracker.calls_left(agent, share)]
    }


async def _ask(turn: TurnContext, one: _Open, journal: Journal, steps: int, left: Left) -> Heard:
    config = turn.evaluated.config
    seat = seat_of(turn, one.question.agent)
    if one.forced:
        entry = one.question.entry(seat.model, Answer(one.forced))
        return Heard(one.entry or await journal.keep(one.question.episode, entry))
    question = replace(one.question, budget=left)
    question = replace(question, steps=steps) if question.tools else question
    return await converse(seat, config.seed, question, journal, one.entry)


def _trace(turn: TurnContext, agent: str) -> RunnableConfig:
    """Return the name, tags and metadata that a call gets in a trace."""
    table, config, act = turn.table, turn.evaluated.config, turn.question.name
    seat = seat_of(turn, agent)
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

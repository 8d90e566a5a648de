"""The nodes that ask seats, validate their answers, and publish sound (valid) ones.

`ask` makes a node that asks a `Question` and validates the answers. `draft` and `validate` make two
nodes for this: an edge can lead back to the first. The table gets pointers to answers, not texts.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.seats.answer import Thought
from shapley_coop.state.asking import Reply, ask_seats
from shapley_coop.state.events import answered_event, asking_event
from shapley_coop.state.judging import Judged, judge
from shapley_coop.state.private import notes_in
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import REFUSED, Table
from shapley_coop.state.turn import Question, TurnContext

Node = Callable[[Table, Runtime[RunConfig]], Awaitable[dict[str, Any]]]


def ask(question: Question[Any]) -> Node:
    """Return a node that asks agents, validates their answers, and publishes sound answers."""

    async def ask_agents(table: Table, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        turn = TurnContext.of(table, question)
        runtime.stream_writer(asking_event(turn))
        started = time.monotonic()
        replies = await ask_seats(turn)
        judged = await asyncio.to_thread(_judge_all, turn, replies)  # may read files
        seconds = time.monotonic() - started
        spent = {agent: _spent(turn, agent, replies[agent], judged[agent]) for agent in replies}
        runtime.stream_writer(answered_event(turn, judged, spent, seconds))
        return _update(turn, replies, judged, {"seconds": seconds, "agents": spent})

    return ask_agents


def draft(question: Question[Any]) -> Node:
    """Return a node that asks agents, and leaves their answers in the journal to be validated."""

    async def draft_messages(table: Table, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        turn = TurnContext.of(table, question)
        runtime.stream_writer(asking_event(turn))
        started = time.monotonic()
        replies = await ask_seats(turn)
        drafts: dict[str, Any] = {}
        for agent, reply in replies.items():
            drafts[agent] = {"at": turn.at, "attempt": reply.attempt, "sound": False}
            if reply.entry:
                drafts[agent]["pointer"] = reply.entry.pointer()
        spent = {agent: _spent(turn, agent, reply) for agent, reply in replies.items()}
        cost = {"seconds": time.monotonic() - started, "agents": spent}
        return {"drafts": drafts, "spent": {turn.topic.phase: cost}}

    return draft_messages


def validate(question: Question[Any]) -> Callable[[Table, Runtime[RunConfig]], dict[str, Any]]:
    """Return a node that validates the answers that `draft` left, and publishes sound ones."""

    def validate_drafts(table: Table, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        turn = TurnContext.of(table, question)
        replies = _read_drafts(turn)
        judged = _judge_all(turn, replies)
        refused = {agent: _refusals(one) for agent, one in judged.items()}
        cost = {agent: _of_answer(replies[agent]) for agent in judged}
        known = {agent: {**cost[agent], **refused[agent]} for agent in judged}
        seconds = max((r.entry.answer.seconds for r in replies.values() if r.entry), default=0.0)
        runtime.stream_writer(answered_event(turn, judged, known, seconds))
        return _update(turn, replies, judged, {"seconds": 0.0, "agents": refused})

    return validate_drafts


def _judge_all(turn: TurnContext, replies: Mapping[str, Reply]) -> dict[str, Judged]:
    return {
        agent: judge(
            turn,
            agent,
            reply.attempt,
            reply.entry.answer if reply.entry else None,
            reply.entry.pointer() if reply.entry else None,
        )
        for agent, reply in replies.items()
    }


def _read_drafts(turn: TurnContext) -> dict[str, Reply]:
    """Return agent → the answer to validate, read from the journal."""
    drafts = {agent: d for agent in turn.asked if (d := turn.draft(agent))}
    pointers = {agent: d["pointer"] for agent, d in drafts.items() if "pointer" in d}
    entries = home().journal.open_all(turn.table["episode"], pointers)
    return {agent: Reply(d["attempt"], entries.get(agent)) for agent, d in drafts.items()}


def _update(
    turn: TurnContext, replies: Mapping[str, Reply], judged: Mapping[str, Judged], cost: Any
) -> dict[str, Any]:
    """Return the table's update: the drafts, their cost, and what valid answers make public."""
    drafts = {agent: one.draft for agent, one in judged.items()}
    outputs = {agent: one.output for agent, one in judged.items() if one.output}
    said = turn.question.publish(turn, outputs) if outputs else {}
    thinks = issubclass(turn.question.answer, Thought)
    noted = {
        agent: drafts[agent]["pointer"] for agent in outputs if _takes_notes(replies[agent], thinks)
    }
    kept = {"notes": noted} if noted else {}
    return {**said, **kept, "drafts": drafts, "spent": {turn.topic.phase: cost}}


def _takes_notes(reply: Reply, thinks: bool) -> bool:
    """Return whether an answer becomes its author's notes, as private reasoning always does."""
    if reply.entry is None:
        return False
    return thinks or bool(notes_in(reply.entry.answer.text))


def _spent(
    turn: TurnContext, agent: str, reply: Reply, judged: Judged | None = None
) -> dict[str, int]:
    """Return the cost of asking one agent, including a person's earlier refused replies."""
    if reply.entry is None or not reply.sent:
        return {}
    before = turn.draft(agent)
    earlier = reply.attempt - 1 - (before["attempt"] if before else 0)
    cost = _of_answer(reply)
    cost["calls"] += earlier
    refused = _refusals(judged) if judged else {}
    return {**cost, **refused, "refused": refused.get("refused", 0) + earlier}


def _of_answer(reply: Reply) -> dict[str, int]:
    if reply.entry is None or not reply.sent:
        return {}
    made = [entry.answer for entry in (*reply.steps, reply.entry)]
    return {
        "calls": len(made),
        "refused": 0,
        "input_tokens": sum(answer.input_tokens for answer in made),
        "output_tokens": sum(answer.output_tokens for answer in made),
    }


def _refusals(judged: Judged) -> dict[str, int]:
    """Return a count of 1 refusal, in total and under its label, or {} if nothing was refused."""
    label = judged.refused
    return {"refused": 1, f"{REFUSED}{label}": 1} if label else {}

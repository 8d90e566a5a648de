"""The nodes that write letters, ask seats, validate answers, and publish sound (valid) ones.

`ask` makes a node that asks a `Question` and validates the answers. `draft` and `validate` make two
nodes of it, so that an edge can lead back. The table gets pointers to answers, not their texts.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from langgraph.runtime import Runtime

from shapley_coop.canonical import cache_key
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.language.clauses import KINDS
from shapley_coop.deals.language.faults import CUT
from shapley_coop.games import Game
from shapley_coop.many import MANY
from shapley_coop.prompts import (
    NOT_PLAYED,
    Section,
    are_tags_left_out,
    sections_for_person,
    use_pack,
    without_tags,
    write_history,
    write_request,
    write_retry,
    write_rules,
)
from shapley_coop.seats.answer import Thought
from shapley_coop.seats.letters import Letter
from shapley_coop.state.asking import Reply, ask_seats
from shapley_coop.state.events import answered_event, asking_event
from shapley_coop.state.exchange import REFUSED
from shapley_coop.state.history import history
from shapley_coop.state.home_files.kept import pack_of
from shapley_coop.state.judging import Judged, judge
from shapley_coop.state.private import PrivateView, notes_in
from shapley_coop.state.procedure import clause_kinds
from shapley_coop.state.run_config import OUTSIDERS, RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from shapley_coop.state.telling import Lines, unshortened
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import agent_view

Node = Callable[[Table, Runtime[RunConfig]], Awaitable[dict[str, Any]]]


def ask(question: Question[Any]) -> Node:
    """Return a node that asks agents, validates their answers, and publishes sound answers."""

    async def ask_agents(table: Table, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        turn = TurnContext.of(table, question)
        runtime.stream_writer(asking_event(turn))
        started = time.monotonic()
        replies = await ask_seats(turn, write_letter)
        judged = await asyncio.to_thread(_judge_all, turn, replies)  # judging may read files
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
        replies = await ask_seats(turn, write_letter)
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


def write_letter(turn: TurnContext, agent: str, private: PrivateView) -> Letter:
    """Write an agent's letter: the words for a model, and the same facts as an object.

    If the agent's last answer was refused, that answer and the reason follow the letter.
    """
    with use_pack(pack_of(turn.evaluated.config.prompts)):
        if private.refusal is None:
            return _write_letter(turn, agent, private)
        letter = _write_letter(turn, agent, replace(private, refusal=None))
        fault, attempt = private.refusal.fault, private.refusal.attempt + 1
        why = write_retry(
            fault.label,
            fault.feedback,
            fault.read,
            attempt=attempt,
            tries=private.refusal.tries,
            heard=turn.is_heard(agent),
        )
    known = {**letter.facts, "fault": fault.record()}
    # Models tend to copy a long, cut-off answer, so the retry's letter leaves the answer out.
    refused = "" if fault.label == CUT.label else private.refusal.answer
    return replace(letter, facts=known, refused=refused, why=why)


def write_for_person(turn: TurnContext, agent: str, private: PrivateView) -> list[Section]:
    """Write an agent's letter for a person, as sections in the order in which people read them."""
    with use_pack(pack_of(turn.evaluated.config.prompts)), without_tags():
        letter = _write_letter(turn, agent, replace(private, refusal=None))
    return sections_for_person(*map(turn.evaluated.game.for_people, (letter.system, letter.user)))


def _write_letter(turn: TurnContext, agent: str, private: PrivateView) -> Letter:
    """Return the letter of the first attempt, without a refused answer."""
    evaluated, outsider = turn.evaluated, agent in OUTSIDERS
    view = agent_view(turn, agent, private)
    whole = are_tags_left_out() and not outsider  # people read the whole talk
    told, lines, events = _history(turn, agent if turn.question.hears else "", whole)
    user = write_request(
        # A person's letter repeats the offer next to the question, even if the history shows it.
        view if are_tags_left_out() else _with_told(view, lines),
        told,
        secret=private.secret,
        utilities=private.utilities,
        words=turn.question.words,
        outsider=outsider,
    )
    public = _public(evaluated.game, outsider)
    # With many agents all events would be huge, so programs then get only those in the text.
    heard = lines if len(evaluated.agents) > MANY else events
    known = {**public, **private.utilities, **view, "history": heard}
    return Letter(_rules(_of_game(evaluated.game), _style(turn, view, outsider)), user, known)


def _style(turn: TurnContext, view: Mapping[str, Any], outsider: bool) -> bytes:
    """Return as JSON all settings but the game's on which the letter's system part depends."""
    drafted = turn.question.name == "contract_write" and turn.in_clauses
    kinds, norms = () if drafted else clause_kinds(turn), view.get("norms", [])
    agents = _TWO if turn.question.hears else turn.evaluated.agents
    known = {"agents": agents, "procedure": view["procedure"], "kinds": kinds}
    if kinds:
        known |= {"norms": norms, "compares_with": view.get("compares_with", "")}
        known["most"] = turn.evaluated.means.get("means", {}).get("most", {})
    if taught := [KINDS[kind].taught for kind in kinds if KINDS[kind].taught]:
        known["taught"] = taught
    options = {
        "instructions": turn.evaluated.config.instructions,
        "guidance": turn.question.guidance,
        "outsider": outsider,
    }
    known["over"] = "own_rewards" in view
    known["bargains"] = bool(kinds) or (turn.topic.phase == "negotiation" and not outsider)
    pack = turn.evaluated.config.prompts
    return cache_key([turn.question.rules, known, options, pack, are_tags_left_out()])


_TWO = ("YOU", "THE OTHER")
"""The rules' names for the agents if histories differ, so that all agents get the same rules."""


@lru_cache(maxsize=256)
def _of_game(game: Game) -> str:
    """Return the text of a game's rules, cached for each game."""
    return game.rules()


@lru_cache(maxsize=256)
def _rules(rules: str, style: bytes) -> str:
    """Return the letter's system part; `style` is the JSON from `_style`."""
    template, known, options, *_ = json.loads(style)
    return write_rules(template, rules, known, **options)


@lru_cache(maxsize=256)
def _public(game: Game, outsider: bool) -> Mapping[str, Any]:
    """Return the game's facts; for an outsider (judge, summariser) also agents, actions, turns."""
    return facts_of(game) if outsider else game.facts()


@lru_cache(maxsize=8)
def _history(turn: TurnContext, reader: str, whole: bool) -> tuple[str, Lines, Lines]:
    """Return the history for a reader ("" for all): text, events in the text, all events."""
    hears = turn.question.hears
    events = hears(turn, reader) if hears else history(turn)
    told = unshortened(turn.question.tells, whole)(turn, events)
    # All events are left out of the text, so "nothing has happened" would be untrue.
    if not told and (events or hears):
        return "" if turn.evaluated.record else NOT_PLAYED, told, events
    return write_history(told, turn.evaluated.game.turns), told, events


def _with_told(view: Mapping[str, Any], told: Lines) -> Mapping[str, Any]:
    """Return the view with its offer marked as `told` if the history already shows the offer."""
    if not (offer := view.get("offer")) or "revision" not in offer:
        return view
    number = offer["revision"]
    shown = (x["offers"] for x in reversed(told) if x.get("revision") == number and "offers" in x)
    return {**view, "offer": {**offer, "told": next(shown, None) == offer["in_words"]}}


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
    """Return the table's update: the drafts, the cost, and what sound answers publish."""
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

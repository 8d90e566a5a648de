"""The only writer of letters: what one agent is told, for a model, a program or a person."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

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
from shapley_coop.prompts.request import offer_to_answer
from shapley_coop.seats.letters import Letter
from shapley_coop.state.history import history
from shapley_coop.state.home_files.kept import pack_of
from shapley_coop.state.private import PrivateView
from shapley_coop.state.procedure import clause_kinds
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.telling import Lines, unshortened
from shapley_coop.state.turn import TurnContext
from shapley_coop.state.view import agent_view


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
    words = map(turn.evaluated.game.for_people, (letter.system, letter.user))
    return sections_for_person(*words)


def _write_letter(turn: TurnContext, agent: str, private: PrivateView) -> Letter:
    """Return the letter of the first attempt, without a refused answer."""
    evaluated, outsider = turn.evaluated, agent in OUTSIDERS
    view = agent_view(turn, agent, private)
    whole = are_tags_left_out() and not outsider  # people get the whole talk to read
    below = _clauses_below(turn, view) if whole else ()
    told, lines, events = _history(turn, agent if turn.question.hears else "", whole, below)
    user = write_request(
        # A person's letter repeats the offer beside the question, even if the history shows it.
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


def _clauses_below(turn: TurnContext, view: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts of the deal in force and the offer, shown below a letter's history."""
    keys = ("contract", "offer") if offer_to_answer in turn.question.words else ("contract",)
    return tuple(filter(None, (view.get(key, {}).get("in_words", "") for key in keys)))


def _style(turn: TurnContext, view: Mapping[str, Any], outsider: bool) -> bytes:
    """Return as JSON all settings, besides the game, on which the letter's system part depends.

    The text is the key by which `_rules` caches that part, which all agents of a turn share.
    """
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


_TWO = ("YOUR NAME", "THE OTHER'S NAME")
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
def _history(
    turn: TurnContext, reader: str, whole: bool, below: tuple[str, ...]
) -> tuple[str, Lines, Lines]:
    """Return the history for a reader ("" for all): as text, the text's events, and all events.

    The text refers to clauses that the letter shows `below` it, and does not repeat them.
    """
    hears = turn.question.hears
    events = hears(turn, reader) if hears else history(turn)
    told = unshortened(turn.question.tells, whole)(turn, events)
    # All events are left out of the text, so "nothing has happened" would be untrue.
    if not told and (events or hears):
        return "" if turn.evaluated.record else NOT_PLAYED, told, events
    once = [{**x, "below": True} if x.get("offers") in below else x for x in told]
    return write_history(once, turn.evaluated.game.turns), told, events


def _with_told(view: Mapping[str, Any], told: Lines) -> Mapping[str, Any]:
    """Return the view with its offer marked as `told` if the history already shows the offer."""
    if not (offer := view.get("offer")) or "revision" not in offer:
        return view
    number = offer["revision"]
    shown = (x["offers"] for x in reversed(told) if x.get("revision") == number and "offers" in x)
    return {**view, "offer": {**offer, "told": next(shown, None) == offer["in_words"]}}

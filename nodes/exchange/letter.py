"""The letters of a task exchange: what a trader sees, with what only it is told."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from shapley_coop.games.task_exchange import TaskExchange
from shapley_coop.prompts import fenced, fenced_lines, render
from shapley_coop.seats import Letter
from shapley_coop.state import PrivateView, TurnContext, config_of
from shapley_coop.state.exchange import exchange_of, look, told

UTILITIES = "what each set of tasks is worth to you, by mask."


def trade_letter(guidance: bool) -> Callable[[TurnContext, str, str, PrivateView], Letter]:
    """A writer of traders' letters.

    Args:
        guidance: whether they have the section that asks to weigh the others' utilities.
    """

    def write(moment: TurnContext, agent: str, act: str, private: PrivateView) -> Letter:
        facts = look(moment, agent, act)
        own = exchange_of(moment.table).private(agent)
        parts = (private.secret, UTILITIES, fenced(own))
        alone = "\n\n".join(part for part in parts if part)
        letter = _in_words(moment, facts, private, alone, guidance)
        public = exchange_of(moment.table).facts()
        known = {**public, **own, **facts, "history": told(moment.table)}
        return replace(letter, facts=known)

    return write


def _in_words(
    moment: TurnContext, facts: dict[str, Any], private: PrivateView, alone: str, guidance: bool
) -> Letter:
    if guidance:
        facts["guidance"] = True
    if private.reasoning:
        facts["reasoning"] = private.reasoning
    if fault := (private.mind["fault"] if private.mind else None):
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
        persona=render("persona", you=facts["you"], private=alone),
        history=_history(moment),
        ask=request.strip(),
        fault=fault,
        facts=fenced(facts),
    )
    game, room = exchange_of(moment.table), config_of(moment.table["settings"])
    return Letter(rules(game, guidance, room.instructions), user)


@lru_cache(maxsize=256)
def rules(game: TaskExchange, guidance: bool, instructions: str) -> str:
    """What is the same for everybody, always: put into words once."""
    facts = game.facts()
    return render(
        "exchange_table",
        rules=game.rules(),
        agents=facts["agents"],
        facts=fenced(facts),
        guidance=guidance,
        instructions=instructions,
    )


@lru_cache(maxsize=8)
def _history(moment: TurnContext) -> str:
    """What is the same for all who are asked now: put into words once, not once for each."""
    return fenced_lines(told(moment.table))

"""The letters of a task exchange: what a trader sees, with what only it is told."""

from collections.abc import Callable

from prompts import fenced, fenced_lines, render
from seats import Letter
from state import Moment, Private, Sight, room_of
from state.exchange import exchange_of, look

UTILITIES = "what each set of tasks is worth to you, by mask."


def trade_letter(guidance: bool) -> Callable[[Moment, str, str, Private], Letter]:
    """A writer of traders' letters.

    Args:
        guidance: whether they have the section that asks to weigh the others' utilities.
    """

    def write(moment: Moment, agent: str, act: str, private: Private) -> Letter:
        sight = look(moment, agent, act)
        own = fenced(exchange_of(moment.table).private(agent))
        told = "\n\n".join(part for part in (private.secret, UTILITIES, own) if part)
        return _in_words(moment, sight, private, told, guidance)

    return write


def _in_words(moment: Moment, sight: Sight, private: Private, told: str, guidance: bool) -> Letter:
    facts = dict(sight.facts)
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
        persona=render("persona", you=facts["you"], private=told),
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
        instructions=room_of(moment.table["settings"]).instructions,
    )
    return Letter(system=system, user=user)

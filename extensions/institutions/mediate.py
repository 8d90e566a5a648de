"""Mediate: open the sealed choices, play for those who delegated, and take the turn."""

from typing import Any

from shapley_coop.extensions.institutions.mediator import DELEGATED, mediator_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import Choices, choices_in, play_turn
from shapley_coop.state.table import Table
from shapley_coop.state.turn import unsound


def mediate(table: Table) -> dict[str, Any]:
    """The mediator plays for those who delegated, by its rule; all others do what they chose.

    The record has the actions that were played, and an effect for each agent that delegated. An
    agent that passed delegates nothing. Verdicts: `refused` (a choice was refused, and its author
    is asked once more) and `played`.
    """
    if unsound(table):
        return {"verdict": "refused"}
    evaluated = EvaluatedTable(table)
    mediator = mediator_of(evaluated.game)
    found = choices_in(evaluated, lambda agent: [*evaluated.legal(agent), mediator.word])
    delegating = [a for a in evaluated.agents if found.actions.get(a) == mediator.word]
    actions = {**found.actions, **mediator.plays(delegating, evaluated.turn)}
    effects = [{"effect": DELEGATED, "agent": agent} for agent in delegating]
    return play_turn(evaluated, Choices(actions, [*found.effects, *effects]))

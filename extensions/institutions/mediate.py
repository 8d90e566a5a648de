"""The node `mediate`: it opens sealed choices, and plays the turn with the mediator's actions."""

from typing import Any

from shapley_coop.extensions.institutions.choosing import find_choice
from shapley_coop.extensions.institutions.mediator import DELEGATED, mediator_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import Choices, choices_in, play_turn
from shapley_coop.state.table import Table


def mediate(table: Table) -> dict[str, Any]:
    """Play a turn: the mediator's actions for delegators, and the chosen actions of others.

    The record has the actions played, and an effect for each agent that delegated. An agent that
    passed does not delegate.
    """
    evaluated = EvaluatedTable(table)
    mediator = mediator_of(evaluated.game)
    found = choices_in(evaluated, find_choice)
    delegating = [a for a in evaluated.agents if found.actions.get(a) == mediator.word]
    actions = {**found.actions, **mediator.plays(delegating, evaluated.turn)}
    effects = [{"effect": DELEGATED, "agent": agent} for agent in delegating]
    return play_turn(evaluated, Choices(actions, [*found.effects, *effects]))

"""Companies that tests play: by embedded roles, or with a judge that runs nothing."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.company.checks import Finding, Runner
from shapley_coop.extensions.company.game import SoftwareCompany
from shapley_coop.extensions.company.task import Task
from shapley_coop.games import Position, Turn
from shapley_coop.seats.embedded.outlook import Outlook


def by_words(files: Mapping[str, str], task: Task) -> list[Finding]:
    """A judge that runs nothing: the n-th check passes where a file says `pass n`."""
    text = "\n".join(files.values())
    return [
        {"check": check.words, "passed": f"pass {n}" in text, "found": "read"}
        for n, check in enumerate(task.checks)
    ]


def company(params: dict[str, Any] | None = None, runner: Runner = by_words) -> SoftwareCompany:
    """A company whose checks are judged without running anything."""
    return SoftwareCompany(params, runner=runner)


def take(
    game: SoftwareCompany, position: Position, record: list[Turn], actions: Mapping[str, str]
) -> Position:
    """Play one turn and enter it in the record."""
    after = game.step(position, actions)
    turn: Turn = {
        "turn": position["turn"],
        "actions": {agent: game.action_label(action) for agent, action in actions.items()},
        "rewards": after.rewards,
        "effects": after.effects,
    }
    if after.pot:
        turn["pot"] = after.pot
    record.append(turn)
    return after.position


def by_embedded_roles(game: SoftwareCompany) -> tuple[Position, list[Turn]]:
    """A whole play in which every role does its work."""
    position, record = game.start(), list[Turn]()
    while not game.over(position):
        actions = {}
        for agent in game.agents:
            if legal := game.legal(position, agent):
                seen = {"turn": position["turn"], "position": game.view(position, agent)}
                facts = {**game.facts(), **seen, "you": agent, "ask": "act"}
                actions[agent] = Outlook.of(facts, record).world.habit(legal)
                assert game.objection(position, agent, actions[agent]) == ""
        position = take(game, position, record, actions)
    return position, record

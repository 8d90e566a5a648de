"""The planned actions beside the actions taken."""

from typing import Any

from shapley_coop.deals import contract_duties
from shapley_coop.games import Game, Turn
from shapley_coop.serve.view.credit import SMALL
from shapley_coop.state import EvaluatedTable, Table, game_of


def plan_view(table: Table) -> dict[str, Any] | None:
    """Per turn, what the contract required and what was done; None without a contract.

    `payoffs` is what each agent would have ended with, had all kept the contract; None if it does
    not determine every action of every turn.
    """
    contract, record = table.get("contract"), table.get("record", [])
    if contract is None:
        return None
    turns = []
    for n, turn in enumerate(record):
        asked: dict[str, list[str]] = {agent: [] for agent in table["agents"]}
        for duty in contract_duties(contract, record[:n], turn["turn"]):
            asked[duty.agent].append(f"not {duty.action}" if duty.forbidden else duty.action)
        turns.append({"turn": turn["turn"], "planned": asked, "did": turn["actions"]})
    return {"turns": turns, "payoffs": _as_planned(table)}


def _as_planned(table: Table) -> dict[str, float] | None:
    game = game_of(table["settings"])
    if len(game.agents) > SMALL:
        return None
    record = _play_as_agreed(game, table)
    if record is None:
        return None
    planned = EvaluatedTable({**table, "record": record}).as_signed
    return {agent: float(x) for agent, x in planned.items()}


def _play_as_agreed(game: Game, table: Table) -> list[Turn] | None:
    """The play in which all keep the contract; None if it leaves an action open."""
    contract, position = table.get("contract"), game.start()
    record: list[Turn] = []
    while not game.over(position):
        number = len(record) + 1
        owed = {
            duty.agent: duty.action
            for duty in contract_duties(contract, record, number)
            if not duty.forbidden
        }
        actions = {agent: owed.get(agent) for agent in game.agents if game.legal(position, agent)}
        legal = {a: x for a, x in actions.items() if x in game.legal(position, a)}
        if len(legal) < len(actions):
            return None
        after = game.step(position, {a: str(x) for a, x in legal.items()})
        turn: Turn = {"turn": number, "actions": dict(owed), "rewards": after.rewards}
        if after.pot:
            turn["pot"] = after.pot
        record.append(turn)
        position = after.position
    return record

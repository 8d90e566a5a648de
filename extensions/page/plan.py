"""The actions that the contract required, beside the actions that agents took."""

from typing import Any

from shapley_coop.deals.monitor import Monitor
from shapley_coop.evals.measures.coalitions import SMALL
from shapley_coop.games import Turn
from shapley_coop.games.goods import with_gifts
from shapley_coop.state.evaluated import EvaluatedTable


def plan_view(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Return each turn's required and actual actions, or None if there is no contract.

    `payoffs` are the payoffs if all agents had kept the contract. `payoffs` is None if the contract
    does not fix every action, or if there are more than `SMALL` agents.
    """
    if evaluated.contract is None:
        return None
    turns = []
    for turn, duties in zip(evaluated.record, evaluated.signed.monitor.asked, strict=True):
        asked: dict[str, list[str]] = {agent: [] for agent in evaluated.agents}
        for agent, owed in asked.items():
            told = (duty for duty in duties if duty.binds(agent))
            owed += [f"not {duty.action}" if duty.forbidden else duty.action for duty in told]
        turns.append({"turn": turn["turn"], "planned": asked, "did": turn["actions"]})
    record = _play_as_agreed(evaluated) if len(evaluated.agents) <= SMALL else None
    if record is None:
        return {"turns": turns, "payoffs": None}
    planned = EvaluatedTable({**evaluated.table, "record": record}).as_signed
    return {"turns": turns, "payoffs": {agent: float(x) for agent, x in planned.items()}}


def _play_as_agreed(evaluated: EvaluatedTable) -> list[Turn] | None:
    """Return the turns as played if all keep the contract; None if it leaves an action open."""
    game = evaluated.game
    monitor = Monitor(evaluated.contract, game.open_turns)
    position = game.start()
    while not game.over(position):
        duties = [duty for duty in monitor.duties() if not duty.forbidden]
        owed = {a: duty.action for a in game.agents for duty in duties if duty.binds(a)}
        legal = {agent: game.legal(position, agent) for agent in game.agents}
        actions = {agent: owed.get(agent, "") for agent, known in legal.items() if known}
        if any(action not in legal[agent] for agent, action in actions.items()):
            return None
        turn: Turn = {"turn": len(monitor.turns) + 1, "actions": actions, "rewards": {}}
        gifts = [each.gift() for each in monitor.handing_over(turn)]
        after = game.step(with_gifts(position, gifts), actions)
        turn["rewards"] = after.rewards
        if after.pot:
            turn["pot"] = after.pot
        monitor.observe(turn)
        position = after.position
    return monitor.turns

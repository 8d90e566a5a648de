"""Trade: hand over the tasks as the contract says; without one they stay where they are."""

from typing import Any

from shapley_coop.games import Turn
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.exchange import exchange_of
from shapley_coop.state.table import Table


def trade(table: Table) -> dict[str, Any]:
    """Play the hand-overs that the contract implies, one task of each giver a turn.

    They enter the record like any action, so that it can be replayed. Without a contract nothing
    is handed over.
    """
    evaluated, position = EvaluatedTable(table), table["position"]
    game = exchange_of(evaluated)
    duties = [duty for clause in evaluated.clauses.values() if (duty := clause.duty)]
    owed = [duty for duty in duties if not duty.forbidden]
    masks = dict(game.tasks.initial)
    if owed:
        masks = {
            a: game.tasks.named(do.action for do in owed if do.agent == a) for a in game.agents
        }
    record: list[Turn] = []
    for actions in game.hands(masks):
        after = game.step(position, actions)
        turn = evaluated.turn + len(record)
        record.append({"turn": turn, "actions": actions, "rewards": after.rewards})
        position = after.position
    return {"position": position, "record": record}

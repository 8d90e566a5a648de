"""The node `swap`: it transfers tasks as the pairs agreed, before the next meeting or the work."""

from typing import Any

from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.pairs.meetings import MeetingsTable, pairs_game, traded
from shapley_coop.games import Turn
from shapley_coop.state.evaluated import EvaluatedTable


def swap(table: MeetingsTable) -> dict[str, Any]:
    """Play the hand-overs of all pairs that agreed, one task per giver a turn.

    The hand-overs are recorded like other actions, so that they can be replayed.
    Verdicts: `meet` (another meeting follows) and `work` (none follows, and trade is closed).
    """
    evaluated, position = EvaluatedTable(table), table["position"]
    game, met = pairs_game(evaluated), table["meetings"]
    held = {a: from_bits(bits, game.tasks.n) for a, bits in position["holds"].items()}
    last = met[0]["number"] >= game.params.meetings or evaluated.budget_spent
    record: list[Turn] = []
    for actions in game.hands(traded(game, met, held), held, closing=last):
        done = game.step(position, actions)
        turn = evaluated.turn + len(record)
        record.append({"turn": turn, "actions": actions, "rewards": done.rewards})
        position = done.position
    verdict = "work" if last else "meet"
    return {"position": position, "record": record, "verdict": verdict}

"""Step: open the sealed actions and let the game take its turn."""

from typing import Any

from shapley_coop.deals import Fault, scan
from shapley_coop.deals.language.choices import chosen
from shapley_coop.games import Turn
from shapley_coop.state import EvaluatedTable, Table, home
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.turn import pointers_in, unsound


def step(table: Table) -> dict[str, Any]:
    """Reveal what was chosen, play it, and enter the turn in the record.

    An agent that passed takes no action, and the record shows none. One that passed because the
    operator's budget left it no call is excused: it breaks no duty by that. Verdicts: `refused`
    (an action was refused, and its author is asked once more) and `played`.
    """
    if unsound(table):
        return {"verdict": "refused"}
    evaluated, sealed = EvaluatedTable(table), table["sealed"]
    opened = home().journal.open_all(table["episode"], pointers_in(sealed))
    actions = {
        agent: _revealed(entry.answer.text, evaluated.legal(agent))
        for agent, entry in opened.items()
    }
    game = evaluated.game
    after = game.step(table["position"], actions)
    turn: Turn = {
        "turn": evaluated.turn,
        "actions": {agent: game.action_label(action) for agent, action in actions.items()},
        "rewards": after.rewards,
    }
    if after.pot:
        turn["pot"] = after.pot
    passes = [
        {"effect": "pass", "agent": agent, "label": said["label"]}
        | ({"excused": True} if said["label"] == SPENT_UP else {})
        for agent, said in sealed.items()
        if "label" in said
    ]
    if effects := [*passes, *after.effects]:
        turn["effects"] = effects
    return {"position": after.position, "record": [turn], "sealed": None, "verdict": "played"}


def _revealed(text: str, legal: list[str]) -> str:
    message = scan(text)
    assert not isinstance(message, Fault), "what was sealed had been validated"
    found = chosen(message, legal)
    assert not isinstance(found, Fault), "what was sealed had been validated"
    return found[0]

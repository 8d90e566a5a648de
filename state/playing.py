"""A turn of the game: opening the sealed choices, playing them, and recording the result."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.deals.language.acceptance import in_a_word
from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.games import GameError, Turn
from shapley_coop.games.goods import with_gifts
from shapley_coop.state.additions import without_additions
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from shapley_coop.state.turn import pointers_in


@dataclass(frozen=True)
class Choices:
    """The agents' choices in one turn.

    Attributes:
        actions: agent → its action, for the agents that did not pass.
        effects: a note for the record on each agent's pass.
    """

    actions: dict[str, str]
    effects: list[dict[str, Any]] = field(default_factory=list)


Find = Callable[[EvaluatedTable, str, Message], str | Fault]
"""A function that returns the choice that an agent's message names."""


def choices_in(evaluated: EvaluatedTable, find: Find | None = None) -> Choices:
    """Return the actions in the answers to which the table's sealed pointers point.

    An agent that passed takes no action. If the budget had no call left for the agent, its pass is
    excused, which means that it breaches no duty.

    Args:
        evaluated: the table.
        find: reads the choice in an answer; by default a legal action.
    """
    table = evaluated.table
    answers = home().journal.open_all(table["episode"], pointers_in(table["sealed"]))
    passes = [
        {"effect": "pass", "agent": agent, "label": said["label"]}
        | ({"excused": True} if said["label"] == SPENT_UP else {})
        for agent, said in table["sealed"].items()
        if "label" in said
    ]
    actions = {
        agent: _reveal(evaluated, agent, entry.answer.text, find or find_choice)
        for agent, entry in answers.items()
    }
    return Choices(actions, passes)


def play_turn(evaluated: EvaluatedTable, choices: Choices) -> dict[str, Any]:
    """Play one turn, and return the update of the table, with `verdict` set to "played".

    If the run's budget ran out before all agents were asked, the turn is not played and the
    choices stay sealed. The run then ends.

    Raises:
        GameError: the game's rewards lack an agent, or name an agent that does not play.
    """
    if evaluated.cut_short:
        return {"verdict": "played"}
    game = evaluated.game
    labels = {agent: game.action_label(did) for agent, did in choices.actions.items()}
    given = evaluated.signed.gifts(labels) if game.goods else []
    after = game.step(with_gifts(evaluated.table["position"], given), choices.actions)
    if after.rewards.keys() != set(game.agents):
        raise GameError(
            f"{game.name}: turn {evaluated.turn} has rewards for {', '.join(after.rewards)}: step "
            f"must return a reward, even if 0, for exactly {', '.join(game.agents)}"
        )
    turn: Turn = {
        "turn": evaluated.turn,
        "actions": labels,
        "rewards": after.rewards,
    }
    if after.pot:
        turn["pot"] = after.pot
    if effects := [*choices.effects, *after.effects]:
        turn["effects"] = effects
    return {"position": after.position, "record": [turn], "sealed": None, "verdict": "played"}


def find_choice(evaluated: EvaluatedTable, agent: str, message: Message) -> str | Fault:
    """Return the action that a message names; a fenced block behind it is its missing content."""
    found = choose(in_a_word(message), evaluated.legal(agent), evaluated.game.also_called)
    if isinstance(found, Fault):
        return found
    if message.fence and evaluated.objection(agent, found[0]):
        return f"{found[0]}\n{message.fence}"
    return found[0]


def _reveal(evaluated: EvaluatedTable, agent: str, text: str, find: Find) -> str:
    message = scan(without_additions(evaluated.config, text))
    assert not isinstance(message, Fault), "what was sealed had been validated"
    found = find(evaluated, agent, message)
    assert not isinstance(found, Fault), "what was sealed had been validated"
    return found

"""The functions that read and check a choice: an action, or delegation to a mediator."""

from collections.abc import Sequence

from shapley_coop.deals.language.acceptance import in_a_word
from shapley_coop.deals.language.choices import chosen_of
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.extensions.institutions.mediator import Mediator, mediator_of
from shapley_coop.seats.answer import Action
from shapley_coop.state.additions import limits_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import reader
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.turn import TurnContext


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Action | Fault:
    """Read a legal action, or the word by which an agent delegates."""
    found = find_choice(turn.evaluated, agent, message)
    return found if isinstance(found, Fault) else Action.of(action=found)


def find_choice(evaluated: EvaluatedTable, agent: str, message: Message) -> str | Fault:
    """Return the legal action that a message names, or the word by which the agent delegates."""
    game, mediator = evaluated.game, mediator_of(evaluated.game)

    def also(choice: str) -> Sequence[str]:
        return mediator.also_called if choice == mediator.word else game.also_called(choice)

    found = chosen_of(in_a_word(message), [*evaluated.legal(agent), mediator.word], also=also)
    return found if isinstance(found, Fault) else found[0]


def check(turn: TurnContext, agent: str, said: Action) -> AgentOutput | Fault:
    """Refuse a delegation that the agent's mandate forbids; publish no word of the answer."""
    mediator = mediator_of(turn.evaluated.game)
    delegates = said.action == mediator.word
    fault = _never_allowed(turn.evaluated, mediator, agent) if delegates else None
    return fault or {"act": "act", "text": ""}


def _never_allowed(evaluated: EvaluatedTable, mediator: Mediator, agent: str) -> Fault | None:
    """Return a fault if the mediator could act for the agent against the agent's mandate."""
    never = limits_of(evaluated.config, agent).never
    if not set(never) & set(mediator.stage.actions[agent]):
        return None
    return Fault(
        "MANDATE",
        f"You may never do {', '.join(never)}, and a mediator could do it for you: choose an "
        "action of your own.",
    )

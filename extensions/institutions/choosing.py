"""The reader and the check of choices between an action and delegation to a mediator."""

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
    choices = [*turn.evaluated.legal(agent), mediator_of(turn.evaluated.game).word]
    found = chosen_of(message, choices)
    return found if isinstance(found, Fault) else Action.of(action=found[0])


def check(turn: TurnContext, agent: str, said: Action) -> AgentOutput | Fault:
    """Refuse a delegation that the agent's mandate forbids; publish nothing that the agent says."""
    mediator = mediator_of(turn.evaluated.game)
    delegates = said.action == mediator.word
    fault = _never_allowed(turn.evaluated, mediator, agent) if delegates else None
    return fault or {"act": "act", "text": ""}


def _never_allowed(evaluated: EvaluatedTable, mediator: Mediator, agent: str) -> Fault | None:
    """Return a fault if the mediator could take an action that the agent's limits forbid."""
    never = limits_of(evaluated.config, agent).never
    if not set(never) & set(mediator.stage.actions[agent]):
        return None
    return Fault(
        "MANDATE",
        f"You may never do {', '.join(never)}, and a mediator could do it for you: choose an "
        "action of your own.",
    )

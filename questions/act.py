"""The question for an action, to every agent that can act; actions stay secret until all answer."""

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.prompts.request import turn_of_game
from shapley_coop.seats.answer import Action
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import kept_or_broken
from shapley_coop.state.playing import find_choice
from shapley_coop.state.publishing import seal_actions
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.telling import deeds_once_signed
from shapley_coop.state.topics import PLAY
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import failed_talk, stand, unusual_enforcement
from shapley_coop.state.who import able


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Action | Fault:
    """Read one action that is legal now, and the text with which the agent takes it."""
    found = find_choice(turn.evaluated, agent, message)
    if isinstance(found, Fault):
        return found
    return Action.of(action=found)


def check(turn: TurnContext, agent: str, said: Action) -> AgentOutput | Fault:
    """Refuse an action that the game objects to. The words beside the action are not published."""
    wrong = turn.evaluated.objection(agent, said.action)
    if not wrong:
        return {"act": "act", "text": ""}
    return Fault("ACTION", f"You chose {' '.join(said.action.split())[:60]!r}. {wrong}")


QUESTION = Question(
    name="act",
    title="choose your action",
    topic=PLAY,
    who=able,
    answer=Action,
    read=read,
    check=check,
    publish=seal_actions,
    program=lambda me: me.act(),
    shows=(stand, failed_talk, kept_or_broken, unusual_enforcement),
    words=(turn_of_game,),
    tells=deeds_once_signed,
)

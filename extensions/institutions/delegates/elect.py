"""The question that asks a group's members to vote for their delegate."""

from shapley_coop.deals.language.choices import chosen_of
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.extensions.institutions.delegates.groups import electors, group_of
from shapley_coop.extensions.institutions.delegates.member import vote
from shapley_coop.extensions.institutions.delegates.membership import ballot
from shapley_coop.extensions.institutions.delegates.settings import delegation_of
from shapley_coop.extensions.institutions.delegates.words import membership
from shapley_coop.prompts.request import turn_of_game
from shapley_coop.seats.answer import Action, Answer, Facts
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import as_it_stands
from shapley_coop.state.publishing import hold_answers
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.telling import deeds
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import talk_round


def _oneself(agent: str) -> tuple[str, ...]:
    """Return the words by which a member may vote for itself."""
    return ("me", "myself", f"me ({agent})", f"myself ({agent})", f"{agent} (myself)")


class Vote(Action):
    """Your vote for your group's delegate."""

    ASKED = "Whom you vote for"

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Narrow the answer's schema to the candidates' names; a vote has no other content."""
        return super().narrowed(facts)


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Vote | Fault:
    """Read the name of one candidate of the agent's own group."""
    candidates = group_of(turn.table, agent)["candidates"]
    found = chosen_of(message, [*candidates, *_oneself(agent)], told=candidates)
    if isinstance(found, Fault):
        return found
    oneself = found[0] in _oneself(agent) and found[0] not in candidates
    return Vote.of(action=agent if oneself else found[0])


def check(turn: TurnContext, agent: str, said: Vote) -> AgentOutput | Fault:
    """Refuse a vote for an agent that is not a candidate."""
    candidates = group_of(turn.table, agent)["candidates"]
    if said.action not in candidates:
        return Fault("ACTION", f"You do not stand. Choose one of: {', '.join(candidates)}.")
    return {"act": "vote", "text": "", "choice": said.action}


QUESTION = Question(
    name="elect",
    title="vote for your group's delegate",
    topic=PLAN,
    who=electors,
    answer=Vote,
    read=read,
    check=check,
    publish=hold_answers,
    program=vote,
    shows=(talk_round, as_it_stands, ballot),
    words=(membership, turn_of_game),
    tells=deeds,
    course=lambda config: {"election": delegation_of(config).election},
)

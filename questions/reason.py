"""The question for private reasoning on the collective payoff, the externality and a price."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import scan
from shapley_coop.seats.answer import Thought
from shapley_coop.seats.records import Answer
from shapley_coop.state.judging import check_finished
from shapley_coop.state.offered import standing_offer
from shapley_coop.state.publishing import keep_thoughts
from shapley_coop.state.reasons import private_text, read_reasons
from shapley_coop.state.table import AgentOutput, Reasoned
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import norms, stand, talk_round, unusual_enforcement
from shapley_coop.state.who import bargainers


def read_thought(turn: TurnContext, agent: str, answer: Answer) -> Thought | Fault:
    """Read a private plan, which needs no tags because no other agent reads it."""
    if fault := check_finished(answer):
        return fault
    message = scan(answer.text)
    if isinstance(message, Fault) and message.label == "SIZE":
        return message
    if not answer.text.strip():
        return Fault("MPT", "Write your private thoughts: your answer is empty.")
    return Thought.of(thoughts=answer.text)


def read(turn: TurnContext, agent: str, answer: Answer) -> Thought | Fault:
    """Read reasoning that states the collective payoff, the externality and a price."""
    thought = read_thought(turn, agent, answer)
    if isinstance(thought, Fault):
        return thought
    said = without_thoughts(answer.text)
    if isinstance(said, Fault):
        return said
    found = read_reasons(private_text(said))
    return found if isinstance(found, Fault) else thought


def check(turn: TurnContext, agent: str, said: Thought) -> AgentOutput | Fault:
    """Accept any thought, because thoughts stay private and bind nobody."""
    return {"act": "think", "text": ""}


def publish(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """Store a pointer to each agent's reasoning; evaluators check its estimates after the run."""
    kept, now = keep_thoughts(turn, outputs), turn.evaluated.turn
    reasoned: list[Reasoned] = [
        {"id": f"{now}.{agent}", "turn": now, "agent": agent, "pointer": pointer}
        for agent, pointer in kept["thoughts"].items()
    ]
    return {**kept, "reasoned": reasoned}


QUESTION = Question(
    name="reason",
    title="think before anybody speaks",
    topic=PLAN,
    who=bargainers,
    answer=Thought,
    read=read,
    check=check,
    publish=publish,
    program=lambda me: me.reason(),
    shows=(stand, talk_round, standing_offer, unusual_enforcement, norms),
    teaches=True,
)

"""The question whether each clause of the contract was kept, to an impartial judge."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.deals.written.judgement import read_judgement
from shapley_coop.seats.answer import Answer
from shapley_coop.seats.clause_fields import Part
from shapley_coop.seats.elements import In
from shapley_coop.state.judging import reader
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.offered import offered_words
from shapley_coop.state.run_config import JUDGE
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import JUDGEMENT
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import all_parties, contract_in_force
from shapley_coop.state.who import judge


class ClauseVerdict(Part):
    """Whether one clause was kept."""

    clause: str
    verdict: Literal["satisfied", "violated"]


def _lines(verdicts: Any) -> str:
    found = [v for v in verdicts if isinstance(v, Mapping)]
    return "\n".join(f"{v.get('clause')}: {v.get('verdict')}" for v in found)


class Judgement(Answer):
    """Your verdict on every clause."""

    verdicts: Annotated[list[ClauseVerdict], In("s", _lines)]


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Judgement | Fault:
    """Read the judge's verdict on every clause."""
    found = read_judgement(message.speech or "", turn.evaluated.clauses)
    return found if isinstance(found, Fault) else Judgement.of(verdicts=message.speech)


def check(turn: TurnContext, agent: str, said: Judgement) -> AgentOutput | Fault:
    """Accept any judgement; the report compares it with the monitor's findings."""
    return {"act": "claim", "text": str(said.verdicts or "")}


def publish(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """Add the judgement to the public talk; a judgement changes no payment."""
    utterance = Utterance(JUDGE, outputs[JUDGE])
    return {"talk": entries(turn.table, turn.topic.name, [utterance])}


QUESTION = Question(
    name="contract_judge",
    title="judge whether the contract was kept",
    topic=JUDGEMENT,
    who=judge,
    answer=Judgement,
    read=read,
    check=check,
    publish=publish,
    program="shapley_coop.seats.embedded.clerk:Clerk.judge",
    shows=(all_parties, offered_words, contract_in_force),
    tells=since_play,
)

"""The question for the part of the joint result that an agent claims, before it sees values."""

import re
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from shapley_coop.amounts import plain
from shapley_coop.deals.language.claims import read_claim
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message
from shapley_coop.prompts.request import split
from shapley_coop.seats.answer import Facts, Fields, Spoken
from shapley_coop.seats.elements import In
from shapley_coop.state.judging import reader
from shapley_coop.state.offered import standing_offer
from shapley_coop.state.publishing import hold_answers
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.telling import since_play
from shapley_coop.state.topics import SPLIT
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import norms, stand, talk_round, unusual_enforcement
from shapley_coop.state.who import all_agents

_NUMBER = re.compile(r"\s*(\d+(\.\d+)?|\.\d+)\s*")


_DOUBTFUL = "percent: "


def _percent(value: Any) -> str:
    """Return a number as a percentage; mark a number up to 1 as doubtful. Keep other text."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return value
    # 0.5 could mean 0.5% or a half, so `read_claim` refuses this form, and the agent must retry.
    doubtful = isinstance(value, int | float | str) and 0 < float(value) <= 1
    return f"{_DOUBTFUL}{value}" if doubtful else f"{value}%"


def _said(content: str) -> str:
    """Return the field's value in a claim, without the mark of a doubtful number."""
    return content.removeprefix(_DOUBTFUL)


class Claim(Spoken):
    """What part of what all achieved was your doing."""

    percent: Annotated[float | str, In("CLAIM", _percent, _said)] = Field(
        description="From 0 to 100, as in 40; write 1 or less as text with its sign: '0.5%'."
    )

    @classmethod
    def declined(cls, facts: Facts) -> Fields:
        """Return an equal part, as the claim of a program that only acts and makes no deals."""
        return {"percent": str(100 / len(facts["agents"]))}


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Claim | Fault:
    """Read the claimed part of the joint result, as a number from 0 to 1."""
    found = read_claim(message)
    if isinstance(found, Fault):
        return found
    part, repair = found
    return Claim.of(*filter(None, [repair]), percent=plain(part), speech=message.speech)


def check(turn: TurnContext, agent: str, said: Claim) -> AgentOutput | Fault:
    """Accept any part, because a claim changes no payment."""
    return {"act": "claim", "text": said.speech or "", "part": str(said.percent)}


QUESTION = Question(
    name="claim",
    title="say what was your doing",
    topic=SPLIT,
    who=all_agents,
    answer=Claim,
    read=read,
    check=check,
    publish=hold_answers,
    program="shapley_coop.seats.embedded.splitting:Splitter.claim",
    shows=(stand, talk_round, standing_offer, unusual_enforcement, norms),
    words=(partial(split, signed=False),),
    tells=since_play,
    blind=True,
)

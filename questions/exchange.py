"""Ask a trader to speak about who does which tasks: it proposes, accepts or rejects.

Two readings: what is no valid message goes back to its author, or all is delivered as it is.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field

from shapley_coop.deals.analysis.reservation import short_of
from shapley_coop.deals.exchange.messages import accepts, check_message
from shapley_coop.deals.exchange.talk import as_deal, as_written
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.prompts.request import trade as in_words
from shapley_coop.prompts.request import turn_of_game
from shapley_coop.seats.answer import Fields, Spoken
from shapley_coop.seats.clause_fields import Part
from shapley_coop.seats.elements import Choice, Within, element_of_json
from shapley_coop.seats.person import CHOSEN
from shapley_coop.seats.records import Answer
from shapley_coop.state.budget import SPENT_UP
from shapley_coop.state.consent import reservation
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.exchange import exchange_of, masks_in, pending_of, talk_of
from shapley_coop.state.judging import unfinished
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.own_tables import Pending
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.topics import TRADE
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import trade
from shapley_coop.state.who import speaker


class Holding(Part):
    """What one agent is to have."""

    agent: str
    tasks: list[str] = Field(description="Descriptions, copied exactly.")


class Trade(Spoken):
    """Your message in the talk over tasks."""

    decision: Annotated[
        Literal["propose", "accept", "reject"],
        Choice({"accept": "<ACCEPT>", "reject": "<REJECT>"}),
    ]
    allocation: Annotated[list[Holding] | None, Within("`<PROPOSAL>`", ("proposal",))] = Field(
        description="With propose and reject: who does what."
    )

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Write the decision, and who is to have what."""
        held = fields.get("allocation") or []
        allocation = {h.get("agent"): h.get("tasks") for h in held if isinstance(h, Mapping)}
        put = element_of_json("PROPOSAL", allocation) if allocation else ""
        return super().decided(fields) + put


def read(turn: TurnContext, agent: str, answer: Answer) -> Trade | Fault:
    """Read a valid message, or say by a label what is wrong (utility-aware exchange, B.2)."""
    if fault := unfinished(answer):
        return fault
    talk = talk_of(turn.evaluated, agent)
    tasks, standing = talk.tasks, talk.to_answer(agent)
    asked = (masks_in(tasks, standing["by"], standing["wrote"]) or {}) if standing else None
    verdict = check_message(answer.text, tasks, agent, asked)
    if verdict.label is not None:
        return Fault(verdict.label, verdict.feedback)
    text = as_written(answer.text)
    assert verdict.act is not None, "a valid message does something"
    return Trade.of(*verdict.repairs, decision=verdict.act, allocation=verdict.masks, speech=text)


def check(turn: TurnContext, agent: str, said: Trade) -> AgentOutput | Fault:
    """Let nobody agree to an allocation that is worth less to it than it requires."""
    least, masks = reservation(turn, agent), said.allocation
    if least is not None and isinstance(masks, Mapping):
        worth = talk_of(turn.evaluated, agent).worth(agent, masks[agent])
        if fault := short_of(least, Fraction(str(worth))):
            return fault
    return {"act": said.decision, "text": said.speech or ""}


def read_as_it_is(turn: TurnContext, agent: str, answer: Answer) -> Trade | Fault:
    """Read what any message does, as it was written.

    Where it is not clear what of it is thought, nothing of it is said: here nobody is asked back.
    """
    text = as_written(answer.text)
    message, decision = scan(text), "pass"
    if "<PROPOSAL>" in text:
        decision = "reject" if "<REJECT>" in text else "propose"
    elif isinstance(message, Message) and accepts(message):
        decision = "accept"
    return Trade.of(decision=decision, allocation=None, speech=text)


def attempts(evaluated: EvaluatedTable) -> int:
    """How many invalid messages end the talk at one turn."""
    return exchange_of(evaluated).params.attempts


def publish(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """One turn of talk.

    Verdicts: `error` (no valid message in all attempts), `agreed` (all have accepted what
    stands), `no_deal` (the turns are used up) and `talk_on`. A proposal's revision is its turn.
    """
    table = turn.table
    (author, said), number = next(iter(outputs.items())), table["round"]
    standing = pending_of(table)
    if said["act"] in ("propose", "reject"):
        said = {**said, "deal": deal_in(turn, author, said["text"]).record()}
        about = standing["turn"] if standing and said["act"] == "reject" else 0
        utterance = Utterance(author, said, puts=number, about=about)
        standing = {"by": author, "turn": number, "wrote": said["text"], "accepted": [author]}
    else:
        accepting = said["act"] == "accept" and standing is not None
        utterance = Utterance(author, said, about=standing["turn"] if standing and accepting else 0)
        if standing and accepting:
            standing = {**standing, "accepted": sorted({*standing["accepted"], author})}
    return {
        "talk": entries(table, turn.topic.name, [utterance]),
        "pending": standing,
        "revision": standing["turn"] if standing else 0,
        **_next_turn(turn, said, standing),
    }


def deal_in(turn: TurnContext, by: str, text: str) -> Deal:
    """A delivered proposal as a deal; one that is not valid says nothing that could bind."""
    game = exchange_of(turn.evaluated)
    masks = masks_in(game.tasks, by, text)
    if masks is None:
        return Deal()
    hands = game.hands({agent: int(bits, 2) for agent, bits in masks.items()})
    return as_deal(game.tasks, masks, from_turn=len(hands) + 1)


def _next_turn(turn: TurnContext, said: AgentOutput, standing: Pending | None) -> dict[str, Any]:
    table = turn.table
    agents, number = table["agents"], table["round"]
    if (
        said["act"] == "pass"
        and "pointer" not in said
        and said.get("label") not in (CHOSEN, SPENT_UP)
    ):
        return {"verdict": "error"}
    if standing and set(standing["accepted"]) >= set(agents):
        return {"verdict": "agreed"}
    if number >= exchange_of(turn.evaluated).params.talk:
        return {"verdict": "no_deal"}
    after = agents[(agents.index(table["speaker"]) + 1) % len(agents)]
    return {"verdict": "talk_on", "round": number + 1, "speaker": after}


QUESTION = Question(
    "exchange",
    "speak about the tasks",
    TRADE,
    speaker,
    Trade,
    read,
    check,
    publish,
    program=lambda me: me.trader.talk(),
    shows=(trade,),
    words=(turn_of_game, in_words),
    tries=attempts,
    rules="exchange_table",
)

AS_IT_IS = replace(QUESTION, read=read_as_it_is)
"""The same; every message is delivered as it is written."""

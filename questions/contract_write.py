"""The question to an impartial summariser, who writes down the accepted offer."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault, list_faults
from shapley_coop.deals.language.reading import Reading, read_proposal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire import Message
from shapley_coop.deals.written.document import SECTIONS, changed_clauses, differences
from shapley_coop.prompts.request import offer_to_answer, turn_of_game
from shapley_coop.seats.answer import Answer, Drafted, Facts, Fields
from shapley_coop.seats.clause_fields import Clause, proposal
from shapley_coop.seats.elements import In, Within
from shapley_coop.state.consent import cannot_sign, put_offer, terms_of
from shapley_coop.state.judging import reader
from shapley_coop.state.messages import Utterance, entries
from shapley_coop.state.offered import offered_words
from shapley_coop.state.run_config import SUMMARISER
from shapley_coop.state.table import AgentOutput
from shapley_coop.state.telling import what_was_agreed
from shapley_coop.state.topics import PLAN
from shapley_coop.state.turn import Question, TurnContext
from shapley_coop.state.view import all_parties, contract_in_force
from shapley_coop.state.who import summariser


class Prose(Drafted):
    """The contract in prose."""

    prose: Annotated[str | None, In("s")] = Field(
        description="The contract's sections; null if none can be written."
    )


class Document(Prose):
    """The contract in prose, or why none can be written."""

    clauses: Annotated[list[Clause] | None, Within("the clauses of `<PROPOSAL>`")] = Field(
        description="The clauses that you draft, if none were agreed."
    )
    impossible: Annotated[str | None, In("REJECT")] = Field(
        description="Why no clauses can be made; else null."
    )

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Return `Prose` if clauses were agreed, since only prose is left to write."""
        agreed = facts.get("offer", {}).get("clauses")
        return Prose if agreed else super().narrowed(facts, carries)

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the clauses in tags or, if there are none, the reason in tags."""
        return proposal(fields) + super().decided(fields)


@reader
def read(turn: TurnContext, agent: str, message: Message) -> Document | Fault:
    """Read the prose and its clauses, or why no clauses could be made of an offer in words."""
    agreed, prose = turn.evaluated.offered, message.speech
    if message.reject is not None and not agreed.clauses:
        return Document.holding(None, prose=None, impossible=message.reject or prose or "")
    if not prose:
        return Fault("MPT", "Write the contract's five sections into one <s>…</s>.")
    found = _clauses(turn, agreed, message)
    if isinstance(found, Fault):
        return found
    return Document.holding(found, prose=prose, impossible=None)


def check(turn: TurnContext, agent: str, said: Document) -> AgentOutput | Fault:
    """Accept prose in five sections that says exactly what the clauses say.

    A summary that adds, drops or changes an agreed clause is refused, and its author reads the
    difference. After an agreement in words, the summariser writes clauses and prose; the clauses
    are checked, and then the parties are asked to sign. If the words cannot become clauses, the
    summariser gives a reason that all parties read.
    """
    if said.found is None or said.prose is None:
        return {"act": "pass", "text": said.impossible or "", "label": "UNWRITTEN"}
    agreed, deal, game = turn.evaluated.offered, said.found.deal, turn.evaluated.game
    if not agreed.clauses and (fault := cannot_sign(turn, agent, deal)):
        return fault
    terms = Terms(game.agents, game.actions, game.turns, goods=game.goods)
    if faults := differences(said.prose, deal, terms):
        return Fault("DIFF", list_faults(faults))
    written: AgentOutput = {"act": "write", "text": said.prose}
    return written if agreed.clauses else put_offer(written, said.found)


def _clauses(turn: TurnContext, agreed: Deal, message: Message) -> Reading | Fault:
    """Return the agreed clauses or, if none, the drafted ones; a fault if agreed ones changed."""
    if message.proposal is None:
        if agreed.clauses:
            return Reading(agreed)
        return Fault("MPT", "The talk was in words: draft its clauses in one <PROPOSAL>.")
    found = read_proposal(message.proposal, terms_of(turn))
    if isinstance(found, Fault) or not agreed.clauses:
        return found
    changed = changed_clauses(agreed, found.deal)
    return Fault("DIFF", list_faults(changed)) if changed else Reading(agreed)


def publish(turn: TurnContext, outputs: Mapping[str, AgentOutput]) -> dict[str, Any]:
    """Publish the written contract; clauses that the summariser drafted wait to be signed.

    Verdicts: `written` (the agreed clauses need no signature), `to_sign` (the parties must sign the
    new clauses), and `unwritten` (no clauses could be drafted).
    """
    said, table = outputs[SUMMARISER], turn.table
    offer = turn.evaluated.offer
    assert offer is not None, "only what was agreed is written down"
    topic, agreed = "contract", bool(offer["deal"]["clauses"])
    if agreed:
        utterance = Utterance(SUMMARISER, said, about=offer["revision"])
        return {"talk": entries(table, topic, [utterance]), "verdict": "written"}
    if said["act"] != "write":
        utterance = Utterance(SUMMARISER, said)
        return {
            "talk": entries(table, topic, [utterance]),
            "offer": None,
            "lapsed": _unwritten(said),
            "verdict": "unwritten",
        }
    revision = table["revision"] + 1
    utterance = Utterance(SUMMARISER, said, puts=revision)
    return {
        "talk": entries(table, turn.topic.name, [utterance]),
        "offer": put(Deal.of(said["deal"]), SUMMARISER, revision),
        "revision": revision,
        "verdict": "to_sign",
    }


def _unwritten(said: AgentOutput) -> str:
    """Return a text that says why the accepted offer in words became no contract."""
    why = said["text"] or f"no draft of its clauses was sound ({said.get('label', '')})"
    return f"All accepted an offer in words, but the summariser made no contract of it: {why}"


def _goods(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the goods that clauses can transfer."""
    return {"goods": list(turn.evaluated.game.goods)}


QUESTION = Question(
    name="contract_write",
    title="write down what was agreed",
    topic=PLAN,
    who=summariser,
    answer=Document,
    read=read,
    check=check,
    publish=publish,
    program="shapley_coop.seats.embedded.clerk:Clerk.write",
    shows=(all_parties, offered_words, contract_in_force, _goods),
    words=(
        offer_to_answer,
        turn_of_game,
        lambda view: {"sections": SECTIONS, "goods": view["goods"]},
    ),
    tells=what_was_agreed,
    teaches=True,
)

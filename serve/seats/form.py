"""What a person fills in at a seat, and what a draft of it would come to.

A form says what can be chosen, so that nobody writes tags or JSON. What was filled in is put into
the message that a model would write, and read by the same check: what a preview refuses, the table
refuses, in the same words.

>>> form_of(turn, "Bob", facts)["legal"]  # doctest: +SKIP
['door', 'lever']
>>> preview(turn, "Bob", {"decision": "accept"})["why"]  # doctest: +SKIP
''
"""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.games import Game
from shapley_coop.games.gives import legal_in
from shapley_coop.prompts.computed import outlook_table
from shapley_coop.seats.answer import Action
from shapley_coop.seats.answer import Answer as Fields
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.elements import Choice
from shapley_coop.seats.records import Answer
from shapley_coop.state.consent import terms_of
from shapley_coop.state.exchange import TradeQuestion, masks_in, talk_in
from shapley_coop.state.judging import take
from shapley_coop.state.procedure import clause_kinds
from shapley_coop.state.turn import TurnContext

Facts = Mapping[str, Any]

DRAFTED = ("contract_propose", "contract_answer")
"""The acts in which a contract is drafted, in clauses or in words."""

FIELDS = "fields"
"""The kind of a reply that gives fields; they are named in `seats.schema`."""

WORDS = "words"
"""The decision to draft a contract in words alone, of which an outsider makes the clauses."""

DRAFT = "draft"
"""The kind of a request that is no reply, and asks what the fields would come to."""


def form_of(turn: TurnContext, agent: str, facts: Facts) -> dict[str, Any]:
    """Return what there is to choose from; only what is asked for now is in it.

    `fields` are the names of what can be filled in, `legal` the actions, `carries` whether one
    needs content; `decisions` are those on a deal, each with what its button says; `deal` is what
    clauses can name, and `words` whether words do in their place; `offer` stands and can be
    changed; `trade` is what there is to allocate; where answers are sealed, the question adds what
    can be proposed.

    Args:
        turn: who is asked for what.
        agent: who fills it in.
        facts: of its letter.
    """
    act, answer = turn.question.name, turn.question.answer
    form: dict[str, Any] = {"fields": _fields(answer)}
    if issubclass(answer, Action):
        carries = act == "act" and type(turn.evaluated.game).action_label is not Game.action_label
        form |= {"legal": list(legal_in(facts)), "carries": carries}
    decision = answer.written().get("decision")
    if isinstance(decision, Choice) and decision.labels:
        form["decisions"] = dict(decision.labels)
    if "clauses" in form["fields"]:
        form |= {"deal": _deal(turn), "words": act in DRAFTED}
        if (offer := facts.get("offer")) and (wire := offer.get("wire")):
            form["offer"] = {"by": offer["by"], "revision": offer["revision"], **wire}
    if "allocation" in form["fields"]:
        form["trade"] = _trade(facts)
    if sealed := turn.question.sealed:
        form |= sealed.choices(turn, agent)
    return form


def message_of(act: str, fields: Any) -> str:
    """Return the message that says what was filled in.

    Raises:
        ValueError: it is no object, or nobody is asked for fields now, or what is offered is
            missing, so that the message would say less than was decided.
    """
    if not isinstance(fields, dict) or find_question(act) is None:
        raise ValueError("args: give the fields of the form as one object")
    decision = fields.get("decision")
    if decision in ("offer", "counter") and not fields.get("clauses"):
        raise ValueError("Your offer has no clause: add one, or decide otherwise")
    if decision == WORDS and act in DRAFTED:
        # Words alone are an answer of their own only where an offer can stand.
        return tag_fields("contract_answer", {**fields, "clauses": None, "drops": None})
    return tag_fields(act, fields)


def preview(turn: TurnContext, agent: str, fields: Any) -> dict[str, Any]:
    """Return what a draft would come to; nothing is kept of it, and nobody else sees it.

    `refused` and `why` are the label and the words with which it would be sent back; both are
    empty if it would be taken. Of a deal that can be read, `words` are its clauses, and `outlook`
    is what each party would get, as a table, or `why_not`; of what is sealed, `words` say it. Of an
    allocation of tasks `worth` is what its own are worth to the agent.

    Raises:
        ValueError: the fields are no object.
    """
    text = message_of(turn.question.name, fields)
    found = take(turn, agent, Answer(text))
    if isinstance(found, Fault):
        return {"refused": found.label, "why": found.feedback, "words": []}
    told: dict[str, Any] = {"refused": "", "why": "", "words": []}
    if (worth := _worth(turn, agent, text)) is not None:
        return {**told, "worth": worth}
    if sealed := turn.question.sealed:
        return {**told, "words": sealed.in_words(turn, agent, text)}
    if not (record := found.get("deal")) or not record["clauses"]:
        return told
    deal = Deal.model_validate(record)
    told |= {"words": deal.text().splitlines(), "repairs": list(found.get("repairs", ()))}
    norms = turn.norms if turn.topic.phase == "negotiation" else []
    outlook = turn.evaluated.outlook_or_why_not(deal, viewer=agent, norms=norms)
    if not outlook["rows"]:
        return {**told, "why_not": outlook.get("why_not", "")}
    columns, rows, how = outlook_table(outlook, agent)
    return {**told, "outlook": {"columns": columns, "rows": rows, "how": how}}


def _worth(turn: TurnContext, agent: str, text: str) -> float | None:
    """Return what its own tasks of a proposed allocation are worth to an agent; else None."""
    if not isinstance(turn.question, TradeQuestion):
        return None
    talk = talk_in(turn, agent)
    masks = masks_in(talk.tasks, agent, text)
    return None if masks is None else talk.worth(agent, masks[agent])


def _fields(answer: type[Fields]) -> list[str]:
    """Return what an answer is made of, without what is told elsewhere."""
    return [*answer.model_fields, "notes"]


def _deal(turn: TurnContext) -> dict[str, Any]:
    """Return what the clauses of a deal can name here."""
    terms, standing = terms_of(turn), turn.evaluated.clauses
    return {
        "agents": list(terms.agents),
        "actions": terms.actions,
        "turns": terms.turns,
        "turn": turn.evaluated.turn,
        "norms": list(terms.norms),
        "goods": list(terms.goods),
        "kinds": list(clause_kinds(turn)),
        "drops": [{"id": cid, "says": standing[cid].words()} for cid in terms.droppable],
    }


def _trade(facts: Facts) -> dict[str, Any]:
    """The single tasks by their descriptions, who has them now, and the proposal to be answered."""
    count = len(facts["atoms"])
    registry = facts["registry"]
    single = ["0" * n + "1" + "0" * (count - n - 1) for n in range(count)]
    tasks = [
        {
            "says": registry[bits],
            "held": next(a for a, mask in facts["initial"].items() if mask[n] == "1"),
        }
        for n, bits in enumerate(single)
        if bits in registry
    ]
    pending = facts.get("pending")
    return {
        "agents": list(facts["agents"]),
        "tasks": tasks,
        "pending": pending and {"by": pending["by"], "masks": pending.get("masks")},
    }

"""The form that a person fills in at a seat, and the preview of a filled-in draft.

A form lists the choices, so that a person need not write tags or JSON. The filled-in fields become
the message that a model would write. The game checks people's and models' messages by the same
function. So a preview refuses the same drafts as the game, with the same reasons.

>>> form_of(turn, "Bob", facts)["legal"]  # doctest: +SKIP
['door', 'lever']
>>> preview(turn, "Bob", {"decision": "accept"})["why"]  # doctest: +SKIP
''
"""

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, get_args

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault, FaultRecord
from shapley_coop.games import Game
from shapley_coop.games.gives import legal_in
from shapley_coop.prompts.computed import outlook_table
from shapley_coop.prompts.talk import at_turns
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
"""The kinds of question that ask for a contract, drafted as clauses or in words."""

FIELDS = "fields"
"""The kind of a reply that consists of fields, whose names are in `seats.schema`."""

WORDS = "words"
"""The decision to draft a contract in words only; a model without a seat writes its clauses."""

DRAFT = "draft"
"""The kind of a request that only previews the fields and does not reply."""


def form_of(turn: TurnContext, agent: str, facts: Facts) -> dict[str, Any]:
    """Return an agent's form: its current choices. A choice that the agent lacks has no key.

    `fields` are the fields' names. `legal` are the legal actions, and `carries` says whether an
    action can have content. `decisions` maps each decision to its button's text. `deal`
    lists the names that clauses can use; `words` says whether words can replace clauses. `offer` is
    the current offer, and `trade` has the tasks to allocate. `labels` maps the codes of actions and
    goods to words. A sealed question adds other keys.

    Args:
        turn: the turn, with its question.
        agent: the agent whose form this is.
        facts: the facts in the agent's letter.
    """
    act, answer = turn.question.name, turn.question.answer
    form: dict[str, Any] = {"fields": _fields(answer)}
    if issubclass(answer, Action):
        carries = act == "act" and type(turn.evaluated.game).action_label is not Game.action_label
        form |= {"legal": list(legal_in(facts)), "carries": carries}
    if "clauses" in form["fields"]:
        form |= {"deal": _deal(turn), "words": act in DRAFTED}
        if (offer := facts.get("offer")) and (wire := offer.get("wire")):
            form["offer"] = {"by": offer["by"], "revision": offer["revision"], **wire}
    if "allocation" in form["fields"]:
        form["trade"] = _trade(turn, agent, facts)
    if decisions := _decisions(answer.narrowed(facts) or answer, form):
        form["decisions"] = decisions
    if sealed := turn.question.sealed:
        form |= sealed.choices(turn, agent)
    named = form.get("deal", {})
    codes = [
        *form.get("legal", ()),
        *named.get("goods", ()),
        *chain(*named.get("actions", {}).values()),
    ]
    told = {code: turn.evaluated.game.for_people(code) for code in codes}
    return form | {"labels": {code: words for code, words in told.items() if words != code}}


KINDS = {
    "do": "Somebody does …",
    "forbid": "Somebody must not …",
    "pay": "Somebody pays …",
    "give": "Somebody gives …",
    "share": "The total is split …",
}
"""Kind of clause → the label of the button that adds one."""

PER = {"once": "once", "turn": "for each turn", "reward": "as a part (0 to 1) of its rewards"}
"""Basis of a payment (`per`) → the basis in words."""

LABELS = {
    "offer": "Make an offer",
    "none": "Propose nothing",
    "propose": "Propose an allocation",
    "accept": "Accept it",
    "reject": "Reject it",
    "counter": "Reject it, and make an offer of my own",
    WORDS: "Propose in words alone: somebody impartial drafts the clauses",
}
"""Decision → the label of its button, for a question whose answer names no labels."""


AFTER_PLAY = {
    "offer": "Propose another split",
    "none": "Leave it as it is",
    "counter": "Reject it, and propose another split",
}
"""Decision → its label once the play is over, when only the total is split."""


def _decisions(answer: type[Fields], form: Facts) -> dict[str, str]:
    """Return each decision that a form permits, with the label of its button."""
    field, how = answer.model_fields.get("decision"), answer.written().get("decision")
    values = list(get_args(field.annotation)) if field else ["offer", "none"]
    if not field and "deal" not in form:
        return {}
    labels = LABELS | dict(how.labels if isinstance(how, Choice) else {})
    if "trade" in form:
        values = ["accept", "reject"] if form["trade"]["pending"] else ["propose"]
        labels["reject"] = "Reject it, and propose another allocation"
    if form.get("words"):
        values.append(WORDS)
    if known := form.get("deal"):
        labels |= AFTER_PLAY if known["turn"] > known["turns"] else {}
    return {value: labels.get(value, value) for value in values}


_FIELDS = {
    "PROPOSAL": "Your offer",
    "ACTION": "Your action",
    "CLAIM": "What part was your doing",
    "s": "What you say to all",
    "CONSIDER": "Your thoughts",
    "NOTES": "Notes for yourself",
}
"""Tag → the label of the form's field for this tag."""

_ELEMENT = re.compile(r"(?:\b(?:one|an?) )?`?<(\w+)>(?:[^<>]{0,12}</\1>)?`?")
_LINE = re.compile(r"\ba line `[^:`]*: ")


def refusal_in_words(turn: TurnContext, fault: FaultRecord) -> str:
    """Return the reason of a refusal as a person reads it: the form's labels in place of tags.

    >>> refusal_in_words(turn, {"label": "ACK", "feedback": "Answer <ACCEPT>."})  # doctest: +SKIP
    'Answer “Accept it”.'
    """
    feedback = fault["feedback"]
    if fault["label"] == "SIGN":  # change nothing, since the party signs exactly this text
        return feedback
    answer = turn.question.answer
    form = {"deal": _deal(turn)} if "clauses" in answer.model_fields else {}
    offered = LABELS | _decisions(answer, form)
    refuse = offered["reject" if "decision" in answer.model_fields else "none"]
    labels = {**_FIELDS, "ACCEPT": offered["accept"], "REJECT": refuse}
    named = _ELEMENT.sub(lambda tag: f"“{labels.get(tag[1], tag[1])}”", feedback)
    return turn.evaluated.game.for_people(_LINE.sub("as in ", named).replace("`", ""))


def message_of(act: str, fields: Any) -> str:
    """Return a form's fields as the message that a model would write.

    Raises:
        ValueError: `fields` is not an object, the act has no form, or the decision is to make an
            offer but `clauses` is empty.
    """
    if not isinstance(fields, dict) or find_question(act) is None:
        raise ValueError("args: give the fields of the form as one object")
    decision = fields.get("decision")
    if decision in ("offer", "counter") and not fields.get("clauses"):
        raise ValueError("Your offer has no clause: add one, or decide otherwise")
    if decision == WORDS and act in DRAFTED:
        # Only the message of `contract_answer` can have words without clauses.
        return tag_fields("contract_answer", {**fields, "clauses": None, "drops": None})
    return tag_fields(act, fields)


def preview(turn: TurnContext, agent: str, fields: Any) -> dict[str, Any]:
    """Return the consequences of a draft. The draft is not stored or shown to other agents.

    `refused` and `why` are the label and the reason of a refusal, or empty if the draft is valid.
    For a readable deal, `words` are its clauses. `outlook` is a table of each party's payoff, or
    `why_not` says why there is no table. For a sealed answer, `words` describe the answer. For
    an allocation of tasks, `worth` is the agent's utility from the tasks allocated to it.

    Raises:
        ValueError: the fields are not an object.
    """
    text = message_of(turn.question.name, fields)
    found = take(turn, agent, Answer(text))
    if isinstance(found, Fault):
        why = refusal_in_words(turn, found.record())
        return {"refused": found.label, "why": why, "words": []}
    told: dict[str, Any] = {"refused": "", "why": "", "words": []}
    if (worth := _worth(turn, agent, text)) is not None:
        return {**told, "worth": worth}
    if sealed := turn.question.sealed:
        return {**told, "words": sealed.in_words(turn, agent, text)}
    if not (record := found.get("deal")) or not record["clauses"]:
        return told
    deal = Deal.model_validate(record)
    game = turn.evaluated.game
    said = game.for_people(at_turns(deal.text(), game.turns))
    told |= {"words": said.splitlines(), "repairs": list(found.get("repairs", ()))}
    norms = turn.norms if turn.topic.phase == "negotiation" else []
    outlook = turn.evaluated.outlook_or_why_not(deal, viewer=agent, norms=norms)
    if not outlook["rows"]:
        return {**told, "why_not": outlook.get("why_not", "")}
    columns, rows, how = outlook_table(outlook, agent)
    return {**told, "outlook": {"columns": columns, "rows": rows, "how": how}}


def _worth(turn: TurnContext, agent: str, text: str) -> float | None:
    """Return an agent's utility from a proposed allocation, or None if none is proposed."""
    if not isinstance(turn.question, TradeQuestion):
        return None
    talk = talk_in(turn, agent)
    masks = masks_in(talk.tasks, agent, text)
    return None if masks is None else talk.worth(agent, masks[agent])


def _fields(answer: type[Fields]) -> list[str]:
    """Return the names of an answer's fields, with the field `notes` added."""
    return [*answer.model_fields, "notes"]


def _deal(turn: TurnContext) -> dict[str, Any]:
    """Return the names that a new deal's clauses can use, and the old clauses it can drop."""
    terms, standing = terms_of(turn), turn.evaluated.clauses
    return {
        "agents": list(terms.agents),
        "actions": terms.actions,
        "turns": terms.turns,
        "turn": turn.evaluated.turn,
        "norms": list(terms.norms),
        "goods": list(terms.goods),
        "kinds": {kind: KINDS[kind] for kind in clause_kinds(turn) if kind in KINDS},
        "per": PER,
        "drops": [{"id": cid, "says": standing[cid].words()} for cid in terms.droppable],
    }


def _trade(turn: TurnContext, agent: str, facts: Facts) -> dict[str, Any]:
    """Return the agents, the tasks with their present and proposed holders, and who proposes.

    `worth` is the agent's utility from the tasks proposed to it; without a proposal, from its own.
    """
    count, pending = len(facts["atoms"]), facts.get("pending")
    masks = (pending or {}).get("masks") or {}
    registry = facts["registry"]
    single = ["0" * n + "1" + "0" * (count - n - 1) for n in range(count)]
    tasks = [
        {
            "says": registry[bits],
            "name": facts["atoms"][n]["says"].rstrip("."),
            "held": next(a for a, mask in facts["initial"].items() if mask[n] == "1"),
            "proposed": next((a for a, mask in masks.items() if mask[n] == "1"), ""),
        }
        for n, bits in enumerate(single)
        if bits in registry
    ]
    by = pending and {"by": pending["by"], "worth": pending.get("your_utility")}
    worth = talk_in(turn, agent).worth(agent, facts["initial"][agent])
    return {"agents": list(facts["agents"]), "tasks": tasks, "pending": by, "worth": worth}

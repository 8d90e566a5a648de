"""The form that a person fills in at a seat, and reasons for refusals in the form's words.

A form lists the choices, so that a person need not write tags or JSON. The filled-in fields become
the message that a model would write.

>>> form_of(turn, "Bob", facts)["legal"]  # doctest: +SKIP
['door', 'lever']
"""

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, get_args

from shapley_coop.amounts import plain
from shapley_coop.deals.language.faults import FaultRecord
from shapley_coop.extensions.people.sums import as_sums
from shapley_coop.extensions.people.typed import Mistyped, read_fields
from shapley_coop.games import Game
from shapley_coop.games.gives import legal_in
from shapley_coop.seats.answer import Action
from shapley_coop.seats.answer import Answer as Fields
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.elements import Choice
from shapley_coop.state.consent import terms_of
from shapley_coop.state.outsiders import can_draft
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
    action can have content. `unit` is the unit of amounts, or empty for points. `decisions` maps
    each decision to its button's text. `deal` lists the names that clauses can use; if a split may
    be written in amounts, its key `amounts` has what each agent earned; its key `words` says
    whether words can replace clauses. `offer` is the current offer, and `trade` has the tasks to
    allocate. `labels` maps the codes of actions and goods to words. A sealed question adds other
    keys.

    Args:
        turn: the turn, with its question.
        agent: the agent whose form this is.
        facts: the facts in the agent's letter.
    """
    act, answer = turn.question.name, turn.question.answer
    form: dict[str, Any] = {"fields": _fields(answer), "unit": turn.evaluated.game.currency}
    if issubclass(answer, Action):
        carries = act == "act" and type(turn.evaluated.game).action_label is not Game.action_label
        form |= {"legal": list(legal_in(facts)), "carries": carries}
    if "clauses" in form["fields"]:
        form |= {"deal": _deal(turn), "words": act in DRAFTED and can_draft(turn, agent)}
        if (offer := facts.get("offer")) and offer.get("wire"):
            form["offer"] = _offer(turn, offer)
    if more := turn.question.form:
        form |= more.choices(turn, agent)
    if decisions := _decisions(answer.narrowed(facts) or answer, form):
        form["decisions"] = decisions
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

PER = {"once": "once", "turn": "for each turn", "reward": "as a part of its rewards, as in 10 %"}
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
        if not form["trade"]["final"]:
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

_ELEMENT = re.compile(r"(?:\b(?:one|an?) )?`?<(\w+)>(?:(?:[^<>]{0,12}|\{[^<>]*\})</\1>)?`?")
_CODES = {
    r"\ba line `[^:`]*: ": "as in ",
    r" \(mask=[01]+\)": "",
    r'as in "\w+": "?([^".]*)"?': r"as in \1",
    r': list the ids of clauses that end, as in \["c2"\]': ": it names no clause that can end",
    r"\{'[^\n]*\} is no condition": "the condition cannot be read",
    r": write (?:one object: )?\{[^\n]*?(?=\.?(?:\n|$))": ": choose it anew",
    r"\b40% or 0\.4\b": "40 %",
}
"""Parts of a refusal that only programs and models can use → the words for a person."""


def refusal_in_words(turn: TurnContext, fault: FaultRecord) -> str:
    """Return the reason of a refusal as a person reads it: the form's labels in place of tags.

    >>> refusal_in_words(turn, {"label": "ACK", "feedback": "Answer <ACCEPT>."})  # doctest: +SKIP
    'Answer “Accept it”.'
    """
    feedback = fault["feedback"]
    if fault["label"] == "SIGN":  # change nothing in the text, since the party signs exactly it
        return feedback
    answer = turn.question.answer
    form = {"deal": _deal(turn)} if "clauses" in answer.model_fields else {}
    offered = LABELS | _decisions(answer, form)
    refuse = offered["reject" if "decision" in answer.model_fields else "none"]
    labels = {**_FIELDS, "ACCEPT": offered["accept"], "REJECT": refuse}
    named = _ELEMENT.sub(lambda tag: f"“{labels.get(tag[1], tag[1])}”", feedback)
    for code, words in _CODES.items():
        named = re.sub(code, words, named)
    return turn.evaluated.game.for_people(named.replace("`", ""))


def message_of(act: str, fields: Any) -> str:
    """Return a form's fields as the message that a model would write.

    Raises:
        ValueError: `fields` is not an object, the act has no form, a number is mistyped, or the
            decision is to make an offer but `clauses` is empty.
    """
    question = find_question(act)
    if not isinstance(fields, dict) or question is None:
        raise ValueError("args: give the fields of the form as one object")
    fields = read_fields(fields, question.takes_amounts)
    decision = fields.get("decision")
    if decision in ("offer", "counter") and not fields.get("clauses"):
        raise ValueError("Your offer has no clause: add one, or decide otherwise")
    if decision == WORDS and not fields.get("speech"):
        raise Mistyped("Write your proposal into “Your proposal in words”.")
    if decision == WORDS and act in DRAFTED:
        fields |= {"decision": "counter", "clauses": None, "drops": None}
    return tag_fields(act, fields)


def _fields(answer: type[Fields]) -> list[str]:
    """Return the names of an answer's fields, with the field `notes` added."""
    return [*answer.model_fields, "notes"]


def _deal(turn: TurnContext) -> dict[str, Any]:
    """Return the names that a new deal's clauses can use, and the old clauses it can drop."""
    terms, standing = terms_of(turn), turn.evaluated.clauses
    earned = turn.evaluated.earned if turn.question.takes_amounts else {}
    return {
        "amounts": {agent: plain(x) for agent, x in earned.items()},
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


def _offer(turn: TurnContext, offer: Facts) -> dict[str, Any]:
    """Return the current offer, whose clauses a counter-offer begins with."""
    found = {"by": offer["by"], "revision": offer["revision"], **offer["wire"]}
    if turn.question.takes_amounts:
        found["clauses"] = as_sums(found["clauses"], turn.evaluated.total)
    return found

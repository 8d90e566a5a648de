"""What each act's answer looks like in fields: for models that answer by a schema or a tool.

One class for each kind of answer. `schema_of` makes the JSON schema that a provider enforces;
`answers.tagged` puts what came back into the tagged text that everything else reads. The fields
say what the letters teach, in the same spelling.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from shapley_coop.games.actions import ActionRule, told_actions
from shapley_coop.games.gives import legal_in
from shapley_coop.sealed_letters import sealed_letter
from shapley_coop.seats.clause_fields import Clause, Part, WithGoods

_CLAUSES = Field(description="The whole offer, clause by clause; null for none.")
_DROPS = Field(description="Ids of payments or shares of the contract in force that end; or null.")


class _Answer(Part):
    thoughts: str = Field(description="Private reasoning; nobody else reads it.")


class _Spoken(_Answer):
    speech: str | None = Field(description="What you say to all; it binds nobody.")


class Thought(_Answer):
    """Your private reasoning."""


class Offer(_Spoken):
    """An offer to the others; without clauses you make none."""

    clauses: list[Clause] | None = _CLAUSES
    drops: list[str] | None = _DROPS


class Reply(_Spoken):
    """Your answer to the offer."""

    decision: Literal["accept", "reject", "counter"]
    offer: int | None = Field(description="The number of the offer that you accept, if it has one.")
    clauses: list[Clause] | None = Field(description="With counter: your own offer, whole.")
    drops: list[str] | None = _DROPS


class Signature(_Spoken):
    """Whether you sign the contract as it stands."""

    decision: Literal["accept", "reject"]


class Ratification(_Spoken):
    """Whether you sign the delegates' deal, veto it, or stay out of it (leave)."""

    decision: Literal["sign", "veto", "leave"]


class Claim(_Spoken):
    """What part of what all achieved was your doing."""

    percent: float | str = Field(
        description="From 0 to 100, as in 40; of 1 or less in words with its sign, as in '0.5%'."
    )


class Written(_Answer):
    """The contract in prose, or why none can be written."""

    prose: str | None = Field(description="The contract's sections; null if none can be written.")
    clauses: list[Clause] | None = Field(description="Where none were given: drafted clauses.")
    impossible: str | None = Field(description="Why no clauses can be made; else null.")


class ClauseVerdict(Part):
    """Whether one clause was kept."""

    clause: str
    verdict: Literal["satisfied", "violated"]


class Judgement(_Answer):
    """Your verdict on every clause."""

    verdicts: list[ClauseVerdict]


class Holding(Part):
    """What one agent is to have."""

    agent: str
    tasks: list[str] = Field(description="Descriptions, copied exactly.")


class Trade(_Spoken):
    """Your message in the talk over tasks."""

    decision: Literal["propose", "accept", "reject"]
    allocation: list[Holding] | None = Field(description="With propose and reject: who does what.")


ANSWERS: dict[str, type[_Answer]] = {
    "reason": Thought,
    "consider": Thought,
    "propose": Offer,
    "propose_split": Offer,
    "contract_propose": Offer,
    "answer": Reply,
    "answer_split": Reply,
    "answer_bounty": Reply,
    "contract_answer": Reply,
    "contract_sign": Signature,
    "ratify": Ratification,
    "claim": Claim,
    "contract_write": Written,
    "contract_judge": Judgement,
    "exchange": Trade,
}
"""Act → the answer that it asks for; `act` and `elect` have what can be chosen in it."""


ELEMENTS = {
    "thoughts": "`<CONSIDER>`",
    "speech": "`<s>`",
    "prose": "`<s>`",
    "decision": "`<ACCEPT>` or `<REJECT>`",
    "clauses": "the clauses of `<PROPOSAL>`",
    "allocation": "`<PROPOSAL>`",
    "action": "`<ACTION>`",
    "percent": "`<CLAIM>`",
    "impossible": "`<REJECT>`",
    "notes": "`<NOTES>`",
}
"""Field → the element of the tagged text that it stands for, by which letters speak of it."""


def answer_of(act: str) -> type[BaseModel] | None:
    """Return the answer that an act asks for; None for `act` and `elect`, and for what is none."""
    sealed = sealed_letter(act)
    return sealed.answer if sealed else ANSWERS.get(act)


def in_fields(act: str, fields: Iterable[str], called: bool) -> str:
    """Which element of the text each field is, in words: sent behind a letter.

    >>> in_fields("claim", ["speech", "percent"], called=True)
    'You answer by calling `claim`, without tags: `speech` is `<s>`, `percent` is `<CLAIM>`.'
    """
    sealed = sealed_letter(act)
    known = {**ELEMENTS, **sealed.elements} if sealed else ELEMENTS
    told = ", ".join(f"`{field}` is {known[field]}" for field in fields if field in known)
    return f"You answer {'by calling' if called else 'as JSON of'} `{act}`, without tags: {told}."


_NOTES = Field(description="Notes for yourself, replacing the former ones; null keeps those.")


def schema_of(facts: Mapping[str, Any], carries: bool = False) -> dict[str, Any] | None:
    """The JSON schema of the answer that a letter asks for, named by the act; None if it has none.

    Every field is required, and null where it does not apply, as providers' strict mode asks.

    Args:
        facts: of the letter (`Letter.facts`): `ask`, and for an action `legal`.
        carries: whether an action here can carry more than its name.
    """
    known = legal_in(facts)
    legal = tuple(told_actions(known))
    listed = not isinstance(known, ActionRule)
    return _schema_of(str(facts.get("ask", "")), legal, listed, carries, bool(facts.get("goods")))


@lru_cache(maxsize=256)  # pydantic takes 9 ms: a hundred answers at once would wait a second
def _schema_of(
    act: str, legal: tuple[str, ...], listed: bool, carries: bool, goods: bool
) -> dict[str, Any] | None:
    chooses = act in ("act", "elect") and legal
    model = _action(legal, listed, carries and act == "act") if chooses else answer_of(act)
    if model is None:
        return None
    more: dict[str, Any] = {"notes": (str | None, _NOTES)}
    if goods and "clauses" in model.model_fields:
        more["clauses"] = (list[WithGoods] | None, model.model_fields["clauses"])
    noted = create_model(act, __base__=model, __doc__=model.__doc__, **more)
    schema: dict[str, Any] = _strict(noted.model_json_schema())
    return schema


def _action(legal: tuple[str, ...], listed: bool, carries: bool) -> type[_Answer]:
    what = "What you do now" + ("." if listed else f", one of: {', '.join(legal)}.")
    kind = Literal[legal] if listed else str
    fields: dict[str, Any] = {"action": (kind, Field(description=what))}
    if carries:
        content = "What the action carries, as the rules say; null for none."
        fields["content"] = (str | None, Field(description=content))
    return create_model("Action", __base__=_Answer, __doc__="Your action for this turn.", **fields)


def _strict(schema: Any) -> Any:
    """A JSON schema without defaults and titles of fields, in which every property is required."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _strict(value) for key, value in schema.items() if key != "default"}
    if "properties" in kept:
        kept["required"] = list(kept["properties"])
        for field in kept["properties"].values():
            field.pop("title", None)
    return kept

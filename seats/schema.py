"""What each act's answer looks like in fields: for models that answer by a schema or a tool.

One class for each kind of answer. `schema_of` makes the JSON schema that a provider enforces;
`answers.tagged` puts what came back into the tagged text that everything else reads. The fields
say what the letters teach, in the same spelling.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Event(_Part):
    """An agent's action."""

    agent: str
    action: str


class Turn(_Part):
    """At one turn."""

    turn: int


class Turns(_Part):
    """At some turns."""

    turns: list[int] = Field(description="These turns and no others.")


class Span(_Part):
    """From one turn to another, both included."""

    first: int = Field(alias="from")
    last: int = Field(alias="to")


class Every(_Part):
    """At every so many turns, from a first one."""

    every: int
    start: int


class Last(_Part):
    """What an agent did latest."""

    last: Event = Field(description="The agent's latest action; in a payment, of this turn.")


class Count(_Part):
    """Once an agent has done something so often."""

    count: Event
    at_least: int


class Earned(_Part):
    """Once an agent's own rewards sum to so much."""

    earned: str
    at_least: float


class All(_Part):
    """Where all of these hold."""

    all: list["When"]


class AnyOf(_Part):
    """Where one of these holds."""

    any: list["When"]


class Not(_Part):
    """Where this does not hold."""

    negated: "When" = Field(alias="not")


When = Union[Turn, Turns, Span, Every, Last, Count, Earned, All, AnyOf, Not]  # noqa: UP007
Sometimes = Union[When, None]  # noqa: UP007


class Do(_Part):
    """The agent does this."""

    kind: Literal["do"]
    agent: str
    action: str
    when: Sometimes = Field(description="null: always.")


class Forbid(_Part):
    """The agent does not do this."""

    kind: Literal["forbid"]
    agent: str
    action: str
    when: Sometimes = Field(description="null: always.")


class Pay(_Part):
    """One agent pays another: once, at each turn at which `when` holds, or a part of its reward.

    As payer or payee, "others" is everybody else, in equal parts.
    """

    kind: Literal["pay"]
    payer: str
    payee: str
    amount: float | str = Field(description="A number, or an exact one in words, as in '1/3'.")
    per: Literal["once", "turn", "reward"]
    when: Sometimes = Field(description="null: always.")


class Give(_Part):
    """One agent hands goods that it holds to another, once."""

    kind: Literal["give"]
    giver: str
    receiver: str
    good: str
    quantity: int
    when: Sometimes = Field(description="null: always.")


class Fraction(_Part):
    """An agent's part of the total, as in '1/3'."""

    agent: str
    fraction: str


class Share(_Part):
    """How the total is split at the end: by fractions that sum to 1, or by a named norm."""

    kind: Literal["share"]
    fractions: list[Fraction] | None
    norm: str | None


Clause = Do | Forbid | Pay | Share
WithGoods = Clause | Give

for _model in (All, AnyOf, Not, Do, Forbid, Pay, Give):
    _model.model_rebuild()

_CLAUSES = Field(description="The whole offer, clause by clause; null for none.")
_DROPS = Field(description="Ids of payments or shares of the contract in force that end; or null.")


class _Answer(_Part):
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
    """Whether you sign the delegates' deal, veto it, or leave it."""

    decision: Literal["sign", "veto", "leave"]


class OneOrder(_Part):
    """Up to so many units, at this price for each or a better one."""

    side: Literal["buy", "sell"]
    good: str
    quantity: int
    price: float | str


class Orders(_Spoken):
    """Your orders to the call market; null for none."""

    orders: list[OneOrder] | None


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


class ClauseVerdict(_Part):
    """Whether one clause was kept."""

    clause: str
    verdict: Literal["satisfied", "violated"]


class Judgement(_Answer):
    """Your verdict on every clause."""

    verdicts: list[ClauseVerdict]


class Holding(_Part):
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
    "order": Orders,
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
    "orders": "the orders of `<PROPOSAL>`",
    "action": "`<ACTION>`",
    "percent": "`<CLAIM>`",
    "impossible": "`<REJECT>`",
    "notes": "`<NOTES>`",
}
"""Field → the element of the tagged text that it stands for, by which letters speak of it."""


def in_fields(act: str, fields: Iterable[str], called: bool) -> str:
    """Which element of the text each field is, in words: sent behind a letter.

    >>> in_fields("claim", ["speech", "percent"], called=True)
    'You answer by calling `claim`, without tags: `speech` is `<s>`, `percent` is `<CLAIM>`.'
    """
    told = ", ".join(f"`{field}` is {ELEMENTS[field]}" for field in fields if field in ELEMENTS)
    return f"You answer {'by calling' if called else 'as JSON of'} `{act}`, without tags: {told}."


_NOTES = Field(description="Notes for yourself, replacing the former ones; null keeps those.")


def schema_of(facts: Mapping[str, Any], carries: bool = False) -> dict[str, Any] | None:
    """The JSON schema of the answer that a letter asks for, named by the act; None if it has none.

    Every field is required, and null where it does not apply, as providers' strict mode asks.

    Args:
        facts: of the letter (`Letter.facts`): `ask`, and for an action `legal`.
        carries: whether an action here can carry more than its name.
    """
    legal = tuple(str(action) for action in facts.get("legal") or ())
    return _schema_of(str(facts.get("ask", "")), legal, carries, bool(facts.get("goods")))


@lru_cache(maxsize=256)
def _schema_of(
    act: str, legal: tuple[str, ...], carries: bool, goods: bool
) -> dict[str, Any] | None:
    chooses = act in ("act", "elect") and legal
    model = _action(legal, carries and act == "act") if chooses else ANSWERS.get(act)
    if model is None:
        return None
    more: dict[str, Any] = {"notes": (str | None, _NOTES)}
    if goods and "clauses" in model.model_fields:
        more["clauses"] = (list[WithGoods] | None, model.model_fields["clauses"])
    noted = create_model(act, __base__=model, __doc__=model.__doc__, **more)
    schema: dict[str, Any] = _strict(noted.model_json_schema())
    return schema


def _action(legal: tuple[str, ...], carries: bool) -> type[_Answer]:
    fields: dict[str, Any] = {"action": (Literal[legal], Field(description="What you do now."))}
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

"""`when`: the conditions of clauses, on public history, written as JSON.

Agents' letters and records differ in one form. `{"turns": [2, 5]}` in a letter means the turns 2
and 5, in a record turn 2 to turn 5: records write a list as an `any` of ranges. Earlier versions
wrote records the same way, so stored deals keep their hashes. Agents write the forms below
(`deals.language.reading`, `wire_form`):

==========================================  ====================================================
JSON                                        holds
==========================================  ====================================================
`"always"`                                  at every turn
`{"turn": 2}` `{"turns": [1, 4, 5]}`        at these turns
`{"from": 2, "to": 5}`                      from turn 2 to turn 5
`{"every": 3, "start": 2}`                  at turns 2, 5, 8, …
`{"last": {"agent": A, "action": X}}`       of a duty: while A's latest action is X (a state)
the same                                    of a payment: at a turn in which A does X (an event)
`{"count": {"agent": A, "action": X},       once A has done X twice or more
"at_least": 2}`
`{"earned": A, "at_least": 5}`              once A's rewards sum to 5 or more ("everyone": all)
`{"all": […]}` `{"any": […]}` `{"not": …}`  conjunction, disjunction, negation
==========================================  ====================================================
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from shapley_coop.amounts import Exact, plain
from shapley_coop.games import params

MAX_TURN = 100_000
MAX_PARTS = 64

EVERYONE = params.EVERYONE
"""The name that means all parties, in a duty or in `earned`."""


class _Condition(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Event(_Condition):
    """An agent's action."""

    agent: str
    action: str


class Turns(_Condition):
    """Holds from one turn to another, both included. Agents write `from` and `to`, or `turn`."""

    turns: Annotated[tuple[int, int], Field(description="First and last turn, from 1.")]


class Every(_Condition):
    """Holds at turn `start` and at each `every`-th turn after it, so that agents can take turns."""

    every: int = Field(ge=1, le=MAX_TURN)
    start: int = Field(default=1, ge=1, le=MAX_TURN)


class Last(_Condition):
    """Holds while an agent's latest action is the given one, so not before its first action.

    For a payment, it holds if the agent takes the given action at that very turn.
    """

    last: Event


class Count(_Condition):
    """Holds once an agent has taken an action `at_least` times or more."""

    count: Event
    at_least: int = Field(ge=1, le=MAX_TURN)


class Earned(_Condition):
    """Holds once the rewards of an agent, or of "everyone" with the pot, sum to `at_least`."""

    earned: str
    at_least: Exact


class All(_Condition):
    """Holds when all of these conditions hold."""

    all: tuple["When", ...] = Field(min_length=1, max_length=MAX_PARTS)


class AnyOf(_Condition):
    """Holds when at least one of these conditions holds."""

    any: tuple["When", ...] = Field(min_length=1, max_length=MAX_PARTS)


class Not(_Condition):
    """Holds when this condition does not hold."""

    negated: "When" = Field(alias="not")

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=True
    )


_KINDS = {
    "turns": Turns,
    "every": Every,
    "last": Last,
    "count": Count,
    "earned": Earned,
    "all": All,
    "any": AnyOf,
    "not": Not,
}


def _kind(value: Any) -> str | None:
    if value == "always":
        return "always"
    if isinstance(value, dict):
        return next((key for key in value if key in _KINDS), None)
    return next((key for key, cls in _KINDS.items() if isinstance(value, cls)), None)


When = Annotated[
    Annotated[Literal["always"], Tag("always")]
    | Annotated[Turns, Tag("turns")]
    | Annotated[Every, Tag("every")]
    | Annotated[Last, Tag("last")]
    | Annotated[Count, Tag("count")]
    | Annotated[Earned, Tag("earned")]
    | Annotated[All, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")],
    Discriminator(
        _kind,
        custom_error_type="when",
        custom_error_message="is no condition: give 'always' or one of " + ", ".join(_KINDS),
    ),
]

for _model in (All, AnyOf, Not):
    _model.model_rebuild()


def conditions_in(when: When) -> Iterator[Turns | Every | Last | Count | Earned]:
    """Yield the atomic parts of a condition in order; "always" has none."""
    match when:
        case All(all=parts) | AnyOf(any=parts):
            for part in parts:
                yield from conditions_in(part)
        case Not(negated=part):
            yield from conditions_in(part)
        case Turns() | Every() | Last() | Count() | Earned():
            yield when


def event_of(when: When) -> Event | None:
    """Return the agent–action pair of an atomic condition, or None if it names no action."""
    match when:
        case Last(last=event) | Count(count=event):
            return event
        case _:
            return None


def turn_list(when: When) -> list[Turns] | None:
    """Return the ranges of an `any` of two or more ranges of turns; None for other conditions."""
    match when:
        case AnyOf(any=parts) if len(parts) > 1:
            ranges = [part for part in parts if isinstance(part, Turns)]
            return ranges if len(ranges) == len(parts) else None
        case _:
            return None


def words(when: When, of_payment: bool = False) -> str:
    """Return the condition in plain English, to follow a verb: "while Bob's latest action is …".

    Args:
        when: the condition.
        of_payment: whether a payment depends on the condition; if so, `last` means that turn.
    """
    if ranges := turn_list(when):
        return at_turns([part.turns for part in ranges])
    match when:
        case Turns(turns=(first, last)):
            return f"at turn {first}" if first == last else f"from turn {first} to turn {last}"
        case Every(every=1, start=start):
            return f"from turn {start}"
        case Every(every=step, start=start):
            return f"at turn {start} and every {step} turns after it"
        case Last(last=event) if of_payment:
            return f"if {event.agent} does {event.action}"
        case Last(last=event):
            return f"while {event.agent}'s latest action is {event.action}"
        case Count(count=event, at_least=least):
            times = "once" if least == 1 else f"{least} times"
            return f"{_since(of_payment)} {event.agent} has done {event.action} {times} or more"
        case Earned(earned=agent, at_least=least):
            who = "the rewards of all" if agent == EVERYONE else f"{agent}'s rewards"
            return f"{_since(of_payment)} {who} sum to {plain(least)} or more"
        case All(all=parts):
            return "(" + " and ".join(words(part, of_payment) for part in parts) + ")"
        case AnyOf(any=parts):
            return "(" + " or ".join(words(part, of_payment) for part in parts) + ")"
        case Not(negated=part):
            return f"except {words(part, of_payment)}"
        case _:
            return "at every turn"


def _since(of_payment: bool) -> str:
    """Return "once", or "after" for a payment, whose text uses "once" for its frequency."""
    return "after" if of_payment else "once"


def _span(turns: tuple[int, int]) -> str:
    first, last = turns
    return str(first) if first == last else f"{first} to {last}"


def at_turns(spans: Sequence[tuple[int, int]]) -> str:
    """Return ranges of turns in words: "at turns 1 and 3 to 5"."""
    told = [_span(turns) for turns in spans]
    if len(told) == 1:
        return f"at turn{'' if told[0].isdecimal() else 's'} {told[0]}"
    return f"at turns {', '.join(told[:-1])} and {told[-1]}"

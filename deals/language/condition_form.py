"""The JSON that an agent would write for a condition or amount, and which is read back exactly."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.language.when import All, AnyOf, Every, Not, Turns, When, turn_list


def condition_form(when: When) -> Any:
    """Return the JSON that an agent would write for a condition."""
    if (ranges := turn_list(when)) and (listed := _as_list(ranges)):
        return {"turns": listed}
    match when:
        case Turns(turns=(first, last)):
            return {"turn": first} if first == last else {"from": first, "to": last}
        case Every(every=step, start=start):
            return {"every": step, "start": start}
        case All(all=parts):
            return {"all": [condition_form(part) for part in parts]}
        case AnyOf(any=parts):
            return {"any": [condition_form(part) for part in parts]}
        case Not(negated=part):
            return {"not": condition_form(part)}
        case "always":
            return "always"
        case _:
            return {
                key: number(value) if isinstance(value, Fraction) else value
                for key, value in {**when.model_dump(), **_fractions(when)}.items()
            }


def ranges_of(turns: Sequence[int]) -> list[tuple[int, int]]:
    """Return listed turns as ranges in order; consecutive turns form one range."""
    ranges: list[tuple[int, int]] = []
    for turn in sorted(set(turns)):
        if ranges and turn == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], turn)
        else:
            ranges.append((turn, turn))
    return ranges


def number(amount: Fraction) -> int | float | str:
    """Return an amount as JSON: a number if that is exact, else a ratio like "1/3"."""
    if amount.denominator == 1:
        return amount.numerator
    decimal = float(amount)
    return decimal if Fraction(str(decimal)) == amount else plain(amount)


def _fractions(when: Any) -> dict[str, Fraction]:
    """Return the fields of a condition that are fractions; `model_dump` writes them as strings."""
    return {k: v for k in type(when).model_fields if isinstance(v := getattr(when, k), Fraction)}


def _as_list(ranges: Sequence[Turns]) -> list[int] | None:
    """Return ranges as a list of turns; None if reading the list would give other ranges."""
    if not all(1 <= r.turns[0] <= r.turns[1] <= r.turns[0] + 64 for r in ranges):
        return None
    turns = [n for r in ranges for n in range(r.turns[0], r.turns[1] + 1)]
    return turns if ranges_of(turns) == [r.turns for r in ranges] else None

"""Arithmetic progressions of turns, and the test whether two of them share a turn."""

from collections.abc import Sequence
from math import gcd

from shapley_coop.deals.language.when import Every, Turns, When, turn_list

Progression = tuple[int, int, int]
"""Turns at a constant step, as (first turn, upper bound, step)."""


def _progression(when: When, turns: int) -> Progression | None:
    """Return the turns at which a condition holds, or None if they are not one progression."""
    match when:
        case "always":
            return 1, turns, 1
        case Turns(turns=(first, last)):
            return first, min(last, turns), 1
        case Every(every=step, start=start):
            return start, turns, step
        case _:
            return None


def progressions(when: When, turns: int) -> list[Progression]:
    """Return the turns at which a condition holds, as progressions; [] if they are unknown."""
    listed_turns: Sequence[When] = turn_list(when) or [when]
    found = (_progression(part, turns) for part in listed_turns)
    return [progression for progression in found if progression is not None]


def meet(a: Progression, b: Progression) -> bool:
    """Return whether two progressions share a turn, by the Chinese remainder theorem."""
    (first, last, step), (other, end, stride) = a, b
    common = gcd(step, stride)
    apart, over = divmod(other - first, common)
    if over:
        return False
    period = stride // common
    # Two endless progressions share a turn once in each least common multiple of their steps.
    at = first + step * (apart * pow(step // common, -1, period) % period)
    lcm, since = step * period, max(first, other)
    at += -(-max(0, since - at) // lcm) * lcm
    return at <= min(last, end)

"""Reservation values: the least payoff for which an agent may sign, and the check of a deal.

>>> reservation_in("Never tell: your reservation value is 11/2.")
Fraction(11, 2)
>>> short_of(Fraction(5), Fraction(9, 2)).label
'RESERVE'
"""

import re
from fractions import Fraction

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language.faults import Fault

_NUMBER = re.compile(
    r"reservation(?:\s+value)?\s*(?:is|of|:|=)?\s*([-−]?\d+(?:[./]\d+)?)(?![,.]?\d)", re.IGNORECASE
)
_NAMED = re.compile(r"reservation\s+value", re.IGNORECASE)


def reservation_in(told: str) -> Fraction | None:
    """Return the reservation value in a private text, as in `reservation value: 5`, or None.

    Raises:
        ValueError: the text mentions a reservation value without a readable number.
    """
    if found := _NUMBER.search(told):
        return parse_exact(found[1].replace("−", "-"))
    if _NAMED.search(told):
        raise ValueError("a reservation value cannot be read: write `reservation value: 12.5`")
    return None


def short_of(reservation: Fraction, worth: Fraction | None) -> Fault | None:
    """Return a RESERVE fault if an agent's payoff would be below its reservation value.

    Args:
        reservation: the least payoff that the agent requires of the whole game.
        worth: the agent's payoff under the deal; None, if it cannot be computed, is a fault too.
    """
    if worth is None:
        return Fault(
            "RESERVE",
            "What this leaves you cannot be computed, so that it is not known to reach your "
            f"reservation value of {plain(reservation)}: do not sign it.",
        )
    if worth >= reservation:
        return None
    return Fault(
        "RESERVE",
        f"This leaves you {plain(worth)}, less than your reservation value of "
        f"{plain(reservation)}: do not sign it.",
    )

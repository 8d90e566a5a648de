"""Credit: the computation of each agent's value in a cooperative game.

This package is pure mathematics and imports no other package of the application. A coalition is a
bit mask and a characteristic function is a table of 2**n worths (`coalitions`). `values` computes
Shapley values exactly, `values.sampling` estimates them with standard errors. `norms` divides a
total, `transfers` settles it in micro-units, and `attribution` does all of this for one record.

Masks have their least significant bit first: bit i stands for `agents[i]`.

The Escape Room: alone each agent loses 1, together they gain 9, and 4.5 each is fair.

>>> from shapley_coop.credit import shapley_exact, transfers, worth_table
>>> worth = {frozenset(): 0, frozenset({"Alice", "Bob"}): 9}
>>> table = worth_table(["Alice", "Bob"], lambda coalition: worth.get(coalition, -1))
>>> [str(value) for value in shapley_exact(table)]
['9/2', '9/2']

Alice went through the door and has 10, Bob held the lever and has -1:

>>> transfers({"Alice": 10_000_000, "Bob": -1_000_000}, {"Alice": 4_500_000, "Bob": 4_500_000})
[Transfer(payer='Alice', payee='Bob', amount=5500000)]
"""

from shapley_coop.credit.attribution import attribute_by, can_settle, payoffs_by_norm
from shapley_coop.credit.characteristic import Characteristic
from shapley_coop.credit.coalitions import members, worth_table
from shapley_coop.credit.transfers import Constraint, constrain, constraint, transfers
from shapley_coop.credit.values.shapley import shapley_exact

__all__ = [
    "Characteristic",
    "Constraint",
    "attribute_by",
    "can_settle",
    "constrain",
    "constraint",
    "members",
    "payoffs_by_norm",
    "shapley_exact",
    "transfers",
    "worth_table",
]

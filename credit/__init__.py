"""Credit: who earned what, computed.

Pure mathematics that imports no other room. A coalition is a bit mask, a characteristic function a
table of 2**n worths (`coalitions`); values are computed from the table exactly (`shapley`,
`values`, `core`) or estimated with their errors (`sampling`); norms make payoffs of them (`norms`)
that are settled in whole micro-units (`money`, `transfers`). `axioms` checks what a value promises,
`wev` weighs artefacts, `files` reports on anyone's game.

The Escape Room: alone each agent loses 1, together they gain 9, and 4.5 each is fair.

>>> from credit import shapley_exact, transfers, worth_table
>>> worth = {frozenset(): 0, frozenset({"Alice", "Bob"}): 9}
>>> table = worth_table(["Alice", "Bob"], lambda coalition: worth.get(coalition, -1))
>>> [str(value) for value in shapley_exact(table)]
['9/2', '9/2']

Alice went through the door and has 10, Bob held the lever and has -1:

>>> transfers({"Alice": 10_000_000, "Bob": -1_000_000}, {"Alice": 4_500_000, "Bob": 4_500_000})
[Transfer(payer='Alice', payee='Bob', amount=5500000)]
"""

from credit.axioms import check_axioms, convex_game
from credit.coalitions import (
    MAX_AGENTS,
    agents_in,
    check_agents,
    coalition_key,
    mask_of,
    members,
    parse_key,
    worth_table,
)
from credit.core import Violation, core_violations, in_core, nucleolus, prenucleolus
from credit.exact import Number, exact
from credit.files import credit_report, read_game, read_runs
from credit.money import MICRO, apportion, from_micro, round_payoffs, to_micro
from credit.norms import NORMS, Norm, norm, payoffs_under_norm
from credit.reading import read_json
from credit.reckoning import Reckoning, by_norm, reckon
from credit.sampling import Estimate, sample_shapley
from credit.shapley import marginal_contributions, shapley, shapley_by_class, shapley_exact
from credit.transfers import CONSTRAINTS, Constraint, Transfer, constrain, constraint, transfers
from credit.values import banzhaf, deegan_packel, equal, leave_one_out, proportional
from credit.wev import WEIGHTS, EarnedValue, read_weights, read_wev, wev, wev_report

__all__ = [
    "CONSTRAINTS",
    "MAX_AGENTS",
    "MICRO",
    "NORMS",
    "WEIGHTS",
    "Constraint",
    "EarnedValue",
    "Estimate",
    "Norm",
    "Number",
    "Reckoning",
    "Transfer",
    "Violation",
    "agents_in",
    "apportion",
    "banzhaf",
    "by_norm",
    "check_agents",
    "check_axioms",
    "coalition_key",
    "constrain",
    "constraint",
    "convex_game",
    "core_violations",
    "credit_report",
    "deegan_packel",
    "equal",
    "exact",
    "from_micro",
    "in_core",
    "leave_one_out",
    "marginal_contributions",
    "mask_of",
    "members",
    "norm",
    "nucleolus",
    "parse_key",
    "payoffs_under_norm",
    "prenucleolus",
    "proportional",
    "read_game",
    "read_json",
    "read_runs",
    "read_weights",
    "read_wev",
    "reckon",
    "round_payoffs",
    "sample_shapley",
    "shapley",
    "shapley_by_class",
    "shapley_exact",
    "to_micro",
    "transfers",
    "wev",
    "wev_report",
    "worth_table",
]

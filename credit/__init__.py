"""Credit: who earned what, computed.

Pure mathematics that imports no other room. A coalition is a bit mask, a characteristic function a
table of 2**n worths (`coalitions`); values are computed from the table exactly (`shapley`,
`values`, `core`) or estimated with their errors (`sampling`); norms make payoffs of them (`norms`)
that are settled in whole micro-units (`money`, `transfers`). `axioms` checks what a value promises,
`wev` weighs artefacts, `files` reports on anyone's game.

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

from shapley_coop.credit.attribution import Attribution, attribute, norm_payoffs_fn
from shapley_coop.credit.axioms import check_axioms, convex_game
from shapley_coop.credit.coalitions import (
    MAX_AGENTS,
    agents_in,
    check_agents,
    coalition_key,
    mask_of,
    members,
    parse_key,
    worth_table,
)
from shapley_coop.credit.files import credit_report, read_game, read_runs
from shapley_coop.credit.norms import NORMS, Norm, norm, payoffs_under_norm
from shapley_coop.credit.reading import read_json
from shapley_coop.credit.transfers import (
    CONSTRAINTS,
    Constraint,
    Transfer,
    constrain,
    constraint,
    transfers,
)
from shapley_coop.credit.values.core import (
    Violation,
    core_violations,
    in_core,
    nucleolus,
    prenucleolus,
)
from shapley_coop.credit.values.other import (
    banzhaf,
    deegan_packel,
    equal,
    leave_one_out,
    proportional,
)
from shapley_coop.credit.values.sampling import Estimate, sample_shapley
from shapley_coop.credit.values.shapley import (
    marginal_contributions,
    shapley,
    shapley_by_class,
    shapley_exact,
)
from shapley_coop.credit.wev import WEIGHTS, EarnedValue, read_weights, read_wev, wev, wev_report

__all__ = [
    "CONSTRAINTS",
    "MAX_AGENTS",
    "NORMS",
    "WEIGHTS",
    "Attribution",
    "Constraint",
    "EarnedValue",
    "Estimate",
    "Norm",
    "Transfer",
    "Violation",
    "agents_in",
    "attribute",
    "banzhaf",
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
    "in_core",
    "leave_one_out",
    "marginal_contributions",
    "mask_of",
    "members",
    "norm",
    "norm_payoffs_fn",
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
    "sample_shapley",
    "shapley",
    "shapley_by_class",
    "shapley_exact",
    "transfers",
    "wev",
    "wev_report",
    "worth_table",
]

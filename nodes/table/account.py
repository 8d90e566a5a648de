"""Account: what was earned, and what everybody would end up with as signed."""

from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.credit import norm_payoffs_fn
from shapley_coop.deals import contract_payments, earned, payoffs, share_of
from shapley_coop.state import Table, game_of


def account(table: Table) -> dict[str, Any]:
    """Add up the play, before anybody bargains over the split."""
    game, record = game_of(table["settings"]), table["record"]
    held = earned(record, game.agents)
    contract = table.get("contract")
    due = contract_payments(contract, record)
    norms = norm_payoffs_fn(game.agents, partial(game.worth, record), game.batch_worth(record))
    signed = payoffs(record, game.agents, share_of(contract), due, norms)
    return {
        "accounts": {
            "total": plain(sum(held.values(), start=Fraction(0))),
            "earned": {agent: plain(x) for agent, x in held.items()},
            "as_signed": {agent: plain(x) for agent, x in signed.items()},
        }
    }

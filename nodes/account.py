"""Account: what was earned, and what everybody would end up with as signed."""

from fractions import Fraction
from functools import partial
from typing import Any

from credit import by_norm
from deals import Deal, earned, payoffs, plain
from state import Table, game_of


def account(table: Table) -> dict[str, Any]:
    """Add up the play, before anybody bargains over the split."""
    game, record = game_of(table["settings"]), table["record"]
    held = earned(record, game.agents)
    contract = table.get("contract")
    deal = Deal.model_validate({"clauses": contract["clauses"] if contract else []})
    since = contract["from_turn"] if contract else 1
    norms = by_norm(game.agents, partial(game.worth, record))
    signed = payoffs(deal, record, game.agents, norms, since)
    return {
        "accounts": {
            "total": plain(sum(held.values(), start=Fraction(0))),
            "earned": {agent: plain(x) for agent, x in held.items()},
            "as_signed": {agent: plain(x) for agent, x in signed.items()},
        }
    }

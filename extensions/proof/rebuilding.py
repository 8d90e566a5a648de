"""The functions that rebuild a run's table (its shared state) from its statement alone."""

from collections.abc import Sequence
from typing import Any, cast

from shapley_coop.canonical import digest
from shapley_coop.deals.contract import Contract, rebuilt
from shapley_coop.deals.language.deal import Deal, Offer, put
from shapley_coop.extensions.proof.signatures import Agreed
from shapley_coop.extensions.proof.statement import PLAN, Agreement, Predicate
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import Table


def chain_of(told: Predicate) -> list[Contract]:
    """Return the chain of contracts: the contract after each agreed plan or amendment."""
    plans = [one for one in told.agreements if one.topic == PLAN]
    offers = [(_offer(one, told.agents), one.turn) for one in plans]
    return rebuilt(offers)


def settings_of(told: Predicate) -> dict[str, Any]:
    """Return a run's settings, with defaults for the settings that a statement leaves out."""
    return RunConfig.model_validate(told.settings).model_dump(mode="json")


def table_at(
    told: Predicate, chain: Sequence[Contract], turns: int | None = None, plans: int | None = None
) -> Table:
    """Return a run's state after some turns and contracts (`plans`); None for either means all."""
    record = cast(Any, told.record if turns is None else told.record[:turns])
    settings = settings_of(told)
    game = game_of(settings)
    position = game.start()
    for after in game.analysis.replay(record):
        position = after.position
    signed = chain if plans is None else chain[:plans]
    splits = [_offer(one, told.agents) for one in told.agreements if one.topic != PLAN]
    table = {
        "episode": f"{told.episode}/{digest(settings)[:8]}",
        "settings": settings,
        "agents": told.agents,
        "record": record,
        "position": position,
        "talk": [],
        "contract": signed[-1] if signed else None,
        "offer": splits[-1] if splits and turns is None else None,
        "reckoning": {"skipped": None} if told.reckoned else None,
    }
    return cast(Table, table)


def _offer(one: Agreement, agents: Sequence[str]) -> Offer:
    offer = put(Deal.model_validate(one.deal), one.by, one.revision)
    return {**offer, "accepted": sorted(agents)}


def agreed_of(one: Agreement) -> Agreed:
    """Return a statement's agreement as an accepted offer with its parties' signatures."""
    offer = put(Deal.model_validate(one.deal), one.by, one.revision)
    return Agreed(one.topic, one.turn, offer, cast(Any, one.signatures))

"""The purse that a sweep and its servers share, if they share a database (COOP_DATABASE_URL).

The sweep names its purse in the metadata of each run. A server then pays each call of the run from
the purse before the call is made, as a process of the sweep does (`extensions.sweeps.gates`).
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from shapley_coop.evals.cell import Cell
from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.sweeps.cells import models_of
from shapley_coop.extensions.sweeps.gates import SweepGate
from shapley_coop.extensions.sweeps.playing import Limits, Rates
from shapley_coop.extensions.sweeps.purse import Purse
from shapley_coop.extensions.sweeps.store import NoSweep, Store
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.clients import Ask, clients_here
from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat
from shapley_coop.state.storage.owners import holder

PURSE = "purse"
"""The key of a run's metadata under which a sweep names its purse."""


class PurseTerms(BaseModel):
    """What a server needs to know of a sweep to pay the calls of a run.

    Attributes:
        sweep: the name of the sweep in the database.
        id: the sweep's id, which proves that both use the same database.
        cost: the sweep's cost limit in USD; None for no limit.
        rates: provider → its limits.
        prices: the run's models → their prices.
    """

    sweep: str
    id: str
    cost: float | None
    rates: dict[str, Rates]
    prices: dict[str, Price]


def terms_for(cell: Cell, store: Store, limits: Limits, prices: Prices) -> dict[str, Any]:
    """Return the metadata that names the purse to the server of a cell."""
    known = {model: prices.of(model) for model in models_of([cell]) if prices.know([model])}
    terms = PurseTerms(
        sweep=store.name, id=store.id, cost=limits.cost, rates=dict(limits.rates), prices=known
    )
    return {PURSE: terms.model_dump(mode="json")}


async def pay(told: Mapping[str, Any], seat: Seat, question: Enquiry, ask: Ask) -> Answer:
    """Ask a seat of a run as soon as its sweep's purse allows the call (`Extension.gates`).

    Args:
        told: the run's `PurseTerms`, as JSON.

    Raises:
        ValueError: this server's database does not have the sweep.
        SeatError: no answer came, or the limit is reached.
    """
    terms, here = PurseTerms.model_validate(told), clients_here()
    if holder().owner:
        raise ValueError("the purse of a sweep is its operator's: leave out the metadata `purse`")
    key = (PURSE, terms.model_dump_json())
    async with here.opening:
        if (gate := here.kept.get(key)) is None:
            worker = await asyncio.to_thread(_begin, terms)
            here.closing.push_async_callback(asyncio.to_thread, worker.__exit__)
            purse = Purse(worker, terms.cost, sleep=here.stopping.sleep)
            gate = here.kept[key] = SweepGate(purse, Prices(terms.prices), terms.rates)
    answer: Answer = await gate.call(seat, question, ask)
    return answer


def _begin(terms: PurseTerms) -> Worker:
    """Open the sweep in the database, and return this process as one of its workers."""
    try:
        store = Store(Path(terms.sweep))
    except NoSweep:
        store = None
    if store is None or store.id != terms.id:
        raise ValueError(
            f"this server does not have the sweep {terms.sweep}, whose limits it is to keep: set "
            "COOP_DATABASE_URL to the database of the sweep here, too"
        )
    return Worker(store).__enter__()

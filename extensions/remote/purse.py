"""The purse that a sweep and its servers share, if they share a database (COOP_DATABASE_URL).

The sweep names its purse in the metadata of each run. A server then pays each call of the run from
the purse before the call is made, as a process of the sweep does (`extensions.sweeps.gates`).
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from shapley_coop.evals.cell import Cell
from shapley_coop.evals.prices import Price, Prices, is_free
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
from shapley_coop.state.storage.databases import errors
from shapley_coop.state.storage.owners import holder

PURSE = "coop_purse"
"""The key of a run's metadata under which a sweep names its purse; no app uses it by chance."""


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


def terms_for(
    cells: Iterable[Cell], store: Store, limits: Limits, prices: Prices
) -> dict[str, Any]:
    """Return what names the purse to the server of these cells, as JSON."""
    known = {model: prices.of(model) for model in models_of(cells) if prices.know([model])}
    terms = PurseTerms(
        sweep=store.name, id=store.id, cost=limits.cost, rates=dict(limits.rates), prices=known
    )
    return terms.model_dump(mode="json")


def terms_of(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms under which a server's run was begun; {} if its calls are not paid for."""
    about = run.get("metadata") or (run.get("config") or {}).get("metadata") or {}
    return dict(about.get(PURSE) or {})


def keeps_to(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """Return whether a run that was begun under other terms keeps to our limits."""
    if not (theirs and ours):
        return not ours
    most, allowed = (inf if terms["cost"] is None else terms["cost"] for terms in (theirs, ours))
    return most <= allowed and theirs["rates"] == ours["rates"]


async def pay(told: Mapping[str, Any], seat: Seat, question: Enquiry, ask: Ask) -> Answer:
    """Ask a seat of a run as soon as its sweep's purse allows the call (`Extension.gates`).

    Args:
        told: the run's `PurseTerms`, as JSON.

    Raises:
        ValueError: this server cannot keep the sweep's limits.
        SeatError: no answer came, or the limit is reached.
    """
    if is_free(seat.model):
        return await ask(0)
    try:
        terms = PurseTerms.model_validate(told)
    except ValidationError:
        raise ValueError("the run's metadata `coop_purse` names no sweep's purse") from None
    if holder().owner:
        raise ValueError("the purse of a sweep is its operator's: leave out `coop_purse`")
    gate = await _gate(terms)
    try:
        return await gate.call(seat, question, ask)
    except errors():
        await _replace(gate)
        raise


async def _gate(terms: PurseTerms) -> SweepGate:
    """Return this event loop's gate for the runs with these terms."""
    key, here = (PURSE, terms.model_dump_json()), clients_here()
    async with here.opening:
        if key not in here.kept:
            worker = await asyncio.to_thread(_begin, terms)
            here.closing.push_async_callback(asyncio.to_thread, worker.__exit__)
            purse = Purse(worker, terms.cost, sleep=here.stopping.sleep)
            here.kept[key] = SweepGate(purse, Prices(terms.prices), terms.rates)
    gate: SweepGate = here.kept[key]
    return gate


async def _replace(gate: SweepGate) -> None:
    """End a gate's worker after an error of the database, with which its lease may have ended."""
    kept = clients_here().kept
    for key in [key for key, each in kept.items() if each is gate]:
        del kept[key]
        with suppress(*errors()):  # its calls in flight then count when its lease is found free
            await asyncio.to_thread(gate.purse.worker.__exit__)


def _begin(terms: PurseTerms) -> Worker:
    """Open the sweep in the database, and return this process as one of its workers."""
    try:
        store = Store(Path(terms.sweep), in_database=True)
    except NoSweep:
        store = None
    if store is None or store.id != terms.id:
        raise ValueError(
            f"this server's database does not have the sweep {terms.sweep}, so it cannot keep its "
            "limits: give the server the sweep's COOP_DATABASE_URL, or sweep without one"
        )
    return Worker(store).__enter__()

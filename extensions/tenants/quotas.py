"""Quotas: what all runs of an operator may use, in tokens and in money.

They are compared with what the journal holds when a run is created, and again before its first
step, as many runs may wait in a queue. Money is counted by the price list that sweeps take,
`COOP_PRICES`. A model without a price would cost nothing by it, so nobody whose money is limited
may use one.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.evals.sweeps.prices import NO_PRICES, Prices, read_prices
from shapley_coop.extensions.tenants.callers import Caller, known_as
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.seats.seat import HUMAN
from shapley_coop.serve.server.tenancy import PUBLIC_KEY, configured
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import OWNER_KEY

PRICES = "COOP_PRICES"

QUOTA_KEY = "__coop_quota__"
"""The key of a run's configuration that holds its quota; only the server sets it."""


class Quota(NamedTuple):
    """What all runs of an operator may use; 0 is no limit."""

    tokens: int = 0
    usd: float = 0.0


class Refused(NamedTuple):
    """Why an operator may start no run: an HTTP status, and one line."""

    status: int
    detail: str


def quota_of(caller: Caller | None = None) -> Quota:
    """Return the limits of a caller: its token's own, else the server's."""
    most = limits()
    if caller is None:
        return Quota(most.tokens, most.usd)
    return Quota(caller.tokens or most.tokens, caller.usd or most.usd)


class UsedUp(RuntimeError):
    """A run that waited in the queue while its operator's quota was used up."""


class Ownerless(RuntimeError):
    """A run of nobody's on a server with tenants, outside of all quotas."""


def quota_by_name(identity: str) -> Quota | None:
    """The strictest limits of an operator's valid tokens, where none was shown, as by a cron.

    Returns:
        None if it has no valid token any more. It reads files.
    """
    callers = known_as(identity)
    if not callers and not os.environ.get(PUBLIC_KEY):
        return None
    return _strictest([quota_of(one) for one in callers] or [quota_of()])


async def check_new(place: Mapping[str, Any]) -> None:
    """Compare owner and quota of a run that is about to take its first step.

    Args:
        place: the run's configurable, in which `owning` has put owner and quota; empty for a
            run that has begun.

    Raises:
        Ownerless: there are tenants, and it is none's.
        UsedUp: what the operator's other runs have used meanwhile is all of it.
    """
    owner, quota = str(place.get(OWNER_KEY) or ""), place.get(QUOTA_KEY)
    if place and configured() and not owner:
        raise Ownerless("this run has no owner: where there are tenants, a run is one's of them")
    if owner and quota:
        refused = await asyncio.to_thread(beyond, owner, Quota(*quota))
        if refused:
            raise UsedUp(refused.detail)


def beyond(identity: str, quota: Quota) -> Refused | None:
    """Why an operator may start no run now; None if it may. It reads files and the journal."""
    if not (quota.tokens or quota.usd):
        return None
    used = [calls for calls in home().journal.used_by(identity) if calls["model"] != HUMAN]
    tokens = sum(calls["input_tokens"] + calls["output_tokens"] for calls in used)
    if quota.tokens and tokens >= quota.tokens:
        return Refused(429, f"Your runs have used {tokens} tokens (limit {quota.tokens})")
    if not quota.usd:
        return None
    prices = price_list()
    if missing := [calls["model"] for calls in used if not prices.know([calls["model"]])]:
        return Refused(403, without_a_price(missing[0]))
    cost = prices.cost(used)
    if cost >= quota.usd:
        return Refused(429, f"Your runs have cost {cost:.2f} USD (limit {quota.usd:.2f})")
    return None


def _strictest(quotas: Sequence[Quota]) -> Quota:
    limited = [[one for one in kind if one] for kind in zip(*quotas, strict=True)]
    return Quota(*(min(kind, default=0) for kind in limited))


def unpriced(model: str, caller: Caller) -> bool:
    """Return whether a model's cost could not be counted for a caller whose money is limited."""
    if model == HUMAN or not quota_of(caller).usd:
        return False
    return not price_list().know([model])


def without_a_price(model: str) -> str:
    """Return what is said of a model that has none."""
    return f"{model[:100]!r} has no price here, and your limit is in USD: {PRICES} has to list it"


def price_list() -> Prices:
    """The prices that `COOP_PRICES` names, read again when the file changes; none without it.

    Raises:
        ValueError: the file cannot be read.
    """
    path = os.environ.get(PRICES)
    if not path:
        return NO_PRICES
    try:
        return _read(path, os.stat(path).st_mtime_ns)
    except OSError as error:
        raise ValueError(f"{PRICES}: {path} cannot be read ({type(error).__name__})") from None


@lru_cache(maxsize=2)  # every run asks; a changed file has another time
def _read(path: str, _: int) -> Prices:
    return read_prices(Path(path))

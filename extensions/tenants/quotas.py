"""Quotas: the limits on the tokens and the cost of all runs of an operator together.

The journal's totals are compared with the quota when a run is created, and again before the run's
first step, because many runs may wait in a queue. Costs use the prices in `COOP_PRICES`. A model
without a price would seem free, so an operator with a cost limit may not use such a model.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.evals.prices import NO_PRICES, Prices, read_prices
from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, configured
from shapley_coop.extensions.tenants.callers import Caller, known_as
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.seats.seat import HUMAN
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import OWNER_KEY

PRICES = "COOP_PRICES"

QUOTA_KEY = "__coop_quota__"
"""The key of the quota in a run's configuration; only the server sets this key."""


class Quota(NamedTuple):
    """The limits on tokens and USD for all runs of an operator together; 0 is no limit."""

    tokens: int = 0
    usd: float = 0.0


class Refused(NamedTuple):
    """The reason why an operator may not start a run: an HTTP status and one line."""

    status: int
    detail: str


def quota_of(caller: Caller | None = None) -> Quota:
    """Return a caller's quota: each limit of its token, or the server's limit if it has none."""
    most = limits()
    if caller is None:
        return Quota(most.tokens, most.usd)
    return Quota(caller.tokens or most.tokens, caller.usd or most.usd)


class UsedUp(RuntimeError):
    """The error if an operator's quota was used up while its run waited in the queue."""


class Ownerless(RuntimeError):
    """The error if a run on a server with tenants has no owner, so that no quota would apply."""


def quota_by_name(identity: str) -> Quota | None:
    """Return the strictest limits of an operator's valid tokens, for a cron's run; read files.

    Returns:
        The quota, or None if the operator has no valid token and signed tokens are off.
    """
    callers = known_as(identity)
    if not callers and not os.environ.get(PUBLIC_KEY):
        return None
    return _strictest([quota_of(one) for one in callers] or [quota_of()])


async def check_new(place: Mapping[str, Any]) -> None:
    """Check the owner and the quota of a run before its first step.

    Args:
        place: the run's `configurable`, with the owner and quota that `owning` wrote; empty if the
            run has begun already.

    Raises:
        Ownerless: there are tenants, but the run has no owner.
        UsedUp: the operator's other runs have used up the quota.
    """
    owner, quota = str(place.get(OWNER_KEY) or ""), place.get(QUOTA_KEY)
    if place and configured() and not owner:
        raise Ownerless("this run has no owner, but on a server with tenants every run needs one")
    if owner and quota:
        refused = await asyncio.to_thread(beyond, owner, Quota(*quota))
        if refused:
            raise UsedUp(refused.detail)


def beyond(identity: str, quota: Quota) -> Refused | None:
    """Return the reason if an operator may not start a run now; reads files and the journal."""
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
    """Return whether a caller has a cost limit and the model has no price."""
    if model == HUMAN or not quota_of(caller).usd:
        return False
    return not price_list().know([model])


def without_a_price(model: str) -> str:
    """Return the refusal for a model without a price."""
    return f"{model[:100]!r} has no price here, and your limit is in USD: {PRICES} has to list it"


def price_list() -> Prices:
    """Return the prices in the file that `COOP_PRICES` names, or no prices if it is unset.

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


@lru_cache(maxsize=2)  # cached, since every run calls this; `_` is the file's modification time
def _read(path: str, _: int) -> Prices:
    return read_prices(Path(path))

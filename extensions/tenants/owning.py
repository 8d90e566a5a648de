"""The `Auth` of LangGraph's server, which keeps operators from each other's data.

`Auth` admits operators by their token. It denies actions for which there is no handler, and filters
all others by owner. Parties use only their seat's route, which `authorization` checks.
"""

import asyncio
from typing import Any, cast

from langgraph_sdk import Auth

from shapley_coop.extensions.server.serving.in_process import OWNER, inside
from shapley_coop.extensions.tenants.callers import identify
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.extensions.tenants.quotas import (
    QUOTA_KEY,
    Quota,
    beyond,
    quota_by_name,
    quota_of,
)
from shapley_coop.extensions.tenants.requests import at_the_end_of_the_request
from shapley_coop.state.storage.owners import OWNER_KEY

Context = Auth.types.AuthContext
Verdict = Auth.types.HandlerResult


def tenants() -> Auth:
    """Return the `Auth` for a server with tenants, with its handlers."""
    auth = Auth()
    auth.authenticate(operator)
    auth.on(deny)
    auth.on.threads(own)
    auth.on.threads.create_run(own_and_bounded)
    auth.on.crons(own)
    auth.on.assistants(own_or_builtin)
    auth.on.store(own_namespace)
    return auth


async def operator(authorization: str | None) -> dict[str, Any]:
    """Return the operator with a request's token, and the operator's quota, or raise 401."""
    caller = await asyncio.to_thread(identify, authorization)
    if caller is None or caller.role != "operator":
        raise Auth.exceptions.HTTPException(status_code=401, detail="An operator's token is needed")
    own = quota_of(caller)._asdict()
    return {"identity": caller.identity, "is_authenticated": True, **own}


async def deny(ctx: Context, value: Any) -> Verdict:
    """Deny an action that has no other handler."""
    return False


async def own(ctx: Context, value: Any) -> dict[str, Any]:
    """Write the operator as owner into a new resource's metadata; return the filter by owner."""
    mine = {OWNER: ctx.user.identity}
    if ctx.action in ("create", "update", "create_run"):
        # Change the metadata in place, even if empty, because the server then uses this object.
        value.setdefault("metadata", {}).update(mine)
    return mine


async def own_and_bounded(ctx: Context, value: Any) -> Verdict:
    """Limit a run's steps and its operator's busy threads, tokens and cost; filter by owner."""
    most, owner = limits(), ctx.user.identity
    config = value["kwargs"].setdefault("config", {})
    config["recursion_limit"] = min(config.get("recursion_limit", most.steps), most.steps)
    # The run reads and writes journal, ledger and checkpoints as this owner, so overwrite the key.
    config.setdefault("configurable", {})[OWNER_KEY] = owner
    config["configurable"][QUOTA_KEY] = await _bound_use(owner, _quota_in(ctx.user))
    await _bound_busy(owner, str(value.get("thread_id") or ""), most.busy)
    return await own(ctx, value)


def _quota_in(user: Any) -> Quota | None:
    """Return the quota that `operator` wrote into a user, or None if the user is a cron's."""
    try:
        return Quota(int(user["tokens"]), float(user["usd"]))
    except (KeyError, TypeError, ValueError):
        return None


async def _bound_use(owner: str, shown: Quota | None) -> list[float]:
    """Return the owner's quota; raise an HTTP error if it is used up, or if the owner has none."""
    quota = shown or await asyncio.to_thread(quota_by_name, owner)
    if quota is None:
        detail = f"{owner} has no valid token any more: its crons start no runs"
        raise Auth.exceptions.HTTPException(status_code=403, detail=detail)
    if refused := await asyncio.to_thread(beyond, owner, quota):
        raise Auth.exceptions.HTTPException(status_code=refused.status, detail=refused.detail)
    return list(quota)


_MOST_NAMED = 1000
"""The most threads that one search may name."""

_admitted: dict[str, dict[object, str]] = {}
"""Owner → the runs that the owner's requests are now creating, each with its thread.

These runs count as busy, because a batch's runs are all admitted before the first is busy.
"""


async def _bound_busy(owner: str, thread: str, most: int) -> None:
    mine, run = _admitted.setdefault(owner, {}), object()
    mine[run] = thread
    client, about = inside().threads, {OWNER: owner}
    busy = await client.count(metadata=about, status="busy")
    named = [one for one in dict.fromkeys(mine.values()) if one][:_MOST_NAMED]
    counted = named and await client.search(
        metadata=about, status="busy", ids=named, limit=_MOST_NAMED, select=["thread_id"]
    )
    # A run without a thread counts as a busy thread, because LangGraph creates one for it.
    creating = len(named) - len(counted) + list(mine.values()).count("")
    waiting = await _waiting_in(thread, most) if counted and thread else 0
    if busy + creating > most or waiting >= most:
        del mine[run]
        what = "runs may wait on one thread" if waiting >= most else "of your threads may be busy"
        raise Auth.exceptions.HTTPException(
            status_code=429, detail=f"{most} {what} at once: wait for one"
        )
    at_the_end_of_the_request(lambda: mine.pop(run, None))


async def _waiting_in(thread: str, most: int) -> int:
    """Return how many runs wait in a thread's queue; count no further than a limit."""
    found = await inside().runs.list(thread, status="pending", limit=most, select=["run_id"])
    return len(found)


async def own_or_builtin(ctx: Context, value: Any) -> Verdict:
    """Let every operator read and run built-in assistants, and only the owner use any other."""
    mine = await own(ctx, value)
    if ctx.action in ("read", "search"):
        # The server knows $or; the SDK's types do not yet.
        return cast(Verdict, {"$or": [mine, {"created_by": "system"}]})
    if "metadata" in value:
        value["metadata"]["created_by"] = "user"
    return mine


async def own_namespace(ctx: Context, value: Any) -> Verdict:
    """Put the operator's identity before the namespace in a request to the store."""
    namespace = tuple(value.get("namespace") or ())
    if namespace[:1] != (ctx.user.identity,):
        value["namespace"] = (ctx.user.identity, *namespace)
    return None

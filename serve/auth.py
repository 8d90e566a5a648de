"""Tenants on the LangGraph server: an operator has its own threads, runs, assistants, crons, store.

`langgraph.json` names `auth`. While nobody has to say who they are (`serve.server.callers`) it lets
everybody in. Otherwise only operators get here, by their token, what has no handler is refused,
and the rest is filtered by its owner. Parties have a seat and nothing else: see `authorization`.
"""

import asyncio
from typing import Any, cast

from langgraph_sdk import Auth

from shapley_coop.serve.server.callers import configured, identify
from shapley_coop.serve.server.in_process import OWNER, inside
from shapley_coop.serve.server.limits import limits

Context = Auth.types.AuthContext
Verdict = Auth.types.HandlerResult


def tenants() -> Auth:
    """Every operator by itself."""
    auth = Auth()
    auth.authenticate(an_operator)
    auth.on(refuse)
    auth.on.threads(own)
    auth.on.threads.create_run(own_and_bounded)
    auth.on.crons(own)
    auth.on.assistants(own_or_everybodys)
    auth.on.store(own_namespace)
    return auth


def open_house() -> Auth:
    """Everybody the operator: for one's own machine."""
    auth = Auth()
    auth.authenticate(anybody)
    return auth


async def anybody() -> Auth.types.MinimalUserDict:
    """Nobody has to say who they are."""
    return {"identity": "anybody", "is_authenticated": False}


async def an_operator(authorization: str | None) -> Auth.types.MinimalUserDict:
    """Whoever shows an operator's token."""
    caller = await asyncio.to_thread(identify, authorization)
    if caller is None or caller.role != "operator":
        raise Auth.exceptions.HTTPException(status_code=401, detail="An operator's token is needed")
    return {"identity": caller.identity, "is_authenticated": True}


async def refuse(ctx: Context, value: Any) -> Verdict:
    """What nobody thought of."""
    return False


async def own(ctx: Context, value: Any) -> Verdict:
    """What an operator makes is marked as its own, and it reaches nothing else."""
    return _mine(ctx, value)


async def own_and_bounded(ctx: Context, value: Any) -> Verdict:
    """A run has a bounded number of steps, and an operator a bounded number of busy threads."""
    most = limits()
    config = value["kwargs"].setdefault("config", {})
    config["recursion_limit"] = min(config.get("recursion_limit", most.steps), most.steps)
    busy = await inside().threads.count(metadata={OWNER: ctx.user.identity}, status="busy")
    if busy >= most.busy:
        raise Auth.exceptions.HTTPException(
            status_code=429, detail=f"{busy} of your threads are busy, and {most.busy} may be: wait"
        )
    return _mine(ctx, value)


async def own_or_everybodys(ctx: Context, value: Any) -> Verdict:
    """The workflows themselves are everybody's to read and run; other assistants their maker's."""
    mine = _mine(ctx, value)
    if ctx.action in ("read", "search"):
        # The server knows $or, the SDK's types do not yet.
        return cast(Verdict, {"$or": [mine, {"created_by": "system"}]})
    if "metadata" in value:
        value["metadata"]["created_by"] = "user"
    return mine


async def own_namespace(ctx: Context, value: Any) -> Verdict:
    """Every namespace of the store lies under its operator's name."""
    namespace = tuple(value.get("namespace") or ())
    if namespace[:1] != (ctx.user.identity,):
        value["namespace"] = (ctx.user.identity, *namespace)
    return None


def _mine(ctx: Context, value: Any) -> dict[str, Any]:
    """The filter for what is the caller's; what it writes is marked with it."""
    mine = {OWNER: ctx.user.identity}
    if ctx.action in ("create", "update", "create_run"):
        # In place, even when it is empty: the server goes on with this very object.
        value.setdefault("metadata", {}).update(mine)
    return mine


auth = tenants() if configured() else open_house()

"""The server's authentication. Without tenants, it admits every request.

`langgraph.json` names `auth`.
"""

from langgraph_sdk import Auth

from shapley_coop.extensions.server.serving.tenancy import tenancy


def no_tenants() -> Auth:
    """Return an `Auth` that admits every request as the operator's, for a private machine."""
    auth = Auth()

    @auth.authenticate
    async def anonymous() -> Auth.types.MinimalUserDict:
        return {"identity": "anybody", "is_authenticated": False}

    return auth


_tenants = tenancy()
auth = _tenants.auth() if _tenants else no_tenants()

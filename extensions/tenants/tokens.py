"""The extension's implementation of `shapley_coop.extensions.server.serving.tenancy.Tenancy`."""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_sdk import Auth

from shapley_coop.extensions.server.serving.tenancy import Tenancy
from shapley_coop.extensions.tenants import owning, quotas
from shapley_coop.extensions.tenants.authorization import Authorization
from shapley_coop.extensions.tenants.callers import check_configuration
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.extensions.tenants.policy import TenantPolicy
from shapley_coop.extensions.tenants.requests import RequestOwner
from shapley_coop.extras import require_extra

with require_extra("dev", "tenants on a server"):
    from starlette.middleware import Middleware


class Tokens:
    """The `Tenancy` of a server that identifies its callers by their tokens."""

    def check(self) -> None:
        """Check at start-up that tokens, public key, limits and prices can be read.

        Raises:
            ValueError: a file or a setting cannot be read.
        """
        check_configuration()
        limits()
        quotas.price_list()

    def auth(self) -> Auth:
        """Return the `Auth` that keeps operators from each other's data."""
        return owning.tenants()

    def gate(self) -> Sequence[Middleware]:
        """Return the middleware that requires a token and sets the owner of the request."""
        return [Middleware(Authorization, at_once=limits().requests), Middleware(RequestOwner)]

    def policy(self) -> Sequence[Middleware]:
        """Return the middleware that refuses requests naming forbidden resources."""
        return [Middleware(TenantPolicy)]

    async def check_new(self, place: Mapping[str, Any]) -> None:
        """Check the owner and the quota of a run before its first step (`quotas.check_new`)."""
        await quotas.check_new(place)


TENANCY: Tenancy = Tokens()

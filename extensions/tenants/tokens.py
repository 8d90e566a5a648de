"""What the server asks of this extension: see `shapley_coop.serve.server.tenancy.Tenancy`."""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_sdk import Auth

from shapley_coop.extensions.tenants import owning, quotas
from shapley_coop.extensions.tenants.authorization import Authorization
from shapley_coop.extensions.tenants.callers import check_configuration
from shapley_coop.extensions.tenants.limits import limits
from shapley_coop.extensions.tenants.policy import TenantPolicy
from shapley_coop.extras import require_extra
from shapley_coop.serve.server.tenancy import Tenancy

with require_extra("dev", "tenants on a server"):
    from starlette.middleware import Middleware


class Tokens:
    """Callers by their tokens."""

    def check(self) -> None:
        """Check at start-up that tokens, public key, limits and prices can be read.

        Raises:
            ValueError: one of them cannot.
        """
        check_configuration()
        limits()
        quotas.price_list()

    def auth(self) -> Auth:
        """Return what separates the operators from each other."""
        return owning.tenants()

    def gate(self) -> Sequence[Middleware]:
        """Return what asks for a token."""
        return [Middleware(Authorization, at_once=limits().requests)]

    def policy(self) -> Sequence[Middleware]:
        """Return what refuses requests that name a resource of the server or of another tenant."""
        return [Middleware(TenantPolicy)]

    async def check_new(self, place: Mapping[str, Any]) -> None:
        """Compare owner and quota of a run that begins; see `quotas.check_new`."""
        await quotas.check_new(place)


TENANCY: Tenancy = Tokens()

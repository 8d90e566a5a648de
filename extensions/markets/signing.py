"""What an agent signs with its orders to a call market."""

from collections.abc import Sequence

from shapley_coop.deals.signing.acceptance import Binding, binding
from shapley_coop.extensions.markets.orders import Placed, orders_hash
from shapley_coop.state.signed_settings import SignedRun


def order_to_sign(run: SignedRun, agent: str, placed: Sequence[Placed]) -> Binding:
    """Return what an agent signs with its orders, which are revision 1 of its plan."""
    accepts = orders_hash(placed)
    return binding(agent=agent, **run._asdict(), topic="plan", turn=1, revision=1, accepts=accepts)

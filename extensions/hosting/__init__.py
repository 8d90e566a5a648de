"""Negotiation and contracts inside another (the user's own) LangGraph app.

`negotiate` makes a node that plays a workflow. `ContractMiddleware` refuses tool calls by which an
agent of LangChain's `create_agent` would break its contract. Both are imported at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shapley_coop.extension import Extension

if TYPE_CHECKING:
    from shapley_coop.extensions.hosting.middleware import ContractMiddleware
    from shapley_coop.extensions.hosting.negotiating import negotiate

__all__ = ["EXTENSION", "ContractMiddleware", "negotiate"]

EXTENSION = Extension(
    name="hosting",
    about="A negotiation as a node of your own graph, and agents held to what they signed.",
)
_PLACES = {"ContractMiddleware": "middleware", "negotiate": "negotiating"}


def __getattr__(name: str) -> Any:
    """Import `negotiate` or `ContractMiddleware` at its first use."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)

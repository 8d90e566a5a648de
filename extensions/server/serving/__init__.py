"""Callers, limits, guards and the viewer's data on the LangGraph server."""

from shapley_coop.extras import require_extra

with require_extra("dev", "the LangGraph server"):
    import starlette  # noqa: F401

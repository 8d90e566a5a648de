"""Callers, authorization, limits, recovery and the viewer's data on the LangGraph server."""

"""Tools that clients of models call by the Model Context Protocol (MCP)."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="mcp",
    about="Tools for a model's client, by the Model Context Protocol 2024-11-05 to 2026-07-28.",
    routes={"mcp": "shapley_coop.extensions.mcp.route:mcp_routes"},
    callers={"/mcp": "operators"},
    commands={"Serve and show": {"mcp": "shapley_coop.extensions.mcp.command:mcp"}},
)

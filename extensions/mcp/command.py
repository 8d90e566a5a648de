"""The command `coop mcp`, which serves tools to a model's client."""

from shapley_coop.cli.console import finish


def mcp() -> None:
    """Serve tools to a model's client on standard input and output (Model Context Protocol).

    The tools are negotiate, check_contract, credit, verify and runs, for the runs of this home. A
    server offers the same tools at /mcp.
    """
    from shapley_coop.extensions.mcp.at_home import serve_stdio

    finish(serve_stdio())

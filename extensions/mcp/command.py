"""The command `coop mcp`, which serves tools to a model's client."""

from shapley_coop.cli.console import finish


def mcp() -> None:
    """Tools for a model's client, over standard input and output: the Model Context Protocol.

    negotiate, check_contract, credit, verify and runs, over the runs of this home. On a server
    the same tools are at /mcp.
    """
    from shapley_coop.extensions.mcp.at_home import serve_stdio

    finish(serve_stdio())

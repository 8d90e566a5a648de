"""`coop graph`: show a workflow's nodes and edges."""

from typing import Annotated

import typer

from shapley_coop.cli.console import say, say_lines


def graph(
    name: Annotated[str, typer.Argument(help="The workflow; coop list shows them.")],
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid diagram.")] = False,
) -> None:
    """Show a workflow's nodes and edges."""
    from shapley_coop.graphs import builder

    drawn = builder(name).compile(name=name).get_graph(xray=1)
    if mermaid:
        say_lines(drawn.draw_mermaid().expandtabs(4))  # `say` would print tabs as escapes
        return
    for edge in drawn.edges:
        label = f"  [{edge.data}]" if edge.data else ""
        say(f"{edge.source} {'⇢' if edge.conditional else '→'} {edge.target}{label}")

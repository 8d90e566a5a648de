"""`coop letters`, `verify`, `graph`, `doctor`: commands that only read."""

import sys
from typing import Annotated

import typer

from shapley_coop.cli.console import finish, say, say_json, say_lines
from shapley_coop.cli.options import BaseUrl, Json, PriceFile, RunName


def letters(run: RunName) -> None:
    """Print every letter and answer of a run as JSON lines: private, and usable as a recording."""
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.seats.recording import recorded
    from shapley_coop.state import home

    table = finish(table_of(home().run(run)))
    entries = home().journal.entries(table["episode"]) if table else iter(())
    for entry in sorted(entries, key=lambda e: (e.agent, e.letter, e.attempt)):
        say(recorded(entry))


def verify(
    run: RunName,
    head: Annotated[
        bool,
        typer.Option("--head", help="Print the head of this home's chain, to be kept elsewhere."),
    ] = False,
    kept: Annotated[
        str, typer.Option("--kept", help="A head that was printed earlier: the chain must hold it.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Recompute contributions, values, transfers and ledger from the record, and compare.

    Every row is compared with the seal that the run's end left in the home's chain of hashes.
    Exit code 0: all of it holds; 1: something does not; 2: it cannot be read.
    """
    from shapley_coop.evals.verifying import verify_run
    from shapley_coop.state import home

    checks = finish(verify_run(run, kept))
    sound = all(check.sound for check in checks)
    if as_json:
        found = {"run": run, "sound": sound, "checks": [vars(check) for check in checks]}
        say_json(found | ({"head": home().chain.head()} if head else {}))
    elif head and sound:
        say(home().chain.head())
    else:
        for check in checks:
            say(f"{'ok  ' if check.sound else 'FAIL'}  {check.what}: {check.found}")
    if not sound:
        sys.exit(1)


def graph(
    name: Annotated[str, typer.Argument(help="The workflow; coop list shows them.")],
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid diagram.")] = False,
) -> None:
    """Show a workflow's nodes and edges."""
    from shapley_coop.graphs import builder

    drawn = builder(name).compile(name=name).get_graph(xray=1)
    if mermaid:
        say_lines(drawn.draw_mermaid().expandtabs(4))  # `say` shows control characters as escapes
        return
    for edge in drawn.edges:
        label = f"  [{edge.data}]" if edge.data else ""
        say(f"{edge.source} {'⇢' if edge.conditional else '→'} {edge.target}{label}")


def doctor(
    model: Annotated[
        str, typer.Option(help="Also try a model: does it answer, and can it play?")
    ] = "",
    base_url: BaseUrl = None,
    suite: Annotated[
        str, typer.Option(help="With --model: the suite whose cost is forecast.")
    ] = "escape_room",
    prices: PriceFile = None,
) -> None:
    """Check what this machine has installed, or whether a model can play, and at what cost."""
    from shapley_coop.cli.inspecting.checkup import checkup

    if model:
        from shapley_coop.cli.inspecting.try_model import try_model

        try_model(model, base_url, suite, prices)
        return

    findings = checkup()
    for finding in findings:
        say(f"{finding.mark}  {finding.what}: {finding.found}")
    if any(finding.mark == "FAIL" for finding in findings):
        sys.exit(1)

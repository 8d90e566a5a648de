"""`coop verify`: recompute a run from its record, and compare."""

import sys
from typing import Annotated

import typer

from shapley_coop.cli.console import finish, say, say_json
from shapley_coop.cli.options import Json, RunName


def verify(
    run: RunName,
    head: Annotated[
        bool,
        typer.Option(
            "--head", help="Print the head of this home's hash chain, to be kept elsewhere."
        ),
    ] = False,
    kept: Annotated[
        str, typer.Option("--kept", help="A head printed earlier, which the chain must contain.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Recompute values, transfers and ledger from the record; compare them with the stored ones.

    Also compare every stored row with the run's seal in the home's chain of hashes.
    Exit code 0: all checks hold; 1: a check fails; 2: the run cannot be read.
    """
    from shapley_coop.evals.verifying import verify_run
    from shapley_coop.state.storage.home import home

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

"""The command `coop prove`: it writes a run as a signed statement that others can check."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import finish, note, say, write_file

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PrivateKey

Keys = Annotated[
    list[str] | None,
    typer.Option(help="A key of this home that signs the export; coop keys new makes one."),
]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="The file to write. Default: RUN.dsse.json.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Talk = Annotated[bool, typer.Option("--with-talk", help="Include the agents' messages.")]
Mandates = Annotated[
    bool,
    typer.Option(
        "--with-mandates", help="Include the principals' mandates, not only their hashes."
    ),
]
Private = Annotated[
    bool,
    typer.Option(
        "--with-private", help="Include the run's game, even if it reveals private facts."
    ),
]


def prove(
    run: Annotated[str, typer.Argument(help="A run that has ended.")],
    key: Keys = None,
    out: Out = None,
    force: Force = False,
    talk: Talk = False,
    mandates: Mandates = False,
    private: Private = False,
) -> None:
    """Write a run as a signed statement, which others check with coop check.

    The statement holds clauses, chain, signatures, record, breaches, values and transfers, but no
    letters. docs/verify.md describes the statement, and how openssl and node verify it.
    """
    from shapley_coop.extensions.proof.envelope import as_bytes
    from shapley_coop.extensions.proof.statement import envelope_signed, statement_of
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state.resuming import result_of

    keys = _keys(key, run)
    into = out or Path(f"{run}.dsse.json")
    if into.exists() and not force:
        raise ValueError(f"{into} exists: give another --out, or --force to replace it")
    found = finish(run_of(run))
    result_of(found)
    table = finish(table_of(found))
    statement = statement_of(
        table, found.graph, found.created, talk=talk, mandates=mandates, private=private
    )
    write_file(into, as_bytes(envelope_signed(statement, keys)).decode())
    say(str(into))
    note(f"others check it with: coop check {into} --key operator=FILE.pem")


def _keys(names: list[str] | None, run: str) -> "list[PrivateKey]":
    """Return the keys of this home that sign a run.

    Raises:
        ValueError: no key is named, or this home lacks a named key.
    """
    from shapley_coop.extensions.proof.home_keys import key_of

    if not names:
        raise ValueError(f"name the key that signs {run}: --key operator (coop keys new operator)")
    return [key_of(name) for name in names]

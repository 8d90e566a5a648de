"""`coop export`: a sweep's tables, or a run as a signed statement that others can check."""

from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.console import finish, note, say
from shapley_coop.cli.experimenting import results
from shapley_coop.cli.options import PriceFile


def export(
    what: Annotated[
        str, typer.Argument(help="A run, or the folder of a sweep.", metavar="RUN|DIR")
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Where to write. Default: RUN.dsse.json, or DIR/tables."),
    ] = None,
    format_: Annotated[
        str,
        typer.Option("--format", help="Of a sweep: csv, jsonl or parquet tables, or rows, whole."),
    ] = "csv",
    prices: PriceFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    key: Annotated[
        list[str] | None, typer.Option(help="A key of this home that signs a run's statement.")
    ] = None,
    talk: Annotated[
        bool, typer.Option("--with-talk", help="Of a run: what was said, too.")
    ] = False,
    mandates: Annotated[
        bool,
        typer.Option("--with-mandates", help="Of a run: what principals allowed, not its hash."),
    ] = False,
    private: Annotated[
        bool,
        typer.Option("--with-private", help="Of a run: its game, even if it tells secrets."),
    ] = False,
) -> None:
    """Write a sweep's tidy tables, or a run as a signed statement for coop check.

    The statement holds clauses, chain, signatures, record, breaches, values and transfers, and
    never a letter. docs/verify.md describes it, and how openssl and node verify it.
    """
    folder = Path(what)
    if folder.is_dir():
        if key or talk or mandates or private:
            raise ValueError(f"--key and --with-… are for a run, and {what} is a folder")
        results.export(folder, out, format_, prices, force)
        return
    if not key:
        raise ValueError(
            f"{what} is a run if it is no folder of a sweep: name the key that signs it, with "
            "--key operator (coop keys new operator makes one)"
        )
    into = out or Path(f"{what}.dsse.json")
    if into.exists() and not force:
        raise ValueError(f"{into} exists: give another --out, or --force to replace it")
    _export_run(what, into, key, (talk, mandates, private))


def _export_run(run: str, out: Path, names: list[str], shown: tuple[bool, bool, bool]) -> None:
    from shapley_coop.cli.console import write_file
    from shapley_coop.deals.signing import as_bytes
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.state import home
    from shapley_coop.state.proof import envelope_signed, statement_of
    from shapley_coop.state.resuming import result_of
    from shapley_coop.state.storage.keys import key_of

    keys = [key_of(name) for name in names]
    found = home().run(run)
    result_of(found)
    table = finish(table_of(found))
    talk, mandates, private = shown
    statement = statement_of(
        table, found.graph, found.created, talk=talk, mandates=mandates, private=private
    )
    write_file(out, as_bytes(envelope_signed(statement, keys)).decode())
    say(str(out))
    note(f"whoever has it checks it with: coop check {out} --key operator=FILE.pem")

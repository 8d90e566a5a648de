"""The command `coop scenario write`, by which a model writes a scenario."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import complain, finish, note, progress, say, write_file
from shapley_coop.cli.options import BaseUrl, seat_from

INCOMPLETE = 1


def write(
    preferences: Annotated[Path, typer.Argument(help="The tasks and preferences in words.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The scenario file to write.")],
    model: Annotated[
        str, typer.Option(help="The writing model: provider:name, with settings after commas.")
    ] = "embedded:impartial",
    base_url: BaseUrl = None,
    tries: Annotated[int, typer.Option(help="Attempts for each letter.", min=1, max=10)] = 3,
    seed: Annotated[int, typer.Option(help="A new seed asks for everything again.", min=0)] = 0,
) -> None:
    """Have a model write descriptions and utilities from preferences in words.

    A faulty answer is sent back with its fault. The same command resumes after an interruption.
    docs/authoring.md describes the preferences file, docs/scenarios.md the scenario file.
    """
    from shapley_coop.extensions.authoring.commission import read_commission
    from shapley_coop.extensions.authoring.writing import NotWritten
    from shapley_coop.extensions.authoring.writing import write as commissioned
    from shapley_coop.extensions.exchange.domain.source import FILE_ENDINGS
    from shapley_coop.seats.seat import SeatError

    if out.suffix not in FILE_ENDINGS or not out.parent.is_dir():
        raise ValueError(f"--out {out}: use a {', '.join(FILE_ENDINGS)} file in an existing folder")
    commission, seat = read_commission(preferences), seat_from(model, base_url)
    sheets = len(commission.descriptions) + len(commission.scores)
    with progress(sheets, f"{sheets} sheets") as moved:
        try:
            work = finish(
                commissioned(commission, seat, out.parent, seed=seed, tries=tries, progress=moved)
            )
        except (NotWritten, SeatError) as error:
            complain(f"nothing was written: {error}")
            sys.exit(INCOMPLETE)
    write_file(out, _as_text(work.content, out.suffix))
    sent_back = f"{work.letters} letters, {work.refused} answers sent back"
    note(f"{sent_back}; {work.calls} asked now, {work.tokens} tokens")
    if seat.simulated:
        note("A simulation: no language model wrote it.")
    say(str(out))


def _as_text(content: dict[str, Any], ending: str) -> str:
    import json

    import yaml

    if ending == ".json":
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)

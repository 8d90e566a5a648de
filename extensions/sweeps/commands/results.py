"""`coop status` shows a sweep's progress, and `coop merge` merges several folders of a sweep."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.console import say, say_json, show_table
from shapley_coop.cli.options import Json

Folder = Annotated[Path, typer.Argument(help="A sweep's folder.", metavar="DIR")]


def status(folder: Folder, as_json: Json = False) -> None:
    """Show a sweep's progress, calls and failures; coop sweep tries failed cells again."""
    from shapley_coop.extensions.sweeps.store import Store

    with Store(folder) as store:
        skipped, ended, failures = store.content["skipped"], store.counts(), store.failures()
        cells = {suite.name: suite.size for suite in store.suites}
    done, calls = ({n: ended.get(n, (0, 0))[at] for n in cells} for at in (0, 1))
    lost = Counter(failure["suite"] for failure in failures)
    if as_json:
        found = {n: {"cells": c, "done": done[n], "failed": lost[n]} for n, c in cells.items()}
        told = ("cell", "suite", "labels", "seed", "error", "said")
        failed = [{key: f[key] for key in told if key in f} for f in failures]
        say_json({"suites": found, "skipped": skipped, "failures": failed})
        return
    lines = [
        [n, *map(str, (done[n], lost[n], c - done[n] - lost[n], c, calls[n]))]
        for n, c in cells.items()
    ]
    show_table(str(folder), ["suite", "done", "failed", "left", "cells", "calls"], lines)
    for name, reason in skipped.items():
        say(f"skipped {name}: {reason}")
    for failure in failures:
        where = ", ".join(f"{axis} {label}" for axis, label in failure["labels"].items())
        said = f"; {failure['said']}" if "said" in failure else ""
        at = " ".join(filter(None, (failure["suite"], where and f"({where})")))
        say(f"failed {at} seed {failure['seed']}: {failure['error']}{said}")


def merge(
    folders: Annotated[list[Path], typer.Argument(help="Folders of one sweep.", metavar="DIR…")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A new folder.")],
) -> None:
    """Merge several machines' folders of one sweep, with each run once."""
    from shapley_coop.extensions.sweeps.folders import merge as together

    say(f"{out}: {together(folders, out)} runs")

"""`coop report`: write a run or a sweep as an HTML file."""

import json
from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.console import finish, note, progress, say, show_spinner, write_file
from shapley_coop.cli.options import PriceFile, prices_from
from shapley_coop.extensions.page.command import Private


def report(
    what: Annotated[
        str, typer.Argument(help="A run, or the folder of a sweep.", metavar="RUN|DIR")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The file to write. Default: RUN.html, or report.html in DIR. A name in .json "
            "writes a run's data.",
            metavar="FILE",
        ),
    ] = None,
    private: Private = False,
    figures: Annotated[
        Path | None,
        typer.Option(help="For a sweep: also write every figure as SVG and PNG.", metavar="DIR"),
    ] = None,
    prices: PriceFile = None,
) -> None:
    """Write a run, or a sweep with pages of its runs, as HTML."""
    folder = Path(what)
    if folder.is_dir():
        if private:
            raise ValueError(f"--private needs a run, and {what} is a folder")
        _report_sweep(folder, out or folder / "report.html", figures, prices)
    else:
        if figures:
            raise ValueError(f"--figures needs a sweep's folder, and {what} is not one")
        _report_run(what, out or Path(f"{what}.html"), private)


def _report_run(run: str, out: Path, private: bool) -> None:
    from shapley_coop.extensions.page.run_sources import bundle_of
    from shapley_coop.extensions.page.selfcontained import standalone_page
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.state.storage.home import home

    if out.suffix not in {".html", ".json"}:
        raise ValueError(f"--out {out}: give a name that ends in .html or .json")
    try:
        found = finish(run_of(run))
    except ValueError as error:
        raise ValueError(f"{error}; and {run} holds no sweep") from None
    with show_spinner(f"reading {run}"):
        bundle = bundle_of(found, home(), private)
    data = json.dumps(bundle, ensure_ascii=False, indent=1)
    write_file(out, data if out.suffix == ".json" else standalone_page(bundle))
    say(str(out))


def _report_sweep(folder: Path, out: Path, figures: Path | None, prices: Path | None) -> None:
    from shapley_coop.extensions.reports.report import figures as drawn
    from shapley_coop.extensions.reports.report import report as page
    from shapley_coop.extensions.reports.run_pages import RunPages
    from shapley_coop.extensions.sweeps.store import Store

    with Store(folder) as store:
        suites, known = len(store.content["suites"]), prices_from(prices)
    with progress(suites, f"{suites} experiments") as moved:
        text = page(folder, known, moved, RunPages(out))
    write_file(out, text)
    say(str(out))
    if figures:
        from shapley_coop.extensions.reports.figures import why_no_png, write_figures

        for written in write_figures(drawn(folder), figures):
            say(str(written))
        if lacking := why_no_png():
            note(f"no PNG: {lacking}")

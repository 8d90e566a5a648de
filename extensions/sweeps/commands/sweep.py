"""`coop sweep`: run experiments."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from shapley_coop import extension
from shapley_coop.cli.console import finish, note, progress, say
from shapley_coop.cli.options import NoSandbox, PriceFile

if TYPE_CHECKING:
    from shapley_coop.evals.cell import Cell, Row
    from shapley_coop.evals.prices import Prices
    from shapley_coop.extensions.sweeps.playing import Limits, Player, Tally
    from shapley_coop.extensions.sweeps.suite import Suite

INCOMPLETE = 1
NO_BATCHES = "--batch: no extension that asks in `batches` is installed: leave it out"
NO_PLAYER = "--remote: no extension that plays cells on a server is installed: leave it out"
ALL = "all"


class Keep(StrEnum):
    """The choice of runs whose letters and checkpoints a sweep keeps; see `Local`."""

    ALL = "all"
    FAILURES = "failures"
    NONE = "none"


Out = Annotated[Path | None, typer.Option("-o", "--out", help="The sweep's folder.")]
Seeds = Annotated[str, typer.Option(help="Seeds instead of the file's: 0-29, or 0-4,10.")]
Failures = Annotated[float, typer.Option(help="The fraction of runs that may fail.", min=0, max=1)]
Dollars = Annotated[
    float | None, typer.Option(help="The most USD for all runs and processes of the folder.", min=0)
]
AtOnce = Annotated[int, typer.Option(help="Runs played at the same time.", min=1, max=1000)]
AT_ONCE, AT_ONCE_IN_BATCHES = 16, 500

RequestRate = Annotated[
    list[str] | None,
    typer.Option(help="N, or provider=N: requests per minute, over all processes.", metavar="N"),
]
TokenRate = Annotated[
    list[str] | None,
    typer.Option(help="N, or provider=N: tokens per minute, over all processes.", metavar="N"),
]


def sweep(
    suites: Annotated[list[str], typer.Argument(help="Suites by name or file, or 'all'.")],
    out: Out = None,
    limit: Annotated[int | None, typer.Option(help="Play only the first N runs.", min=1)] = None,
    seeds: Seeds = "",
    max_connections: Annotated[
        int | None,
        typer.Option(
            help=f"Runs played at the same time; {AT_ONCE}, or {AT_ONCE_IN_BATCHES} with --batch.",
            min=1,
            max=10_000,
        ),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option(
            help="Ask openai: models through their endpoint's batch API: cheaper, but each letter "
            "may take a day."
        ),
    ] = False,
    shard: Annotated[
        str,
        typer.Option(
            help="i/n: play one of n disjoint parts, for machines without a common database; give "
            "each its own --out and COOP_HOME."
        ),
    ] = "",
    keep: Annotated[
        Keep, typer.Option(help="The runs whose letters and checkpoints are kept.")
    ] = Keep.ALL,
    cost_limit: Dollars = None,
    prices: PriceFile = None,
    rpm: RequestRate = None,
    tpm: TokenRate = None,
    fail_on_error: Failures = 0.05,
    dry_run: Annotated[bool, typer.Option(help="Print a forecast; run nothing.")] = False,
    remote: Annotated[str, typer.Option(help="URL of a server that plays the runs.")] = "",
    _unsafe: NoSandbox = False,
) -> None:
    """Play each run of a suite once. To continue, repeat the command; several can work at once."""
    from shapley_coop.cli.options import prices_from
    from shapley_coop.extensions.sweeps.folders import shard as shard_of
    from shapley_coop.extensions.sweeps.folders import shard_from
    from shapley_coop.extensions.sweeps.models import check_prices
    from shapley_coop.seats.keys import keys_bound

    part = shard_from(shard) if shard else None
    if remote and keep != Keep.ALL:
        raise ValueError(f"--keep {keep}: the server keeps threads: leave out --keep or --remote")
    if remote and batch:
        raise ValueError("--batch: the server asks its seats itself: leave out --batch or --remote")
    batches = extension.only("batches", NO_BATCHES) if batch else None
    _check_limits({"--cost-limit": cost_limit, "--rpm": rpm, "--tpm": tpm}, part, remote)
    chosen, cells, skipped = cells_of_suites(suites, seeds)
    known = prices_from(prices)
    cells = (shard_of(cells, *part) if part else cells)[:limit]
    folder = out or sweep_folder(chosen[0].name if len(chosen) == 1 else "suites")
    if dry_run:
        from shapley_coop.extensions.sweeps.commands.forecast import show_forecast

        show_forecast(cells, folder, known, batch)
        return
    if cost_limit is not None:
        check_prices(known, cells)
    from shapley_coop.extensions.sweeps.gates import rates_from
    from shapley_coop.extensions.sweeps.playing import Limits

    rates = rates_from(rpm or [], tpm or [])
    at_once = max_connections or (AT_ONCE_IN_BATCHES if batch else AT_ONCE)
    limits = Limits(at_once, cost_limit, fail_on_error, rates, batches)
    how: Any = {"skipped": skipped, "remote": remote, "keep": keep.value}
    with keys_bound():  # a stranger's suite must not send our keys to the stranger's endpoints
        _tell(folder, run_cells(chosen, cells, folder, limits=limits, prices=known, **how))


def _check_limits(limits: dict[str, Any], part: tuple[int, int] | None, remote: str) -> None:
    """Refuse limits that this process could not enforce.

    Raises:
        ValueError: several shards have no common database in which to add up their calls; or a
            server makes the calls, so this process can limit only their cost.
    """
    from shapley_coop.state.storage.home import home

    given = [name for name, limit in limits.items() if limit not in (None, [])]
    if given and part and part[1] > 1 and not home().database:
        raise ValueError(
            f"{given[0]}: each of {part[1]} shards would spend the whole limit, as the shards "
            "share no database: give one (COOP_DATABASE_URL), or limit the key at its provider"
        )
    if remote and (of_calls := [name for name in given if name != "--cost-limit"]):
        raise ValueError(
            f"{of_calls[0]}: the server asks its seats itself: leave out {of_calls[0]} or --remote"
        )


def _tell(folder: Path, tally: "Tally") -> None:
    """Print the result of a sweep, and exit with an error if the sweep was stopped."""
    say(f"{folder}: {tally.done} run, {tally.before} there before, {tally.left} left")
    if tally.failed:
        note(f"{tally.failed} failed: coop status {folder} says why; the same command tries again")
    if tally.stopped:
        note(f"stopped: {tally.stopped}; the same command goes on")
        sys.exit(INCOMPLETE)
    if others := tally.left - tally.failed:
        note(f"{others} are played by other processes, or failed there: coop status {folder}")


def run_cells(
    suites: "Sequence[Suite]",
    cells: "Sequence[Cell]",
    folder: Path,
    *,
    what: str = "",
    limits: "Limits | None" = None,
    prices: "Prices | None" = None,
    skipped: dict[str, str] | None = None,
    remote: str = "",
    keep: str = Keep.ALL.value,
    stopped: str = "",
) -> "Tally":
    """Run the cells (planned runs) that a sweep's folder lacks, with a progress bar.

    Args:
        suites: the suites of the cells; the folder records these suites and those in `skipped`.
        cells: the cells in order; they run here or on the server with the URL `remote`.
        folder: the sweep's folder.
        what: the title of the progress bar.
        limits: the limits of the sweep; the cost is computed with `prices`.
        keep: the choice of runs whose letters and checkpoints are kept; see `Local`.
        stopped: the message after an interrupt; the default says that finished runs are kept.
    """
    from shapley_coop.evals.prices import NO_PRICES
    from shapley_coop.extensions.sweeps.checks import check_cells, check_none_waits
    from shapley_coop.extensions.sweeps.folders import done_in
    from shapley_coop.extensions.sweeps.local import Local
    from shapley_coop.extensions.sweeps.playing import Limits
    from shapley_coop.extensions.sweeps.store import Store
    from shapley_coop.extensions.sweeps.sweep import sweep
    from shapley_coop.extensions.sweeps.workers import Worker

    limits, prices = limits or Limits(), prices or NO_PRICES
    if not remote:
        done = done_in(folder)
        check_cells(cell for cell in cells if cell.id not in done)
    with Store(folder, new=True) as store, Worker(store) as worker:
        name, title = store.register(suites, skipped or {}), what or f"{len(cells)} cells"
        if not (remote or limits.batches):
            check_none_waits(name)
        player: Player = (
            extension.only("players", NO_PLAYER)(remote, name)
            if remote
            else Local(name, cast(Any, keep))
        )
        with progress(len(cells), title) as moved:
            try:
                return finish(sweep(cells, player, worker, limits, prices, lambda _: moved(), note))
            except KeyboardInterrupt:
                kept = f"stopped; {folder} keeps what is done, and the same command goes on"
                note(stopped or kept)
                raise


def rows_of(folder: Path, cells: "Sequence[Cell]") -> "list[Row]":
    """Return the result rows of the given cells from a sweep's folder."""
    from shapley_coop.extensions.sweeps.folders import read_rows

    wanted = {cell.id for cell in cells}
    return [row for row in read_rows(folder) if row["cell"] in wanted]


def cells_of_suites(
    names: list[str], seeds: str
) -> "tuple[list[Suite], list[Cell], dict[str, str]]":
    """Return suites, their cells and, for `all`, unplayable suite → the reason."""
    from shapley_coop.evals.seeds import parse_seeds
    from shapley_coop.extensions.sweeps.cells import expand
    from shapley_coop.extensions.sweeps.suite import known_suites, load_suite

    given = parse_seeds(seeds) if seeds else []
    suites, cells, skipped = [], [], {}
    for name in known_suites() if names == [ALL] else names:
        suite = load_suite(name)
        suite = suite.model_copy(update={"seeds": given or suite.seeds})
        for check in extension.offered("suite_checks"):
            extension.load("suite_checks", check)(suite)
        try:
            cells += expand(suite)
        except ValueError as error:
            if names != [ALL]:
                raise
            note(f"skipped {name}: {error}")
            skipped[name] = str(error)
        else:
            suites.append(suite)
    return suites, cells, skipped


def sweep_folder(name: str) -> Path:
    """Return the default folder of a sweep."""
    from shapley_coop.state.storage.home import home

    return home().folder / "sweeps" / name

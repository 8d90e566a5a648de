"""Sweeps as commands run them: the cells of suites, what a folder lacks of them, and its rows."""

from collections.abc import Callable, Sequence
from pathlib import Path

from shapley_coop import extension
from shapley_coop.cli.console import finish, note, progress
from shapley_coop.cli.options import seats_from
from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.evals.seeds import parse_seeds
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import left_in, read_rows
from shapley_coop.extensions.sweeps.playing import Keep, Limits, Player, Tally
from shapley_coop.extensions.sweeps.store import NoSweep, Store
from shapley_coop.extensions.sweeps.suite import Suite, known_suites, load_suite, seated

NO_PLAYER = "--remote: no extension that plays cells on a server is installed: leave it out"
ALL = "all"


def run_cells(
    suites: Sequence[Suite],
    cells: Sequence[Cell],
    folder: Path,
    *,
    what: str = "",
    limits: Limits | None = None,
    prices: Prices = NO_PRICES,
    skipped: dict[str, str] | None = None,
    remote: Sequence[str] = (),
    keep: Keep = "all",
    stopped: str = "",
) -> Tally:
    """Run the cells (planned runs) that a sweep's folder lacks, with a progress bar.

    Args:
        suites: the suites of the cells; the folder records these suites and those in `skipped`.
        cells: the cells in order; they run here or on the servers with the URLs `remote`.
        folder: the sweep's folder.
        what: the title of the progress bar.
        limits: the limits of the sweep; the cost is computed with `prices`.
        keep: the choice of runs whose letters and checkpoints are kept; see `Local`.
        stopped: the message after an interrupt; the default says that finished runs are kept.
    """
    check_suites(suites, folder)
    left, limits = left_in(folder, cells), limits or Limits()
    if left:
        from shapley_coop.extensions.sweeps import checks  # slow, like all that plays

        (checks.check_no_people if remote else checks.check_cells)(left)
    if left and remote:
        finish(extension.only("players", NO_PLAYER).check(remote))
    with Store(folder, new=True) as store:
        name = store.register(suites, skipped or {})
        if not left and keep == "all":  # else runs that a killed process has kept are removed
            return Tally(len(cells), before=len(cells), cost=store.spent)
        player = _player(remote, name, keep, limits, prices, store)
        with progress(len(cells), what or f"{len(cells)} cells") as moved:
            kept = f"stopped; {folder} keeps what is done, and the same command goes on"
            return _play(store, cells, player, limits, prices, moved, stopped or kept)


def _player(
    remote: Sequence[str], sweep: str, keep: Keep, limits: Limits, prices: Prices, store: Store
) -> Player:
    """Return the player of a sweep's cells: this process, or the servers with the URLs `remote`.

    Raises:
        ValueError: this process is to play without batches, but letters of the sweep wait in some.
    """
    if remote:
        player: Player = extension.only("players", NO_PLAYER)(
            remote, sweep, keep, store, limits, prices
        )
        return player
    from shapley_coop.extensions.sweeps.checks import check_none_waits
    from shapley_coop.extensions.sweeps.local import Local

    if not limits.batches:
        check_none_waits(sweep)
    return Local(sweep, keep)


def _play(
    store: Store,
    cells: Sequence[Cell],
    player: Player,
    limits: Limits,
    prices: Prices,
    moved: Callable[[], None],
    stopped: str,
) -> Tally:
    """Play cells as one of the processes of a sweep; print `stopped` after an interrupt."""
    from shapley_coop.extensions.sweeps.sweep import Sweep
    from shapley_coop.extensions.sweeps.workers import Worker

    with Worker(store) as worker:
        try:
            return finish(Sweep(cells, player, worker, limits, prices, moved, note).play())
        except KeyboardInterrupt:
            note(stopped)
            raise


def rows_of(folder: Path, cells: Sequence[Cell]) -> list[Row]:
    """Return the result rows of the given cells from a sweep's folder."""
    wanted = {cell.id for cell in cells}
    return [row for row in read_rows(folder) if row["cell"] in wanted]


def cells_of_suites(
    names: list[str], seeds: str, model: str = "", base_url: str | None = None
) -> tuple[list[Suite], list[Cell], dict[str, str]]:
    """Return suites, their cells and, for `all`, unplayable suite → the reason.

    Args:
        names: the suites' names or files, or only `ALL`.
        seeds: the seeds instead of the suites' own, if any.
        model: the model of every agent instead of the suites' own, if any.
        base_url: the model's endpoint.
    """
    given = parse_seeds(seeds) if seeds else []
    suites, cells, skipped = [], [], {}
    for name in known_suites() if names == [ALL] else names:
        suite = load_suite(name)
        suite = suite.model_copy(update={"seeds": given or suite.seeds})
        try:
            suite = seated(suite, seats_from(model, None, base_url)) if model else suite
            cells += expand(suite)
        except ValueError as error:
            if names != [ALL]:
                raise
            note(f"skipped {name}: {error}")
            skipped[name] = str(error)
        else:
            suites.append(suite)
    return suites, cells, skipped


def check_suites(suites: Sequence[Suite], folder: Path) -> None:
    """Make the checks that extensions bring, on the suites that the folder does not have yet.

    Raises:
        ValueError: an extension, such as the one that makes reports, cannot use a suite.
    """
    try:
        with Store(folder) as store:
            known = store.content["suites"]
    except NoSweep:
        known = {}
    for suite in suites:
        if not suite.is_stored_as(known.get(suite.name)):
            for check in extension.offered("suite_checks"):
                extension.load("suite_checks", check)(suite)

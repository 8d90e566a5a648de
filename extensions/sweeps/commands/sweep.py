"""`coop sweep`: run experiments."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note, say
from shapley_coop.cli.options import BaseUrl, NoSandbox, PriceFile, prices_from, with_options_of
from shapley_coop.extensions.sweeps.playing import Keep, Limits, Tally, rates_from
from shapley_coop.state.storage.home import home

INCOMPLETE = 1
NO_BATCHES = "--batch: no extension that asks in `batches` is installed: leave it out"

Out = Annotated[Path | None, typer.Option("-o", "--out", help="The sweep's folder.")]
Seeds = Annotated[str, typer.Option(help="Seeds instead of the file's: 0-29, or 0-4,10.")]
Failures = Annotated[float, typer.Option(help="The fraction of runs that may fail.", min=0, max=1)]
Dollars = Annotated[
    float | None, typer.Option(help="The most USD for all runs and processes of the folder.", min=0)
]
AtOnce = Annotated[int, typer.Option(help="Runs played at the same time.", min=1, max=1000)]
AT_ONCE, AT_ONCE_IN_BATCHES = 16, 500

SuiteModel = Annotated[
    str, typer.Option("--model", help="The seat of every agent, instead of the suite's own seats.")
]
RequestRate = Annotated[
    list[str] | None,
    typer.Option(help="N, or provider=N: requests per minute, over all processes.", metavar="N"),
]
TokenRate = Annotated[
    list[str] | None,
    typer.Option(help="N, or provider=N: tokens per minute, over all processes.", metavar="N"),
]
Suites = Annotated[list[str], typer.Argument(help="Suites by name or file, or 'all'.")]
Limit = Annotated[int | None, typer.Option(help="Play only the first N runs.", min=1)]
MaxConnections = Annotated[
    int | None,
    typer.Option(
        help=f"Runs played at the same time; {AT_ONCE}, or {AT_ONCE_IN_BATCHES} with --batch.",
        min=1,
        max=10_000,
    ),
]
Batch = Annotated[
    bool,
    typer.Option(
        help="Ask openai: models through their endpoint's batch API: cheaper, but each letter "
        "may take a day."
    ),
]
Shard = Annotated[
    str,
    typer.Option(
        help="i/n: play one of n disjoint parts, for machines without a common database; give "
        "each its own --out and COOP_HOME."
    ),
]
Kept = Annotated[
    Keep,
    typer.Option(help="The runs whose letters and checkpoints are kept; of a server, the threads."),
]
DryRun = Annotated[bool, typer.Option(help="Print a forecast; run nothing.")]
Remote = Annotated[
    list[str] | None,
    typer.Option(
        help="URL of a server that plays the runs; repeat it for several. COOP_REMOTE_TOKEN "
        "is their token.",
        metavar="URL",
    ),
]


@dataclass(frozen=True)
class Options:
    """The options of `coop sweep`."""

    suites: Suites
    out: Out = None
    limit: Limit = None
    seeds: Seeds = ""
    model: SuiteModel = ""
    base_url: BaseUrl = None
    max_connections: MaxConnections = None
    batch: Batch = False
    shard: Shard = ""
    keep: Kept = "all"
    cost_limit: Dollars = None
    prices: PriceFile = None
    rpm: RequestRate = None
    tpm: TokenRate = None
    fail_on_error: Failures = 0.05
    dry_run: DryRun = False
    remote: Remote = None
    _unsafe: NoSandbox = False


@with_options_of(Options)
def sweep(given: Options) -> None:
    """Play each run of a suite once. To continue, repeat the command; several can work at once."""
    from shapley_coop.extensions.sweeps.cells import models_of
    from shapley_coop.extensions.sweeps.folders import shard, shard_from
    from shapley_coop.extensions.sweeps.running import cells_of_suites, check_suites, run_cells
    from shapley_coop.seats.keys import keys_bound

    part = shard_from(given.shard) if given.shard else None
    limits = _limits(given, part)
    chosen, cells, skipped = cells_of_suites(given.suites, given.seeds, given.model, given.base_url)
    prices = prices_from(given.prices)
    cells = (shard(cells, *part) if part else cells)[: given.limit]
    folder = given.out or sweep_folder(chosen[0].name if len(chosen) == 1 else "suites")
    if given.dry_run:
        from shapley_coop.extensions.sweeps.commands.forecast import show_forecast

        check_suites(chosen, folder)
        show_forecast(cells, folder, prices, given.batch)
        return
    if given.cost_limit is not None:
        for each in sorted(models_of(cells)):
            prices.of(each)  # which raises an error if the model has no price
    with keys_bound():  # a stranger's suite must not send our keys to the stranger's endpoints
        tally = run_cells(
            chosen,
            cells,
            folder,
            limits=limits,
            prices=prices,
            skipped=skipped,
            remote=given.remote or (),
            keep=given.keep,
        )
    _tell(folder, tally)


def _limits(given: Options, part: tuple[int, int] | None) -> Limits:
    """Return the limits of a sweep.

    Raises:
        ValueError: a limit cannot be read or enforced, or this sweep cannot ask in batches.
    """
    if given.remote and given.batch:
        raise ValueError("--batch: the server asks its seats itself: leave out --batch or --remote")
    batches = extension.only("batches", NO_BATCHES) if given.batch else None
    limits = {"--cost-limit": given.cost_limit, "--rpm": given.rpm, "--tpm": given.tpm}
    _check_limits(limits, part, bool(given.remote))
    rates = rates_from(given.rpm or [], given.tpm or [])
    at_once = given.max_connections or (AT_ONCE_IN_BATCHES if given.batch else AT_ONCE)
    return Limits(at_once, given.cost_limit, given.fail_on_error, rates, batches)


def _check_limits(limits: dict[str, Any], part: tuple[int, int] | None, remote: bool) -> None:
    """Refuse limits that this process could not enforce.

    Raises:
        ValueError: several shards, or this process and the servers, have no common database in
            which to count their calls; without one, only a server's cost can be limited.
    """
    given = [name for name, limit in limits.items() if limit not in (None, [])]
    if given and part and part[1] > 1 and not home().database:
        raise ValueError(
            f"{given[0]}: each of {part[1]} shards would spend the whole limit, as the shards "
            "share no database: give one (COOP_DATABASE_URL), or limit the key at its provider"
        )
    of_calls = [name for name in given if name != "--cost-limit"]
    if remote and of_calls and not home().database:
        raise ValueError(
            f"{of_calls[0]}: the server makes the calls: give it and this sweep one database "
            f"(COOP_DATABASE_URL) to count them, or leave out {of_calls[0]} or --remote"
        )


def _tell(folder: Path, tally: Tally) -> None:
    """Print the result of a sweep, and exit with an error if the sweep was stopped."""
    say(f"{folder}: {tally.done} run, {tally.before} there before, {tally.left} left")
    if tally.failed:
        note(f"{tally.failed} failed: coop status {folder} says why; the same command tries again")
    if tally.stopped:
        note(f"stopped: {tally.stopped}; the same command goes on")
        sys.exit(INCOMPLETE)
    if others := tally.left - tally.failed:
        note(f"{others} are played by other processes, or failed there: coop status {folder}")


def sweep_folder(name: str) -> Path:
    """Return the default folder of a sweep."""
    return home().folder / "sweeps" / name

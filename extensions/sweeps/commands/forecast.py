"""`coop sweep --dry-run`: a forecast of a sweep's calls, tokens, cost and time."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shapley_coop.cli.console import finish, progress, say

if TYPE_CHECKING:
    from shapley_coop.evals.cell import Cell
    from shapley_coop.evals.prices import Prices


def show_forecast(
    cells: "Sequence[Cell]", folder: Path, prices: "Prices", batch: bool = False
) -> None:
    """Play sample runs with embedded agents, and print the forecast for the cells (runs)."""
    from shapley_coop.extensions.sweeps.folders import left_in
    from shapley_coop.extensions.sweeps.forecast import forecast, pilots

    todo = left_in(folder, cells)
    kinds = len({cell.condition for cell in todo})
    with progress(kinds, f"a pilot of {kinds} conditions") as moved:
        played = finish(pilots(todo, moved))
    found = forecast(todo, played, prices, batch)
    say(f"{len(todo)} cells to run, {len(cells) - len(todo)} there already")
    say(f"{found.calls:.0f} calls")
    say(f"{found.input_tokens:.0f} tokens in, {found.output_tokens:.0f} out")
    if found.cost is None:
        say("cost unknown: a model has no price; give --prices FILE")
    elif found.simulated and found.at_longest:
        say(f"{found.cost:.4f} to {found.at_longest:.4f} USD, by the prices of {prices.told}:")
        say("from answers as short as the pilot's to the longest that the seats allow, each letter")
        say("tried as often as it may be (max_tokens of a seat and tries set the upper end).")
    else:
        say(f"{found.cost:.4f} USD, by the prices of {prices.told}")
    if found.batches:
        say("Letters wait for batches, which may take 24 hours each and have those of all runs in")
        say(f"flight; the longest run waits for {found.batches} or more of them in a row.")
    say(f"{found.seconds:.0f} s one after the other, at the pilot's pace")
    say(f"From a pilot of {kinds} runs, one of each condition.")
    if found.simulated:
        say("Embedded agents stood in for models that are paid for: their letters are as long, but")
        say("tokens are guessed at four characters each, and models think and talk as they like.")
        say("Closer: sweep one seed of each (--seeds 0), and see what its runs have cost.")

"""`coop wev`: the earned value of roles, from a file of counts."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import say_json, show_table
from shapley_coop.cli.options import Json, Weights

DataFile = Annotated[Path, typer.Argument(help="A JSON file.")]


def wev(
    file: DataFile,
    weights: Weights = None,
    as_json: Json = False,
) -> None:
    """Print the weighted earned value of each role's artefacts, in percent of the whole.

    {"artefacts": {"CTO": {"code": 93, "fixes": 12}, …}, "rewards": {"CTO": 40, …}} gives counts by
    role and kind, and optionally rewards in percent. Each kind has an interval of weights. The
    output has each role's interval, its percentage, and the reward's distance from the interval.
    """
    from shapley_coop.earned_value import WEIGHTS
    from shapley_coop.extensions.wev.report import read_weights, read_wev, wev_report

    given = read_weights(weights) if weights else WEIGHTS
    report = wev_report(*read_wev(file), given)
    if as_json:
        say_json(report)
    else:
        show_earned(f"weighted earned value of {file.name}, in percent", report)


def show_earned(title: str, report: dict[str, Any]) -> None:
    """Print each role's earned value and its reward, and the difference of the two."""
    lines = []
    for role, found in report["roles"].items():
        (low, high), reward, change = found["interval"], found["reward"], found["adjustment"]
        least, most = found["point_interval"]
        line = [role, f"{low:.1f}–{high:.1f}", f"{found['point']:.1f}", f"{least:.1f}–{most:.1f}"]
        line.append("—" if reward is None else f"{reward:g}")
        line.append("—" if change is None else f"{change:+.1f}")
        lines.append(line)
    show_table(title, ["role", "interval", "point", "of the point", "reward", "adjustment"], lines)

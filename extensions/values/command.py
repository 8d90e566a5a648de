"""The credit of a game in a file, for `coop credit FILE`."""

from pathlib import Path

from shapley_coop.cli.console import progress, say, say_json, show_table
from shapley_coop.extensions.values.files import credit_report
from shapley_coop.files import read_data

CHECKED = {None: "not checked", True: "holds", False: "does not hold"}


def credit_file(file: Path, value: str, as_json: bool) -> None:
    """Print the credit from a file, which holds a characteristic function or contributions."""
    report = credit_report(read_data(file, "a game or runs"), value, progress)
    if as_json:
        say_json(report)
        return
    errors, shares = report["standard_error"], report["shares"]
    lines = [
        [
            agent,
            f"{report['values'][agent]:g}",
            f"{errors[agent]:.3g}" if errors else "exact",
            f"{shares[agent]:.2%}" if shares else "—",
        ]
        for agent in report["agents"]
    ]
    show_table(f"{value} of {file.name}", ["agent", "value", "standard error", "share"], lines)
    for name, holds in (report["axioms"] or {}).items():
        say(f"{name}: {CHECKED[holds]}")

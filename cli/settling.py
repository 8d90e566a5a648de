"""`coop credit`, `wev` and `import`: credit for your own records."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import say, say_json, show_table

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
DataFile = Annotated[Path, typer.Argument(help="A JSON file.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(credit)
    app.command()(wev)
    imports = typer.Typer(help="Read published records.", no_args_is_help=True)
    imports.command("raid-log")(raid_log)
    imports.command("company-log")(company_log)
    app.add_typer(imports, name="import")


def credit(
    file: Annotated[Path, typer.Argument(help="A JSON file, or the name of an ended run.")],
    value: Annotated[str, typer.Option(help="shapley, banzhaf, nucleolus, equal, …")] = "shapley",
    absent: Annotated[
        str, typer.Option(help="Of a run: another baseline; it reports, and settles nothing.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Each agent's value in a run's record, or in a game of your own.

    A run's name gives each agent's baseline, value and what they come to, by the run's baseline or
    by another. A file is a characteristic function, or contributions by run:

    {"agents": ["A", "B"], "worth": {"A": 0, "B": 0, "A,B": 9}} gives every coalition's worth;
    {"runs": [{"A": {"damage": 474, "healing": 183}, …}, …]} gives what each agent did in each run.
    """
    if not file.suffix and not file.exists():
        _credit_of_run(str(file), value, absent, as_json)
        return
    from shapley_coop.credit import credit_report
    from shapley_coop.files import read_json

    report = credit_report(read_json(file, "a game or runs"), value)
    if as_json:
        say_json(report)
        return
    errors, shares = report["standard_error"], report["shares"]
    show_table(
        f"{value} of {file.name}",
        ["agent", "value", "standard error", "share"],
        [
            [
                agent,
                f"{report['values'][agent]:g}",
                f"{errors[agent]:.3g}" if errors else "exact",
                f"{shares[agent]:.2%}" if shares else "—",
            ]
            for agent in report["agents"]
        ],
    )
    for name, holds in (report["axioms"] or {}).items():
        say(f"{name}: {_word(holds)}")


def _credit_of_run(run: str, by: str, absent: str, as_json: bool) -> None:
    """Print the credit of an ended run, and where the ranking depends on baseline or norm."""
    from shapley_coop.cli.awaiting import finish
    from shapley_coop.cli.crediting_runs import credit_of_run

    report = finish(credit_of_run(run, by, absent))
    if as_json:
        say_json(report)
        return
    errors = report["standard_error"]
    show_table(
        f"{by} of {run}",
        ["agent", "baseline", "value", "standard error", "marginal", "comes to", "payoff"],
        [
            [
                agent,
                f"{report['alone'][agent]:g}" if report["alone"] else "—",
                f"{report['values'][agent]:g}",
                f"{errors[agent]:.3g}" if errors else "exact",
                f"{report['marginal'][agent]:g}",
                f"{report['due'][agent]:g}",
                f"{report['payoff'][agent]:g}",
            ]
            for agent in report["agents"]
        ],
    )
    say(f"compared with the baseline: {report['baseline']}; improvement {report['improvement']:g}")
    for line in report["sensitivity"]:
        say(line)


def wev(
    file: DataFile,
    weights: Annotated[Path | None, typer.Option(help="A file of weights by artefact.")] = None,
    as_json: Json = False,
) -> None:
    """Weighted earned value: from artefacts per role to an interval, a point, an adjustment."""
    from shapley_coop.credit import WEIGHTS, read_weights, read_wev, wev_report

    given = read_weights(weights) if weights else WEIGHTS
    report = wev_report(*read_wev(file), given)
    if as_json:
        say_json(report)
        return
    show_table(
        f"weighted earned value of {file.name}, in percent",
        ["role", "interval", "point", "reward", "adjustment"],
        [[role, *_earned(found)] for role, found in report["roles"].items()],
    )


def raid_log(file: DataFile, as_json: Json = False) -> None:
    """A published Raid Battle log, replayed by our rules, and each hero's contribution."""
    from shapley_coop.games.raid_battle.log import import_raid_log

    log = import_raid_log(file)
    if as_json:
        say_json(log.report())
        return
    show_table(
        f"contributions in {file.name}, {len(log.record)} turns",
        ["hero", "damage", "healing", "taunt", "share"],
        [
            [
                hero,
                *(str(found[kind]) for kind in ("damage", "healing", "taunt")),
                f"{log.shares[hero]:.2%}" if log.shares else "—",
            ]
            for hero, found in log.contributions.items()
        ],
    )
    for wrong in log.mismatches:
        say(f"turn {wrong['turn']}: {wrong['what']}: log {wrong['log']}, ours {wrong['ours']}")
    say(f"{len(log.mismatches)} mismatches between the log and our rules")


def company_log(file: DataFile, as_json: Json = False) -> None:
    """A published software-company log: artefacts by its own words, and their earned value."""
    from shapley_coop.credit import wev_report
    from shapley_coop.games.software_company.log import import_company_log

    company = import_company_log(file)
    report = wev_report(company.artefacts(), company.rewards or None)
    if as_json:
        said = [message.__dict__ for message in company.messages]
        say_json({"task": company.task, **report, "talk": len(said), "missing": company.missing})
        return
    show_table(
        f"weighted earned value in {file.name}, in percent",
        ["role", "interval", "point", "reward", "adjustment"],
        [[role, *_earned(found)] for role, found in report["roles"].items()],
    )
    for lack in company.missing:
        say(f"not known: {lack}")


def _earned(found: dict[str, Any]) -> list[str]:
    low, high = found["interval"]
    reward, adjustment = found["reward"], found["adjustment"]
    return [
        f"{low:.1f}–{high:.1f}",
        f"{found['point']:.1f}",
        "—" if reward is None else f"{reward:g}",
        "—" if adjustment is None else f"{adjustment:+.1f}",
    ]


def _word(holds: bool | None) -> str:
    return "not checked" if holds is None else "holds" if holds else "does not hold"

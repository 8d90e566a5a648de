"""`coop import`: records that others published, read and settled by our rules."""

from typing import Any

import typer

from shapley_coop.cli.console import say, say_json, show_table
from shapley_coop.cli.options import Json, SetPairs, settings_from
from shapley_coop.cli.settling import DataFile, show_earned

KINDS = ("damage", "healing", "taunt")


def raid_log(file: DataFile, set_: SetPairs = None, as_json: Json = False) -> None:
    """A published Raid Battle log, replayed by our rules, and each hero's contribution.

    --set gives numbers that the log does not state, such as cooldown=4 or damage=[100, 300].

    Exit code 0: our rules play what the log says; 1: they differ, and no shares are given; 2: wrong
    usage.
    """
    from shapley_coop.games.raid_battle.log import import_raid_log

    log = import_raid_log(file, settings_from(set_))
    if as_json:
        say_json(log.report())
    else:
        _show_raid(f"contributions in {file.name}, {len(log.record)} turns", log)
    if log.mismatches:
        raise typer.Exit(1)


def _show_raid(title: str, log: Any) -> None:
    """Print the contributions, the log's own amounts beside ours, and what differs."""
    lines = [
        [
            hero,
            *(f"{log.tally[hero][kind]} / {made[kind]}" for kind in KINDS),
            f"{log.shares[hero]:.2%}" if log.shares else "—",
        ]
        for hero, made in log.contributions.items()
    ]
    show_table(title, ["hero", *(f"{kind}: log / ours" for kind in KINDS), "share"], lines)
    for wrong in log.mismatches:
        say(f"turn {wrong['turn']}: {wrong['what']}: log {wrong['log']}, ours {wrong['ours']}")
    for note in log.notes:
        say(note)
    say(f"{len(log.mismatches)} mismatches between the log and our rules")
    if log.mismatches:
        say("no shares: our rules play another raid than the log tells; --set gives other numbers")


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
    show_earned(f"weighted earned value in {file.name}, in percent", report)
    for lack in company.missing:
        say(f"not known: {lack}")

"""`coop credit`: compute credit for runs and for data files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import say, say_json, show_table
from shapley_coop.cli.options import Json
from shapley_coop.extension import offered, only

RECORDED = "recorded"
NO_FILES = "to credit its game, restore the extension values; or give the name of a run"
AnotherBaseline = Annotated[
    str,
    typer.Option(
        help="Another baseline for a run: 'idle', 'away' (an absent agent earns 0 and takes the "
        "action that is worst for the others), 'random', or one action for all. It changes only "
        "this report."
    ),
]
OtherDice = Annotated[
    int,
    typer.Option(
        help="Replay a run's actions with this many other seeds of the game's dice, and report "
        "how much the values vary. The settlement does not change.",
        min=0,
        max=100_000,
    ),
]
Replay = Annotated[
    str,
    typer.Option(
        help="How a run's coalitions are replayed: 'recorded', or 'asked', which asks embedded "
        "agents again for each coalition. The settlement does not change.",
    ),
]


def credit(
    file: Annotated[Path, typer.Argument(help="A JSON or YAML file, or the name of an ended run.")],
    value: Annotated[str, typer.Option(help="A norm: shapley, equal, …")] = "shapley",
    absent: AnotherBaseline = "",
    dice: OtherDice = 0,
    replay: Replay = RECORDED,
    as_json: Json = False,
) -> None:
    """Print each agent's value in a run's record, or in a game of your own.

    For a run, print each agent's payoff at the baseline, its value, and the sum of both. `--absent`
    sets another baseline. A file holds a characteristic function, or contributions by run:

    {"agents": ["A", "B"], "worth": {"A": 0, "B": 0, "A,B": 9}} gives every coalition's worth;
    {"runs": [{"A": {"damage": 474, "healing": 183}, …}, …]} gives each agent's counts by run;
    {"weights": {"A": 3, "B": 2}, "quota": 4} is a vote, {"airport": {"A": 2, "B": 5}} are costs.
    """
    if not file.exists():
        if replay not in (ways := [RECORDED, *offered("replays")]):
            raise ValueError(f"--replay {replay}: give {' or '.join(ways)}")
        other = "" if replay == RECORDED else replay
        _credit_of_run(str(file), value, absent, dice, other, as_json)
    elif absent or dice or replay != RECORDED:
        raise ValueError(f"--absent, --dice and --replay need a run's record: {file} is a file")
    else:
        only("files", f"{file} is a file: {NO_FILES}")(file, value, as_json)


def _credit_of_run(run: str, by: str, absent: str, dice: int, replay: str, as_json: bool) -> None:
    """Print the credit of an ended run, and the requested checks of the credit's robustness."""
    from shapley_coop.cli.console import finish, progress
    from shapley_coop.evals.measures.credit_of_run import credit_of_run

    with progress(dice, f"{dice} other dice") as moved:
        report = finish(credit_of_run(run, by, absent, dice, replay, moved))
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
    if report["warning"]:
        say(f"warning: {report['warning']}")
    for agent, turns in report["passed"].items():
        say(f"{agent} passed {turns} turns because nothing could be read: this is charged to it")
    for name in offered("credits"):
        for line in report[name]["lines"]:
            say(line)
    if "dice" in report:
        _show_dice(report["dice"])
    if replay:
        _show_replayed(replay, report[replay])


def _show_replayed(how: str, found: dict[str, Any]) -> None:
    """Print each agent's value, computed by replaying coalitions as `--replay` says."""
    values = [[agent, f"{value:g}"] for agent, value in found["values"].items()]
    show_table(f"members {how} again", ["agent", f"value when {how}"], values)
    same = "as recorded" if found["as_recorded"] else "not as recorded"
    say(f"with everybody present they did {same}; improvement {found['improvement']:g}")


def _show_dice(dice: dict[str, Any]) -> None:
    """Print the distribution of the values over replays of the same actions with other seeds."""
    if not dice["times"]:
        say(dice["why"])
        return
    lines = [
        [
            what,
            *(f"{found[key]:.4g}" for key in ("mean", "sd")),
            f"{found['low']:.4g} to {found['high']:.4g}",
        ]
        for what, found in [*dice["values"].items(), ("improvement", dice["improvement"])]
    ]
    title = f"the same schedules on {dice['times']} other dice"
    show_table(title, ["agent", "mean", "sd", "90 % range"], lines)

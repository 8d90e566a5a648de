"""`coop attribute-bench`: ways to value agents, compared on apps whose values are known."""

from typing import Annotated, Any

import typer

from shapley_coop.cli.console import note, progress, say, say_json, show_table
from shapley_coop.cli.options import Json
from shapley_coop.extras import is_installed, missing

HEADS = ("way", "apps", "error", "worst", "order", "plays", "of all", "intervals", "hold")


def attribute_bench(
    apps: Annotated[
        str, typer.Option(help="Of which apps, separated by commas; all if not given.")
    ] = "",
    seeds: Annotated[int, typer.Option(help="Runs of apps whose tasks differ.", min=1)] = 1,
    inputs: Annotated[int, typer.Option(help="Tasks in each such run.", min=2)] = 20,
    judge: Annotated[
        str, typer.Option(help="path.py:judge, a function that reads a run and gives points.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Compare ways to value agents on 30 constructed apps whose exact values are known.

    Ours, a rule by tokens, shapiq's samplers if it is installed, and a judge of yours; and whether
    our advice is right. The apps have embedded models: it is free, and takes some ten minutes.
    """
    if not is_installed("scipy"):
        raise missing("an interval of coop attribute-bench", "scipy", "attribute")
    from shapley_coop.extensions.attribute.app import load
    from shapley_coop.extensions.attribute.benchmark import apps as of
    from shapley_coop.extensions.attribute.benchmark import following, running

    known = of.known_apps([name.strip() for name in apps.split(",") if name.strip()])
    told_judge = load(judge, "--judge") if judge else None
    total = sum(1 if a.is_certain else seeds for a in known)
    with progress(2 * total, "apps") as done:
        rows = running.run(known, range(seeds), inputs, told_judge, done)
        followed = following.follow(known, range(seeds), inputs, done)
    found, advice = running.summary(rows), following.summary(followed)
    if as_json:
        told = {"rows": running.as_json(rows), "followed": running.as_json(followed)}
        say_json({"ways": found, "advice": advice, **told, "simulation": True})
        return
    title = f"{len(known)} apps with known values, {seeds} x {inputs} tasks where they differ"
    show_table(title, list(HEADS), [_cells(one) for one in found])
    _say_what_to_know(advice, [f"{one.app}, {one.way}: {one.why}" for one in rows if one.why])
    for one in (one for one in followed if not one.is_right):
        say(f"{one.app}: advice is wrong: {one.words}")
    if not judge:
        note("no judge: give --judge path.py:judge")


def _say_what_to_know(advice: dict[str, int], failed: list[str]) -> None:
    """Say what the columns are, how good the advice is, what has no values or is not compared."""
    say("error: the largest of an app's agents, in % of its mean value; mean and worst over apps")
    say("order: pairs of agents in the right order; hold: intervals that hold the exact value")
    say(
        f"advice: right in {advice['right']} of {advice['runs']} runs, {advice['held']} of "
        f"{advice['stated']} intervals of losses hold, {advice['again']} calls in second runs"
    )
    for line in failed:
        say(line)
    say("A simulation: embedded models answered, no language model did.")
    if not is_installed("shapiq"):
        note("shapiq is not installed, so its samplers are not compared: pip install shapiq")


def _cells(one: dict[str, Any]) -> list[str]:
    missed = f" ({one['without_values']} without values)" if one["without_values"] else ""
    percents = ("error", "worst", "ordered", "part_of_plays", "held")
    error, worst, order, part, held = (
        "—" if one[key] is None else f"{100 * one[key]:.1f} %" for key in percents
    )
    counts = f"{one['plays']:.0f}", part, str(one["stated"] or "—"), held
    return [one["way"], f"{one['runs']}{missed}", error, worst, order, *counts]

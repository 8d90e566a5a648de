"""Ways to value agents, compared on 30 constructed apps whose exact values are known.

    python -m extensions.attribute.tests.benchmark --apps article,polish,majority,twins,sabotage
    python -m extensions.attribute.tests.benchmark --seeds 4    # all apps: some forty minutes

Ours, a rule by tokens, shapiq's samplers if it is installed, and a judge of yours; and whether our
advice is right. `apps.yaml` says of each app who contributes what; `apps` has the exact values from
that alone, `shapes` builds the LangGraph apps, `ways` values their agents, `running` compares. The
apps have embedded models: a simulation.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from extensions.attribute.tests.benchmark import apps, following, running
from shapley_coop.cli.console import progress, say, say_json, show_table
from shapley_coop.extensions.attribute.app import load

HEADS = ("way", "apps", "error", "worst", "order", "plays", "of all", "intervals", "hold")


def main(argv: Sequence[str]) -> None:
    """Value, compare, print."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--apps", default="", help="Of which apps, separated by commas.")
    parser.add_argument("--seeds", type=int, default=1, help="Runs of apps whose tasks differ.")
    parser.add_argument("--inputs", type=int, default=20, help="Tasks in each such run.")
    parser.add_argument("--judge", help="path.py:judge, a function that gives points for a run.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    asked = parser.parse_args(argv)
    try:
        known = apps.known_apps([name.strip() for name in asked.apps.split(",") if name.strip()])
        judge = load(asked.judge, "--judge") if asked.judge else None
        with progress(2 * sum(1 if a.is_certain else asked.seeds for a in known), "apps") as done:
            rows = running.run(known, range(asked.seeds), asked.inputs, judge, done)
            followed = following.follow(known, range(asked.seeds), asked.inputs, done)
    except ValueError as error:
        parser.error(str(error))
    found, advice = running.summary(rows), following.summary(followed)
    if asked.json:
        told = {"rows": running.as_json(rows), "followed": running.as_json(followed)}
        say_json({"ways": found, "advice": advice, **told, "simulation": True})
        return
    title = f"{len(known)} apps, {asked.seeds} x {asked.inputs} tasks where they differ: simulated"
    show_table(title, list(HEADS), [_cells(one) for one in found])
    say(
        f"advice: right in {advice['right']} of {advice['runs']} runs, {advice['held']} of "
        f"{advice['stated']} intervals of losses hold, {advice['again']} calls in second runs"
    )
    for line in [f"{one.app}, {one.way}: {one.why}" for one in rows if one.why]:
        say(line)
    for one in (one for one in followed if not one.is_right):
        say(f"{one.app}: advice is wrong: {one.words}")


def _cells(one: dict[str, Any]) -> list[str]:
    missed = f" ({one['without_values']} without values)" if one["without_values"] else ""
    percents = ("error", "worst", "ordered", "part_of_plays", "held")
    error, worst, order, part, held = (
        "—" if one[key] is None else f"{100 * one[key]:.1f} %" for key in percents
    )
    counts = f"{one['plays']:.0f}", part, str(one["stated"] or "—"), held
    return [one["way"], f"{one['runs']}{missed}", error, worst, order, *counts]


if __name__ == "__main__":
    main(sys.argv[1:])

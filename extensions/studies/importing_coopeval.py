"""The command `coop import coopeval`: a study of contracts among models, settled by our rules."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import note, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json
from shapley_coop.extensions.studies.shared import Folder, say_some

if TYPE_CHECKING:
    from shapley_coop.extensions.studies.coopeval import Imported
    from shapley_coop.extensions.studies.coopeval_printed import Compared, Rates

    Shares = dict[str, dict[str, Rates]]

Printed = Annotated[
    Path | None,
    typer.Option(
        help="The study's LaTeX table of its contracts and mediators, to print next to ours."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        help="A folder for one JSON file per experiment: game, contracts, mediators, certificates, "
        "records, verdicts and settlements.",
    ),
]


def coopeval(
    folder: Folder, printed: Printed = None, out: Out = None, as_json: Json = False
) -> None:
    """Settle each round of CoopEval's records by our rules; certify each contract and mediator.

    Each seat's payoff is compared with the points that the study recorded.

    Exit code 0: all agree; 1: something differs; 2: wrong usage.
    """
    from shapley_coop.extensions.studies.coopeval import import_study
    from shapley_coop.extensions.studies.coopeval_printed import (
        DILEMMAS,
        compared,
        printed_table,
        rates_of_mechanisms,
    )
    from shapley_coop.extensions.studies.coopeval_records import without_records

    table = printed_table(printed) if printed else {}
    found = import_study(folder)
    shares = rates_of_mechanisms(found, DILEMMAS)
    cells = compared(table, shares)
    for lack in without_records(folder):
        note(f"{lack}: has settings and no records, and is left out")
    if out:
        _write(found, folder, out)
    if as_json:
        say_json(_as_json(found, shares, cells))
    else:
        _show(found, shares, cells)
    if any(one.differing for one in found) or not all(cell.agrees for cell in cells):
        raise typer.Exit(1)


def _write(found: "Sequence[Imported]", folder: Path, out: Path) -> None:
    """Write one JSON file per experiment, named after the experiment's path in the study."""
    import json

    for one in found:
        parts = one.experiment.folder.relative_to(folder).parts or (folder.resolve().name,)
        text = json.dumps(one.report(), ensure_ascii=False, indent=1)
        write_file(out / f"{'-'.join(parts)}.json", text + "\n")


def _as_json(
    found: "Sequence[Imported]", shares: "Shares", cells: "Sequence[Compared]"
) -> dict[str, Any]:
    return {
        "experiments": [one.summary() for one in found],
        "rounds": sum(len(one.settled) for one in found),
        "differing": sum(len(one.differing) for one in found),
        "models": {
            mechanism: {
                model: {**vars(one), "stable": float(one.stable), "dominant": float(one.dominant)}
                for model, one in by_model.items()
            }
            for mechanism, by_model in shares.items()
        },
        "printed": [{**cell._asdict(), "agrees": cell.agrees} for cell in cells],
    }


def _show(found: "Sequence[Imported]", shares: "Shares", cells: "Sequence[Compared]") -> None:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in found:
        told = one.summary()
        groups.setdefault((told["mechanism"], told["game"]), []).append(told)
    counted = ("rounds", "signed", "designs", "stable", "dominant", "refused_by_our_table")
    lines = [
        [
            mechanism,
            game,
            str(len(group)),
            *(str(sum(told[key] for told in group)) for key in counted),
            str(sum(len(told["differing"]) for told in group)),
        ]
        for (mechanism, game), group in sorted(groups.items())
    ]
    columns = ["mechanism", "game", "folders", "rounds", "signed", "designs", "stable"]
    show_table("records of CoopEval", [*columns, "dominant", "refused", "differ"], lines)
    _show_designs(shares, cells)
    for one in found:
        for lack in one.summary()["without_verdict"]:
            say(f"{one.experiment.folder.name}: no verdict on {lack['by']}'s: {lack['why']}")
    differing = [told for group in groups.values() for one in group for told in one["differing"]]
    say_some(
        f"{told['where']}: {', '.join(told['actions'])}: recorded {', '.join(told['recorded'])}, "
        f"ours {', '.join(told['ours'])}"
        for told in differing
    )
    rounds = sum(len(one.settled) for one in found)
    say(f"{len(differing)} of {rounds} rounds end otherwise than the study recorded")


def _show_designs(shares: "Shares", cells: "Sequence[Compared]") -> None:
    """Print how often each model's designs are stable or dominant, beside the paper's table."""
    told = {(cell.mechanism, cell.model, cell.measure): cell.printed for cell in cells}
    for mechanism, by_model in shares.items():
        lines = [
            [
                model,
                str(one.designs),
                f"{float(one.stable):.1%}",
                told.get((mechanism, model, "NS"), "—"),
                f"{float(one.dominant):.1%}",
                told.get((mechanism, model, "WD"), "—"),
            ]
            for model, one in by_model.items()
        ]
        columns = ["model", "designs", "stable", "printed", "dominant", "printed"]
        show_table(f"{mechanism}: designs that make cooperation stable, dominant", columns, lines)
    if cells:
        wrong = [cell for cell in cells if not cell.agrees]
        for cell in wrong:
            where = f"{cell.mechanism}: {cell.model} {cell.measure}"
            say(f"{where}: printed {cell.printed}, ours {cell.ours}")
        say(f"{len(cells) - len(wrong)} of {len(cells)} printed percentages are ours")

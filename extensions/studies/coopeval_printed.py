"""The rates of stable and dominant designs in CoopEval, compared with its printed LaTeX table.

A design is a contract or a mediator that a model proposed. The table has a column per model. Each
mechanism has a row NS (the percentage of designs that make cooperation, or full delegation, a Nash
equilibrium) and a row WD (weakly dominant). Every percentage in the table is compared. A percentage
counts as different if we have no figure for its mechanism, measure or model.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from shapley_coop.extensions.studies.coopeval import Imported, Proposed
from shapley_coop.extensions.studies.coopeval_records import CONTRACTING, MEDIATION
from shapley_coop.files import read_text

DILEMMAS = ("PrisonersDilemma", "PublicGoods", "TravellersDilemma", "TrustGame")
"""The games in the study's table of designs. Without a design, a seat gains by not cooperating, or
cannot rely on the others' cooperation."""

MEASURES = {"NS": "stable", "WD": "dominant"}
"""Row of the printed table → the attribute of `Rates` to compare with it."""

_CELL = re.compile(r"-?\d+(?:\.\d+)?")
_ERROR = re.compile(r"\{\\scriptsize.*")
_COMMAND = re.compile(r"\\text(?:bf|color)(?:\{black!\d+\})?")
_TAGS = {"r": "(cot)", "b": "(io)"}
"""Suffix of a printed name → the mark of this variant of a model in the records: with reasoning
(chain of thought), or with the answer only."""


@dataclass(frozen=True)
class Rates:
    """The number of a model's designs, and their mean rates of being stable and dominant."""

    designs: int
    stable: Fraction
    dominant: Fraction


Printed = Mapping[tuple[str, str], Mapping[str, str]]
"""(Mechanism, measure) → printed name of the model → printed percentage."""


def rates_of_mechanisms(
    found: Sequence[Imported], games: Sequence[str] = ()
) -> dict[str, dict[str, Rates]]:
    """Return mechanism → model → rates, without mechanisms that have no designs."""
    by_mechanism = {
        mechanism: rates((one for one in found if one.experiment.mechanism == mechanism), games)
        for mechanism in (CONTRACTING, MEDIATION)
    }
    return {mechanism: shares for mechanism, shares in by_mechanism.items() if shares}


def rates(found: Iterable[Imported], games: Sequence[str] = ()) -> dict[str, Rates]:
    """Return model → rates, each of which is the mean over games of the rate in a game.

    Args:
        found: the experiments of one mechanism.
        games: the games to count; all if empty. The study's table counts the four games in which
            cooperation conflicts with self-interest.
    """
    cells: dict[str, dict[str, list[Proposed]]] = {}
    for one in found:
        kind = one.experiment.world.kind
        for proposed in one.proposed if not games or kind in games else ():
            if not proposed.unknown:
                model = proposed.by.rpartition("#")[0] or proposed.by
                cells.setdefault(model, {}).setdefault(kind, []).append(proposed)
    return {
        model: Rates(
            designs=sum(map(len, by_game.values())),
            stable=_mean([[x.stable is True for x in each] for each in by_game.values()]),
            dominant=_mean([[x.dominant is True for x in each] for each in by_game.values()]),
        )
        for model, by_game in sorted(cells.items())
    }


def _mean(games: Sequence[Sequence[bool]]) -> Fraction:
    return sum((Fraction(sum(each), len(each)) for each in games), Fraction(0)) / len(games)


class Compared(NamedTuple):
    """One printed percentage and our figure for it, in percent with one decimal."""

    mechanism: str
    model: str
    measure: str
    printed: str
    ours: str

    @property
    def agrees(self) -> bool:
        """Whether both percentages are equal, to the last printed digit."""
        return self.printed == self.ours


def printed_table(file: Path) -> Printed:
    """Return every row of percentages in the printed table.

    Raises:
        ValueError: the file cannot be read, or has no valid table of this kind.
    """
    text = read_text(file, "the study's table")
    rows = [[_plain(cell) for cell in line.split("&")] for line in text.splitlines()]
    heads = (n for n, row in enumerate(rows) if row[:2] == ["Mechanism", "Metric"])
    start = next(heads, len(rows))
    found: dict[tuple[str, str], dict[str, str]] = {}
    mechanism = ""
    for row in rows[start + 1 :]:
        mechanism = row[0] or mechanism
        values = [_CELL.match(cell) for cell in row[2:]]
        if not any(values):
            continue
        if len(row) != len(rows[start]):
            raise ValueError(f"{file}: a row of {mechanism} has more or fewer cells than the head")
        if (mechanism, row[1]) in found:
            raise ValueError(f"{file}: {mechanism} has two rows {row[1]}: give one table")
        cells = zip(rows[start][2:], values, strict=True)
        found[mechanism, row[1]] = {name: value[0] for name, value in cells if value}
    if not found:
        raise ValueError(
            f"{file}: has no table with Mechanism, Metric and models in its head, and percentages"
        )
    return found


def compared(printed: Printed, ours: Mapping[str, Mapping[str, Rates]]) -> list[Compared]:
    """Return each printed percentage with the rate that we computed, or a dash if there is none."""
    cells = []
    for (mechanism, measure), by_name in printed.items():
        shares = ours.get(mechanism, {})
        for name, value in by_name.items():
            model = next((model for model in shares if _is_called(name, model)), None)
            shown = "—"
            if model and measure in MEASURES:
                shown = f"{float(100 * getattr(shares[model], MEASURES[measure])):.1f}"
            cells.append(Compared(mechanism, model or name, measure, value, shown))
    return cells


def _plain(cell: str) -> str:
    """Return a cell's text without its LaTeX markup and its standard error."""
    text = _COMMAND.sub("", _ERROR.sub("", cell)).replace("\\\\", "")
    return re.sub(r"\\multirow\{\d+\}\{\*\}|[{}]", "", text).strip()


def _is_called(name: str, model: str) -> bool:
    """Return whether a printed name abbreviates a model: Gemini-B is "google/gemini-…(IO)"."""
    parts = [_TAGS.get(part, part) for part in name.lower().split("-")]
    return all(part in model.lower() for part in parts)

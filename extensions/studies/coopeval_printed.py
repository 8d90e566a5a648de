"""How often CoopEval's contracts hold, and its printed table of that, read from its LaTeX.

The table has a column for each model and, for each mechanism, a row NS (the percentage of designs
that make cooperation a Nash equilibrium) and a row WD (weakly dominant).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from shapley_coop.extensions.studies.coopeval import Imported
from shapley_coop.files import read_text

DILEMMAS = ("PrisonersDilemma", "PublicGoods", "TravellersDilemma", "TrustGame")
"""The games that the study's table of contracts is about: alone, each seat gains by not cooperating
or cannot rely on it."""

MEASURES = {"NS": "stable", "WD": "dominant"}
"""Row of the printed table → the rate of ours that it is compared with."""

_CELL = re.compile(r"-?\d+(?:\.\d+)?")
_ERROR = re.compile(r"\{\\scriptsize.*")
_COMMAND = re.compile(r"\\text(?:bf|color)(?:\{black!\d+\})?")
_TAGS = {"r": "(cot)", "b": "(io)"}
"""Ending of a printed name → how the records mark that variant of a model: with reasoning first, or
the answer alone."""


@dataclass(frozen=True)
class Rates:
    """How often the contracts of one model made cooperation stable, and dominant."""

    contracts: int
    stable: Fraction
    dominant: Fraction


def rates(found: Iterable[Imported], games: Sequence[str] = ()) -> dict[str, Rates]:
    """Model → its rates: of each game over all its seats and folders, then their mean over games.

    Args:
        found: the experiments.
        games: those to count; all if empty. The study's table counts the four in which
            cooperation is at odds with self-interest.
    """
    cells: dict[str, dict[str, Counter[str]]] = {}
    for one in found:
        kind = one.experiment.world.kind
        told = [x for x in one.proposed if not x.unknown and (not games or kind in games)]
        for proposed in told:
            model = proposed.by.rpartition("#")[0] or proposed.by
            counts = cells.setdefault(model, {}).setdefault(kind, Counter())
            counts += Counter(
                all=1, stable=proposed.stable is True, dominant=proposed.dominant is True
            )
            cells[model][kind] = counts
    return {
        model: Rates(
            contracts=sum(c["all"] for c in by_game.values()),
            stable=_mean([Fraction(c["stable"], c["all"]) for c in by_game.values()]),
            dominant=_mean([Fraction(c["dominant"], c["all"]) for c in by_game.values()]),
        )
        for model, by_game in sorted(cells.items())
    }


def _mean(parts: Sequence[Fraction]) -> Fraction:
    return sum(parts, Fraction(0)) / len(parts)


@dataclass(frozen=True)
class Compared:
    """One cell of the printed table beside ours, in percent with one decimal."""

    model: str
    measure: str
    printed: str
    ours: str

    @property
    def agrees(self) -> bool:
        """Whether they are the same to the last digit that is printed."""
        return self.printed == self.ours


def printed_table(file: Path) -> dict[str, dict[str, str]]:
    """Measure → name of the model as printed → percentage as printed.

    Raises:
        ValueError: the file cannot be read, or holds no such table.
    """
    text = read_text(file, "the study's table")
    rows = [[_plain(cell) for cell in line.split("&")] for line in text.splitlines()]
    head = next((row for row in rows if row[:2] == ["Mechanism", "Metric"]), None)
    found: dict[str, dict[str, str]] = {}
    mechanism = ""
    for row in rows if head else []:
        mechanism = row[0] or mechanism
        if "Contracting" in mechanism and len(row) > 1 and row[1] in MEASURES and head:
            values = [_CELL.match(cell) for cell in row[2:]]
            cells = zip(head[2:], values, strict=False)
            found[row[1]] = {name: value[0] for name, value in cells if value}
    if set(found) != set(MEASURES):
        raise ValueError(f"{file}: no rows {' and '.join(MEASURES)} of Contracting in a table")
    return found


def compared(printed: Mapping[str, Mapping[str, str]], ours: Mapping[str, Rates]) -> list[Compared]:
    """Each printed cell beside ours; a model that one of them lacks has no cell there."""
    cells = []
    for measure, by_name in printed.items():
        for name, value in by_name.items():
            model = next((model for model in ours if _is_called(name, model)), None)
            rate = getattr(ours[model], MEASURES[measure]) if model else None
            shown = "—" if rate is None else f"{float(100 * rate):.1f}"
            cells.append(Compared(model or name, measure, value, shown))
    return cells


def _plain(cell: str) -> str:
    """A cell without its markup and its standard error."""
    text = _COMMAND.sub("", _ERROR.sub("", cell)).replace("\\\\", "")
    return re.sub(r"\\multirow\{\d+\}\{\*\}|[{}]", "", text).strip()


def _is_called(name: str, model: str) -> bool:
    """Whether a printed name is short for a model: Gemini-B for "google/gemini-…(IO)"."""
    parts = [_TAGS.get(part, part) for part in name.lower().split("-")]
    return all(part in model.lower() for part in parts)

"""Figures as files: SVG, and PNG where the extra `figures` is installed."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from shapley_coop.evals.reports.charts import WIDTH
from shapley_coop.evals.reports.figures import Figure
from shapley_coop.evals.sweeps.store import make_folder

SCALE = 2


def write_figures(figures: Iterable[tuple[str, Figure]], folder: Path) -> list[Path]:
    """Write every figure, dark on white.

    Args:
        figures: file names without their ending, and figures.
        folder: made if it is not there.

    Returns:
        What was written; without the extra SVG alone.

    Raises:
        ValueError: no folder can be made.
    """
    make_folder(folder)
    written = []
    for name, figure in figures:
        path = folder / f"{name}.svg"
        path.write_text(figure.file, encoding="utf-8")
        written.append(path)
    if can_png():
        import resvg_py

        for path in list(written):
            drawn = path.with_suffix(".png")
            drawn.write_bytes(bytes(resvg_py.svg_to_bytes(svg_path=str(path), width=SCALE * WIDTH)))
            written.append(drawn)
    return written


def can_png() -> bool:
    """Whether the extra is installed."""
    return find_spec("resvg_py") is not None

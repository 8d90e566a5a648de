"""Whether what a suite wants in its report is there: looked up before its first run."""

from shapley_coop.evals.sweeps.specs import FigureSpec, TableSpec
from shapley_coop.evals.sweeps.suite import Suite


def check_report(suite: Suite) -> None:
    """Look up every measure and kind of figure that a suite's report will have.

    Raises:
        ValueError: there is no such measure or kind of figure; one line names where.
    """
    shown: list[TableSpec | FigureSpec] = [*suite.tables, *suite.figures]
    if not shown:
        return
    # Measures take longer to import than a sweep with nothing to do.
    from shapley_coop.evals.measures.evaluators import find

    for spec in shown:
        where = f"{suite.name}: {spec.title!r}"
        for column in spec.columns:
            try:
                find(column)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
    if not suite.figures:
        return
    # Figures take SciPy, which takes longer to import than a sweep with nothing to do.
    from shapley_coop.evals.reports.figures import KINDS

    for figure in suite.figures:
        if figure.kind not in KINDS:
            raise ValueError(
                f"{suite.name}: {figure.title!r}: no kind of figure {figure.kind!r}: there are "
                f"{', '.join(KINDS)}"
            )

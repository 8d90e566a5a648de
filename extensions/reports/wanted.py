"""The check, before a suite's first run, that its report's measures and figures exist."""

from shapley_coop.evals.measures.evaluators import find
from shapley_coop.extensions.reports.figures import KINDS
from shapley_coop.extensions.sweeps.suite import FigureSpec, Suite, TableSpec
from shapley_coop.files import no_such


def check_report(suite: Suite) -> None:
    """Check that every measure and kind of figure in a suite's report exists.

    Raises:
        ValueError: a table or figure, which the message names, has an unknown measure or kind.
    """
    shown: list[TableSpec | FigureSpec] = [*suite.tables, *suite.figures]
    for spec in shown:
        for column in spec.columns:
            try:
                find(column)
            except ValueError as error:
                raise ValueError(f"{suite.name}: {spec.title!r}: {error}") from None
    for figure in suite.figures:
        if figure.kind not in KINDS:
            unknown = no_such("figure", figure.kind, KINDS)
            raise ValueError(f"{suite.name}: {figure.title!r}: {unknown}")

"""The pages of runs, written beside a report that links to them."""

from pathlib import Path
from urllib.parse import quote

from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.extensions.page.selfcontained import standalone_page
from shapley_coop.extensions.reports.linking import MOST_PAGES
from shapley_coop.written_files import make_folder, replace_file


class RunPages:
    """A writer of run pages into a folder beside a report, for runs that this home holds.

    Args:
        report: the report's file; the folder has its name with `_runs` in place of the suffix.
    """

    def __init__(self, report: Path) -> None:
        self._folder = report.with_name(f"{report.stem}_runs")
        self._written: dict[str, str] = {}

    def __call__(self, run: str) -> str:
        """Write a run's page; return its address from the report, or "" if it gets no page."""
        if run not in self._written and len(self._written) < MOST_PAGES:
            try:
                page = standalone_page(HomeSource().get(run, private=False))
            except ValueError:  # the run was removed, or was played elsewhere
                return ""
            make_folder(self._folder)
            replace_file(self._folder / f"{run}.html", [page])
            self._written[run] = f"{quote(self._folder.name)}/{quote(run)}.html"
        return self._written.get(run, "")

"""Links from the numbers of a report to their runs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from shapley_coop.evals.cell import Row

MOST_PAGES = 200
"""The most run pages beside a report; each is a file of 0.1 MB."""

SEED = "seed"
"""The column that, together with the axes, identifies a run in a list."""

Where = Sequence[Mapping[str, str]]
"""Choices of runs in a list, axis → label; a run that fits one choice is chosen."""

PageOf = Callable[[str], str]
"""A run's name → the address of the run's page, or "" if the run has no page."""


def no_page(run: str) -> str:
    """Return "", which means that the run has no page."""
    return ""


@dataclass(frozen=True)
class Linked:
    """A link to a run's page, or to those runs of the report's list that fit `where`."""

    href: str
    where: Where = ()

    @property
    def attributes(self) -> Markup:
        """The attributes of the link's element `<a>`, as HTML."""
        where = Markup(' data-where="{}"').format(json.dumps(self.where)) if self.where else ""
        return Markup('href="{}"{}').format(self.href, where)

    def around(self, text: str) -> Markup:
        """Return a text as the text of this link, in HTML."""
        return Markup("<a {}>{}</a>").format(self.attributes, text)


@dataclass(frozen=True)
class Links:
    """The links from a report's numbers to the runs in one list.

    Attributes:
        listed: the id of the list.
        pages: cell → the address of its run's page, for runs with a page.
    """

    listed: str
    pages: Mapping[str, str]

    def to(self, rows: Sequence[Row], *where: Mapping[str, str]) -> Linked:
        """Return the link to the page of a single run, or else to the runs in the list."""
        page = self.pages.get(rows[0]["cell"], "") if len(rows) == 1 else ""
        return Linked(page) if page else Linked(f"#{self.listed}", where)

    def of(self, *groups: Sequence[Row]) -> Linked:
        """Return the link to all runs of some groups; a group is a condition or a single run."""
        together = [row for group in groups for row in group]
        return self.to(together, *(self._picks(group) for group in groups if group))

    def _picks(self, rows: Sequence[Row]) -> dict[str, str]:
        """Return the labels that all runs of a group share, and the seed of a single listed run.

        For a single run that is not listed, the link leads to the listed runs of its condition.
        """
        first, *others = rows
        labels = {
            axis: label
            for axis, label in first["labels"].items()
            if all(row["labels"][axis] == label for row in others)
        }
        alone = not others and first["cell"] in self.pages
        return {SEED: str(first["seed"]), **labels} if alone else labels

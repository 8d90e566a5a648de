"""A scenario that a model writes: what is asked for, in sheets, and what a sheet has to hold.

The preferences file is a scenario file without utilities (`games.exchange.files`). Its composites
are cut into sheets of at most `PER_SHEET`: one letter asks for one sheet. First come descriptions,
from the atoms alone; then, for each agent by itself, its scores of what was described, from its
own preference (utility-aware exchange, A.1 and A.2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os.path import relpath
from pathlib import Path
from typing import Any

from shapley_coop.games.exchange.files import ScenarioFile, read_page, tasks_of
from shapley_coop.games.exchange.registry import Registry, check_words
from shapley_coop.games.exchange.scenario import Tasks, check_table
from shapley_coop.games.exchange.tables import descriptions_of, scores_of
from shapley_coop.games.files import read_file
from shapley_coop.games.params import GameError

PER_SHEET = 32
"""Few enough for one answer, and little to write again when one mask of it is wrong."""


@dataclass(frozen=True)
class Sheet:
    """What one letter asks for.

    Attributes:
        name: of the sheet, once in a commission.
        agent: whose scores; empty where composites are described.
        masks: of which composites.
    """

    name: str
    agent: str
    masks: tuple[int, ...]


@dataclass(frozen=True)
class Commission:
    """What is to be written.

    Attributes:
        page: the preferences file's content.
        beside: the folder in which it looks its tools up.
    """

    page: ScenarioFile = field(repr=False)
    beside: Path

    def __post_init__(self) -> None:
        check_table(self.tasks.n)
        page = self.page
        scored = any(x is not None for x in (page.utilities, page.values, page.competition))
        if self.page.preferences is None or scored:
            raise GameError(
                "give preferences, agent: words, and no utilities, values or competition"
            )
        if set(self.page.preferences) != set(self.tasks.agents):
            raise GameError(f"preferences are needed for {', '.join(self.tasks.agents)}")

    @cached_property
    def tasks(self) -> Tasks:
        """The public part; what the file does not describe itself is composed, for now."""
        return tasks_of(self.page)

    @property
    def preferences(self) -> dict[str, str]:
        """Agent → its own words."""
        return self.page.preferences or {}

    @cached_property
    def descriptions(self) -> list[Sheet]:
        """The sheets that describe what the file leaves undescribed."""
        known = self.tasks.registry.written()
        left = [mask for mask in range(1, 1 << self.tasks.n) if mask not in known]
        return list(_cut("describe", "", left))

    @cached_property
    def scores(self) -> list[Sheet]:
        """The sheets that score every composite, agent by agent."""
        every = range(1, 1 << self.tasks.n)
        agents = self.tasks.agents
        return [sheet for agent in agents for sheet in _cut(f"score {agent}", agent, every)]


def read_commission(path: Path) -> Commission:
    """Read a preferences file.

    Raises:
        GameError: it cannot be read, or says what cannot be.
    """
    content = read_file(path, "a preferences file")
    try:
        return Commission(read_page(content), path.parent)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None


def read_descriptions_sheet(
    raw: Any, sheet: Sheet, tasks: Tasks, taken: Mapping[str, int]
) -> dict[int, str]:
    """The descriptions on a sheet: every mask once, fit to be copied, and no other composite's.

    Args:
        raw: what was answered, by bit string.
        sheet: what was asked for.
        tasks: the atoms; a composite that is not described is registered as it is composed.
        taken: description → mask, of what is described already.

    Raises:
        GameError: one line that says what to correct.
    """
    found = descriptions_of(raw, sheet.masks, tasks.n)
    composed, here = Registry(tasks.registry.says), dict[str, int]()
    for mask in sheet.masks:
        text = found[mask]
        check_words(text)
        others = taken.get(text), composed.mask_of(text), here.setdefault(text, mask)
        twin = next(other for other in others if other is not None)
        if twin != mask:
            raise GameError(
                f"the description of {tasks.bits(mask)} is that of {tasks.bits(twin)}: "
                "descriptions are unique"
            )
    return {mask: found[mask] for mask in sheet.masks}


def read_scores_sheet(raw: Any, sheet: Sheet, tasks: Tasks) -> dict[int, float]:
    """Return the scores on a sheet: every mask once, in 0..100.

    Raises:
        GameError: one line that says what to correct.
    """
    found = scores_of(raw, sheet.masks, tasks.n, sheet.agent)
    return {mask: found[mask] for mask in sheet.masks}


def written(
    commission: Commission,
    descriptions: Mapping[int, str],
    scores: Mapping[str, Mapping[int, float]],
    about: str,
    folder: Path,
) -> dict[str, Any]:
    """Return the scenario file's content.

    Args:
        commission: what it was written to.
        descriptions: mask → description, of all that the commission asks for.
        scores: agent → mask → raw score, of all composites.
        about: who wrote it, for people.
        folder: in which it will lie.
    """
    page, bits = commission.page, commission.tasks.bits
    every = {**commission.tasks.registry.written(), **descriptions}
    content: dict[str, Any] = {
        "name": page.name,
        "about": f"{page.about} {about}".strip(),
        "atoms": [
            atom
            if isinstance(atom, str)
            else {**atom.model_dump(exclude_defaults=True), "arguments": atom.arguments}
            for atom in page.atoms
        ],
        "initial": dict(page.initial),
        "registry": {bits(mask): every[mask] for mask in sorted(every)},
    }
    if page.tools:
        content["tools"] = relpath(commission.beside / page.tools, folder)
    # 35.0 is written as 35.
    utilities = {
        agent: {bits(m): int(x) if x.is_integer() else x for m, x in sorted(table.items())}
        for agent, table in scores.items()
    }
    return {**content, "preferences": dict(commission.preferences), "utilities": utilities}


def _cut(name: str, agent: str, masks: Sequence[int]) -> Iterator[Sheet]:
    for number, start in enumerate(range(0, len(masks), PER_SHEET), start=1):
        yield Sheet(f"{name} {number}", agent, tuple(masks[start : start + PER_SHEET]))

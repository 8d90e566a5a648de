"""The order to write a scenario, its division into sheets, and the checks of a model's answers.

The preferences file is a scenario file without utilities (`games.exchange.files`). A letter asks
for one sheet, which has at most `PER_SHEET` sets of tasks. The first letters show the single tasks
(atoms), and ask for descriptions. The later ones show the descriptions and one agent's preference,
and ask for that agent's scores (utility-aware exchange, A.1 and A.2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os.path import relpath
from pathlib import Path
from typing import Any

from shapley_coop.extensions.exchange.domain.files import ScenarioFile, read_page, tasks_of
from shapley_coop.extensions.exchange.domain.registry import Registry, check_words
from shapley_coop.extensions.exchange.domain.scenario import Tasks, check_table
from shapley_coop.extensions.exchange.domain.tables import descriptions_of, scores_of
from shapley_coop.games.files import read_file
from shapley_coop.games.params import GameError

PER_SHEET = 32
"""The most masks (composites as bit sets of atoms) on a sheet, so that one answer can hold all."""


@dataclass(frozen=True)
class Sheet:
    """The sets of tasks that one letter asks to describe or to score.

    Attributes:
        name: the sheet's name, such as "score Ada 2".
        agent: the agent who is to score; empty if the letter asks for descriptions.
        masks: the sets of tasks, as bit masks (`games.exchange.masks`).
    """

    name: str
    agent: str
    masks: tuple[int, ...]


@dataclass(frozen=True)
class Commission:
    """The preferences file from which a model is to write one scenario.

    Attributes:
        page: the preferences file's content.
        beside: the folder of the file, to which the path of the tools in the file is relative.
    """

    page: ScenarioFile = field(repr=False)
    beside: Path

    def __post_init__(self) -> None:
        check_table(self.tasks.n)
        page = self.page
        scored = any(x is not None for x in (page.utilities, page.values, page.competition))
        if self.page.preferences is None or scored:
            raise GameError(
                "give only preferences (agent: words), no utilities, values or competition"
            )
        if set(self.page.preferences) != set(self.tasks.agents):
            raise GameError(f"preferences are needed for {', '.join(self.tasks.agents)}")

    @cached_property
    def tasks(self) -> Tasks:
        """The tasks; a set without a description in the file is described by its tasks' words."""
        return tasks_of(self.page)

    @property
    def preferences(self) -> dict[str, str]:
        """Agent → its preference in words."""
        return self.page.preferences or {}

    @cached_property
    def descriptions(self) -> list[Sheet]:
        """The sheets of the sets of tasks that the file does not describe."""
        known = self.tasks.registry.written()
        left = [mask for mask in range(1, 1 << self.tasks.n) if mask not in known]
        return list(_cut("describe", "", left))

    @cached_property
    def scores(self) -> list[Sheet]:
        """The sheets with all sets of tasks to score, agent by agent."""
        every = range(1, 1 << self.tasks.n)
        agents = self.tasks.agents
        return [sheet for agent in agents for sheet in _cut(f"score {agent}", agent, every)]


def read_commission(path: Path) -> Commission:
    """Read a preferences file.

    Raises:
        GameError: the file cannot be read, or is not a valid commission.
    """
    content = read_file(path, "a preferences file")
    try:
        return Commission(read_page(content), path.parent)
    except GameError as error:
        raise GameError(f"{path}: {error}") from None


def read_descriptions_sheet(
    raw: Any, sheet: Sheet, tasks: Tasks, taken: Mapping[str, int]
) -> dict[int, str]:
    """Return mask → description from an answer, checked to be well-formed and unique.

    Args:
        raw: the answer's JSON: a bit string, such as "0110" → description.
        sheet: the sheet that the letter asked for.
        tasks: the tasks; no description may be the joined words of another set.
        taken: description → mask, for the descriptions accepted so far.

    Raises:
        GameError: the sheet is faulty; the error is one line with the correction.
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
                f"{tasks.bits(mask)} and {tasks.bits(twin)} have the same description: give each "
                "its own"
            )
    return {mask: found[mask] for mask in sheet.masks}


def read_scores_sheet(raw: Any, sheet: Sheet, tasks: Tasks) -> dict[int, float]:
    """Return mask → score from 0 to 100 from an answer.

    Raises:
        GameError: the sheet is faulty; the error is one line with the correction.
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
        descriptions: mask → description, for all masks of the commission's sheets.
        scores: agent → mask → raw score in 0..100, for all composites.
        about: a note that says who wrote the scenario.
        folder: the folder of the scenario file.
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
    # Whole scores are written without decimals: 35 instead of 35.0.
    utilities = {
        agent: {bits(m): int(x) if x.is_integer() else x for m, x in sorted(table.items())}
        for agent, table in scores.items()
    }
    return {**content, "preferences": dict(commission.preferences), "utilities": utilities}


def _cut(name: str, agent: str, masks: Sequence[int]) -> Iterator[Sheet]:
    for number, start in enumerate(range(0, len(masks), PER_SHEET), start=1):
        yield Sheet(f"{name} {number}", agent, tuple(masks[start : start + PER_SHEET]))

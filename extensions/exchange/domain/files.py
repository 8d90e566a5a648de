"""Scenarios from YAML or JSON files; `docs/scenarios.md` describes the format.

The file stays in its place. A run refers to it by its path, so that its private content is never
copied into shared state.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from shapley_coop.extensions.exchange.domain.additive import Additive, additive
from shapley_coop.extensions.exchange.domain.masks import from_bits, mask_of
from shapley_coop.extensions.exchange.domain.preferences import draw_preferences, scores
from shapley_coop.extensions.exchange.domain.registry import Registry
from shapley_coop.extensions.exchange.domain.scenario import Atom, Scenario, Tasks, check_table
from shapley_coop.extensions.exchange.domain.tables import TOP, normalise_scores, read_scores
from shapley_coop.extensions.exchange.domain.tools import read_tools
from shapley_coop.files import did_you_mean
from shapley_coop.games.files import read_file, read_once
from shapley_coop.games.params import GameError
from shapley_coop.invalid import first_error


class AtomEntry(BaseModel):
    """One atomic task in a scenario file."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    task: str = Field(description="The tool's id, or the task in words.")
    arguments: dict[str, Annotated[str, BeforeValidator(str)]] = Field(
        default={}, description="Parameter → value."
    )
    says: str = Field(default="", description="The description; by default tool and arguments.")


class ScenarioFile(BaseModel):
    """The content of a scenario file.

    One field sets utilities: `utilities`, `values`, `preferences` or `competition`. With one of the
    first two, `preferences` are only shown in letters.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str = Field(default="scenario", description="The scenario's name.")
    about: str = Field(default="", description="A note for readers of the file.")
    atoms: list[str | AtomEntry] = Field(
        min_length=2, description="The tasks; the first is the most significant bit."
    )
    initial: dict[str, str | list[str]] = Field(
        min_length=2,
        description="Agent → its initial tasks, as a mask or a list of tasks in words, in "
        "speaking order. Together they form a partition.",
    )
    registry: dict[str, str] = Field(
        default={}, description="Mask → description; missing descriptions are composed."
    )
    tools: str = Field(default="", description="A tool catalogue's path, relative to this file.")
    seed: int = Field(default=0, ge=0, description="The seed for everything that is generated.")
    utilities: dict[str, dict[str, float]] | None = Field(
        default=None, description="Agent → mask → raw score in 0..100, with each mask once."
    )
    values: dict[str, dict[str, float]] | None = Field(
        default=None,
        description="Agent → task → score in 0..100; missing tasks are worth nothing. A set is "
        "worth the sum of its tasks.",
    )
    preferences: dict[str, str] | None = Field(default=None, description="Agent → its preferences.")
    competition: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The competition over tasks, from 0 (preferences unrelated) to 1 (the same).",
    )


def read_scenario(path: str | Path) -> Scenario:
    """Read a scenario file.

    Raises:
        GameError: the file cannot be read or is inconsistent; the error quotes no utility.
    """
    return read_once(path, "scenario file", _read)


def _read(file: Path) -> Scenario:
    content = read_file(file, "a scenario")
    try:
        return build(content, file.parent)
    except GameError as error:
        raise GameError(f"{file}: {error}") from None


def build(content: Any, beside: Path = Path()) -> Scenario:
    """Return the scenario that the content of a file describes.

    Args:
        content: the content of a scenario file, as the schema defines it.
        beside: the folder to which the path `tools` is relative.

    Raises:
        GameError: the content is inconsistent; the error gives the correction.
    """
    page = read_page(content)
    return _with_utilities(page, tasks_of(page), beside)


def read_page(content: Any) -> ScenarioFile:
    """Return a file's content, checked field by field.

    Raises:
        GameError: a field is wrong; the error names the field and quotes nothing.
    """
    if not isinstance(content, Mapping):
        raise GameError("no scenario: give atoms, initial, and utilities or values or preferences")
    try:
        return ScenarioFile.model_validate(dict(content))
    except ValidationError as error:
        wrong = str(first_error(error, ScenarioFile))
        raise GameError(wrong.replace(f".{AtomEntry.__name__}", "")) from None


def tasks_of(page: ScenarioFile) -> Tasks:
    """Return the public part of a scenario file."""
    atoms = tuple(_atom(entry) for entry in page.atoms)
    n = len(atoms)
    return Tasks(
        atoms,
        {agent: _read_holding(told, atoms, agent) for agent, told in page.initial.items()},
        Registry(
            [atom.says for atom in atoms],
            {from_bits(bits, n): text for bits, text in page.registry.items()},
        ),
    )


def _with_utilities(page: ScenarioFile, tasks: Tasks, beside: Path) -> Scenario:
    scored, told = page.utilities, page.preferences or {}
    sources: list[Mapping[str, Any]] = [x for x in (scored, page.values) if x is not None]
    sources += [told] if not sources and page.preferences is not None else []
    if len(sources) + (page.competition is not None) != 1:
        raise GameError("give exactly one of utilities, values, preferences and competition")
    for named in (*sources, page.preferences):
        if named is not None and set(named) != set(tasks.agents):
            raise GameError(f"utilities or preferences are needed for {', '.join(tasks.agents)}")
    if page.values is not None:
        return Scenario(
            name=page.name,
            tasks=tasks,
            utilities={a: _read_sums(own, tasks.atoms, a) for a, own in page.values.items()},
            preferences=dict(told),
            tools=read_tools(beside / page.tools) if page.tools else {},
        )
    check_table(tasks.n)
    if page.competition is not None:
        told = draw_preferences(tasks.atoms, tasks.agents, page.competition, page.seed)
    raw = {
        agent: read_scores(scored[agent], tasks.n, agent)
        if scored is not None
        else scores(told[agent], tasks.atoms, page.seed, agent)
        for agent in tasks.agents
    }
    given = dict.fromkeys(range(1 << tasks.n), "given")
    return Scenario(
        name=page.name,
        tasks=tasks,
        utilities={agent: normalise_scores(table) for agent, table in raw.items()},
        preferences=dict(told),
        origins=dict.fromkeys(tasks.agents, given) if scored is not None else {},
        tools=read_tools(beside / page.tools) if page.tools else {},
    )


def _read_holding(told: str | list[str], atoms: Sequence[Atom], whose: str) -> int:
    """Return the mask of an agent's initial tasks, given as bits or in words."""
    if isinstance(told, str):
        return from_bits(told, len(atoms))
    positions = _positions(atoms)
    return mask_of([_position(positions, task, whose) for task in told], len(atoms))


def _read_sums(scores: Mapping[str, float], atoms: Sequence[Atom], whose: str) -> Additive:
    """Return additive utilities from a mapping of tasks, in words, to scores."""
    positions, found = _positions(atoms), [0.0] * len(atoms)
    for task, score in scores.items():
        if not 0 <= score <= TOP:
            raise GameError(f"{whose}: the score of {task!r} is out of range: give 0..{TOP}")
        found[_position(positions, task, whose)] = score
    return additive(found)


def _positions(atoms: Sequence[Atom]) -> dict[str, int]:
    return {atom.says: i for i, atom in enumerate(atoms)}


def _position(positions: Mapping[str, int], task: str, whose: str) -> int:
    """Return the index of the atomic task with this description."""
    if (found := positions.get(task.removesuffix("."))) is None:
        raise GameError(f"{whose}: {task[:200]!r} is not a task{did_you_mean(task, positions)}")
    return found


def _atom(entry: str | AtomEntry) -> Atom:
    if isinstance(entry, str):
        return Atom(entry, {}, entry.removesuffix("."))
    says = entry.says.removesuffix(".") or in_words(entry.task, entry.arguments)
    return Atom(entry.task, entry.arguments, says)


def in_words(tool: str, arguments: Mapping[str, str]) -> str:
    """Return a call in words: `book_flight`, `{to: New York}` → "Book flight (to: New York)"."""
    words = tool.replace("_", " ").capitalize()
    told = ", ".join(f"{key}: {value}" for key, value in arguments.items())
    return f"{words} ({told})" if told else words

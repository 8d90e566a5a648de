"""A scenario from a file of one page, YAML or JSON.

Schema::

    name: wedding
    atoms:                        # 2 to 16; the first listed is the most significant bit
      - task: book_flight         # the tool's id
        arguments: {date: 2023-07-30, to: New York}
        says: Book a flight to New York   # optional; made from task and arguments
      - Write the invitations     # a task in words alone
      - Bake the cake
    initial: {Alice: "110", Bob: "001"}   # agent → mask, in speaking order; a partition
    registry: {"110": Fly there and invite everybody.}   # optional; the others are composed
    tools: tools.json             # optional: a tool catalogue, beside this file
    seed: 0                       # optional: of what is generated
    # private, one of the following three:
    utilities:                    # raw scores in 0..100, every mask once ("000" may be left out)
      Alice: {"001": 10, "010": 80, "011": 75, "100": 40, "101": 30, "110": 90, "111": 60}
      Bob: {…}
    preferences: {Alice: You are very good at booking., Bob: You are good at baking.}
    competition: 0.3              # 0 (preferences apart) to 1 (the same)

The file stays where it is: a run refers to it by its path, so that what is private in it is never
copied into shared state.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from games.exchange.masks import from_bits
from games.exchange.preferences import dialled, scores
from games.exchange.registry import Registry
from games.exchange.scenario import Atom, Scenario, Tasks
from games.exchange.tables import normalised, read_descriptions, read_scores
from games.exchange.tools import read_tools
from games.game import GameError


class AtomEntry(BaseModel):
    """One atom as the file gives it."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    task: str
    arguments: dict[str, Any] = {}
    says: str = ""


class Page(BaseModel):
    """The file's content."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str = "scenario"
    atoms: list[str | AtomEntry] = Field(min_length=2)
    initial: dict[str, str] = Field(min_length=2)
    registry: dict[str, str] = {}
    tools: str = ""
    seed: int = Field(default=0, ge=0)
    utilities: dict[str, dict[str, float]] | None = None
    preferences: dict[str, str] | None = None
    competition: float | None = Field(default=None, ge=0, le=1)


def read_scenario(path: str | Path) -> Scenario:
    """Read a scenario file.

    Raises:
        GameError: it cannot be read, or says what cannot be; the line names the mend and quotes
            no utility.
    """
    file = Path(path)
    try:
        return _read(file, file.stat().st_mtime_ns)
    except OSError:
        raise GameError(f"{file}: no such scenario file") from None


@lru_cache(maxsize=16)
def _read(file: Path, _: int) -> Scenario:
    try:
        text = file.read_text(encoding="utf-8")
        content = json.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
    except (UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        # The parsers' own messages quote the file.
        raise GameError(f"{file}: no YAML or JSON ({type(error).__name__})") from None
    try:
        return build(content, file.parent)
    except GameError as error:
        raise GameError(f"{file}: {error}") from None


def build(content: Any, beside: Path = Path()) -> Scenario:
    """The scenario of a file's content.

    Args:
        content: as the schema says.
        beside: the folder that `tools` is looked up in.

    Raises:
        GameError: names what is wrong and what would be right.
    """
    if not isinstance(content, Mapping):
        raise GameError("holds no scenario: give atoms, initial and one of utilities, preferences")
    try:
        page = Page.model_validate(dict(content))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise GameError(f"{where}: {first['msg']}") from None
    atoms = tuple(_atom(entry) for entry in page.atoms)
    n = len(atoms)
    written = read_descriptions(page.registry, n)
    tasks = Tasks(
        atoms,
        {agent: from_bits(bits, n) for agent, bits in page.initial.items()},
        Registry([atom.says for atom in atoms], written),
    )
    return _with_utilities(page, tasks, beside)


def _with_utilities(page: Page, tasks: Tasks, beside: Path) -> Scenario:
    given = [page.utilities, page.preferences, page.competition]
    if sum(one is not None for one in given) != 1:
        raise GameError("give exactly one of utilities, preferences and competition")
    told = page.preferences or {}
    if page.competition is not None:
        told = dialled(tasks.atoms, tasks.agents, page.competition, page.seed)
    scored = page.utilities if page.utilities is not None else told
    if set(scored) != set(tasks.agents):
        raise GameError(f"utilities or preferences are needed for {', '.join(tasks.agents)}")
    raw = {
        agent: read_scores(page.utilities[agent], tasks.n, agent)
        if page.utilities is not None
        else scores(told[agent], tasks.atoms, page.seed, agent)
        for agent in tasks.agents
    }
    every = dict.fromkeys(range(1 << tasks.n), "given") if page.utilities is not None else {}
    return Scenario(
        name=page.name,
        tasks=tasks,
        utilities={agent: normalised(table) for agent, table in raw.items()},
        preferences=dict(told),
        origins=dict.fromkeys(tasks.agents, every) if every else {},
        tools=read_tools(beside / page.tools) if page.tools else {},
    )


def _atom(entry: str | AtomEntry) -> Atom:
    if isinstance(entry, str):
        return Atom(entry, {}, entry.removesuffix("."))
    arguments = {key: str(value) for key, value in entry.arguments.items()}
    return Atom(
        entry.task, arguments, entry.says.removesuffix(".") or in_words(entry.task, arguments)
    )


def in_words(tool: str, arguments: Mapping[str, str]) -> str:
    """A call in words: `book_flight`, `{to: New York}` → "Book flight (to: New York)"."""
    words = tool.replace("_", " ").capitalize()
    told = ", ".join(f"{key}: {value}" for key, value in arguments.items())
    return f"{words} ({told})" if told else words

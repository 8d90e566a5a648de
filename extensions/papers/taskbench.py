"""Scenarios from TaskBench records (Shen et al., 2024), in a file that users provide.

`data.json` is JSON lines (a JSON array is read, too). The first release has `user_request`,
`task_steps` and `task_nodes`; a later one has `instruction`, `tool_steps` and `tool_nodes`, and
its lists are JSON in strings. Two or more records, each of several atoms (tool calls), make a
scenario: each agent starts with the atoms of one record.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shapley_coop.extensions.exchange.domain.files import in_words
from shapley_coop.extensions.exchange.domain.masks import full
from shapley_coop.extensions.exchange.domain.params import TaskExchangeParams
from shapley_coop.extensions.exchange.domain.registry import Registry
from shapley_coop.extensions.exchange.domain.scenario import (
    MAX_ATOMS,
    Atom,
    Scenario,
    Tasks,
    check_table,
)
from shapley_coop.extensions.exchange.domain.source import dial
from shapley_coop.extensions.exchange.domain.tools import read_tools
from shapley_coop.files import text_of
from shapley_coop.games.dice import dice
from shapley_coop.games.files import read_once
from shapley_coop.games.params import GameError

JOINED = str.maketrans({"<": "(", ">": ")", "`": "'", ";": ","})


@dataclass(frozen=True)
class Record:
    """One user request, with the tool calls that answer it."""

    id: str
    request: str
    atoms: tuple[Atom, ...]


def scenario_of_records(params: TaskExchangeParams, seed: int) -> Scenario:
    """Return the scenario of the records that a game's parameters name.

    Raises:
        GameError: a file cannot be read, or lacks a record with a given id.
    """
    given = params.model_dump(include={"ids", "atoms", "competition", "tools"})
    return from_taskbench(params.records, params.agents, seed=seed, **given)


def from_taskbench(
    path: str,
    agents: Sequence[str],
    *,
    ids: Sequence[str],
    atoms: int,
    competition: float,
    seed: int,
    tools: str = "",
) -> Scenario:
    """Return a scenario of TaskBench records, by ids or drawn by seed, with generated preferences.

    Args:
        path: the file of the records.
        agents: the agents, in the order of their records.
        ids: the ids of the records; empty draws records by seed.
        atoms: the most atoms that all drawn records may have in total.
        competition: how alike the agents' preferences are, from 0 to 1.
        seed: the seed of the draw and of the preferences.
        tools: the path of a tool catalogue; without one every call succeeds.

    Raises:
        GameError: the file cannot be read, or lacks a record with a given id.
    """
    records = read_records(path)
    if unknown := [i for i in ids if i not in records]:
        raise GameError(f"{path} has no record {unknown[0]!r}")
    drawn = [records[i] for i in ids] or sample(records, len(agents), seed, atoms)
    name = f"taskbench {' '.join(record.id for record in drawn)}"
    found = dial(name, tasks_of(drawn, agents), competition, seed)
    return replace(found, tools=read_tools(tools)) if tools else found


def read_records(path: str | Path) -> dict[str, Record]:
    """Return all records of a file, by id.

    Raises:
        GameError: the file is missing, or a line is not a record; the error names the line.
    """
    return read_once(path, "file of TaskBench records", _read)


def _read(file: Path) -> dict[str, Record]:
    found = {}
    for number, raw in _objects(file):
        try:
            record = read_record(raw)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise GameError(
                f"{file}:{number} is not a TaskBench record ({type(error).__name__}: {error}): it "
                "needs id, user_request or instruction, and task_nodes or tool_nodes"
            ) from None
        found[record.id] = record
    return found


def _objects(file: Path) -> list[tuple[int, Any]]:
    text = text_of(file)
    try:
        if text.lstrip().startswith("["):
            return list(enumerate(json.loads(text), start=1))
        lines = enumerate(text.splitlines(), start=1)
        return [(number, json.loads(line)) for number, line in lines if line.strip()]
    except ValueError as error:
        raise GameError(f"{file}: is not JSON lines: {error}") from None


def read_record(raw: Mapping[str, Any]) -> Record:
    """Return one TaskBench record, in the format of the first or of the later release."""
    nodes = raw["task_nodes"] if "task_nodes" in raw else raw["tool_nodes"]
    request = raw["user_request"] if "user_request" in raw else raw["instruction"]
    listed = json.loads(nodes) if isinstance(nodes, str) else nodes
    return Record(str(raw["id"]), str(request), tuple(_atom(node) for node in listed))


def tasks_of(records: Sequence[Record], agents: Sequence[str]) -> Tasks:
    """Return the public part of a scenario: agent k starts with the atoms of record k.

    A call that occurs twice becomes two atomic tasks, distinguished by a number.

    Raises:
        GameError: the numbers of records and agents differ, or there are too many atomic tasks.
    """
    if len(records) != len(agents):
        raise GameError(f"{len(records)} records for {len(agents)} agents: give one for each")
    atoms: list[Atom] = []
    initial = {}
    left = sum(len(record.atoms) for record in records)
    for agent, record in zip(agents, records, strict=True):
        left -= len(record.atoms)
        initial[agent] = full(len(record.atoms)) << left
        for atom in record.atoms:
            atoms.append(_told_apart(atom, atoms))
    check_table(len(atoms))
    return Tasks(tuple(atoms), initial, Registry([atom.says for atom in atoms]))


def sample(records: Mapping[str, Record], agents: int, seed: int, at_most: int) -> list[Record]:
    """Return a record with several atoms for each agent, drawn by seed.

    Args:
        records: id → record, to draw from.
        agents: the number of agents, and of records to draw.
        seed: the seed of the draw.
        at_most: the most atoms that all drawn records together may have.

    Raises:
        GameError: too few records are small enough.
    """
    each = min(at_most, MAX_ATOMS) // agents
    fit = [r for _, r in sorted(records.items()) if 2 <= len(r.atoms) <= each]
    if len(fit) < agents:
        raise GameError(
            f"{len(fit)} records have 2 to {each} atoms, and {agents} are needed: allow more atoms"
        )
    drawn = dice(seed, 0, "records").choice(len(fit), size=agents, replace=False)
    return [fit[int(i)] for i in drawn]


def _atom(node: Mapping[str, Any]) -> Atom:
    tool = str(node["task"])
    arguments = dict(
        (str(a["name"]), _clean(a["value"])) if isinstance(a, Mapping) else (f"arg{i}", _clean(a))
        for i, a in enumerate(node.get("arguments", []), start=1)
    )
    return Atom(tool, arguments, in_words(tool, arguments))


def _told_apart(atom: Atom, before: Sequence[Atom]) -> Atom:
    twins = sum(other.tool == atom.tool and other.says.startswith(atom.says) for other in before)
    if not twins:
        return atom
    again = {**atom.arguments, "again": str(twins + 1)}
    return Atom(atom.tool, again, in_words(atom.tool, again))


def _clean(value: Any) -> str:
    """Return a value as text that can be sent and copied exactly."""
    return " ".join(str(value).translate(JOINED).split())

"""What `coop attribute` is given as texts, as the objects that they name."""

import hashlib
from pathlib import Path
from typing import Any

from shapley_coop.extensions.attribute.app import load
from shapley_coop.extensions.attribute.canonical import digest
from shapley_coop.extensions.attribute.traces import json_lines
from shapley_coop.files import read_data, read_json
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.seat import Seat


def inputs_of(file: Path) -> Any:
    """Return one input, or a list: a JSON file, or JSON lines.

    Raises:
        ValueError: it cannot be read.
    """
    if file.suffix != ".jsonl":
        return read_json(file, "inputs")
    return [one for _, one in json_lines(file, "inputs")]


def absent_of(given: list[str]) -> Any:
    """Return what stands in for absent agents, all of them or one by one."""
    by_agent: dict[str, Any] = {}
    for one in given:
        agent, equals, what = one.partition("=")
        if not equals:
            if len(given) > 1:
                raise ValueError(f"--absent {one}: of several, each is AGENT=…")
            return stand_in(one)
        by_agent[agent.strip()] = stand_in(what.strip())
    return by_agent or "blank"


def stand_in(what: str) -> Any:
    """Read what stands in for one absent agent."""
    if what in ("blank", "silent"):
        return what
    if what.startswith("model:"):
        return model_of(what.removeprefix("model:"))
    return load(what, "--absent")


def model_of(name: str) -> Any:
    """Make a chat model by its name."""
    return chat_model(Seat(model=name), agent="absent", seed=0)


def models_of(given: str) -> tuple[Any, ...]:
    """Return the chat models that are tried in place of agents' own."""
    return tuple(load(x, "--cheaper") if ".py:" in x else model_of(x) for x in listed(given))


def listed(names: str) -> tuple[str, ...]:
    """Split at commas."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def file_text(app: str) -> str:
    """Return the app's file and the graph's name in it, as a name: its kept calls are of these."""
    file, _, name = app.rpartition(":")
    path = Path(file)
    return digest(path.read_text(encoding="utf-8"), name) if path.is_file() else ""


def fresh_of(given: str) -> str | tuple[str, ...]:
    """Read a choice of `fresh`, or names of nodes."""
    return given if given in ("", "toolless", "all", "none") else listed(given)


def answers_of(given: str) -> Any:
    """Read the answers to an app that asks a person; None where none are given."""
    if not given:
        return None
    return load(given, "--answers") if ".py:" in given else read_data(given, "answers")


def files_of(**files: Path | None) -> dict[str, Any]:
    """Return what the files that are given hold, by name."""
    return {name: read_data(file, f"a {name}") for name, file in files.items() if file}


def texts_of(*files: Path | None) -> list[str]:
    """Return the hash of each file's content; empty where none is given."""
    return [hashlib.sha256(file.read_bytes()).hexdigest() if file else "" for file in files]

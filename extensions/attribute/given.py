"""Functions that turn the options of `coop attribute`, which are texts, into objects."""

import hashlib
from pathlib import Path
from typing import Any

from shapley_coop.extensions.attribute.canonical import digest
from shapley_coop.extensions.attribute.loading import load
from shapley_coop.extensions.attribute.traces import json_lines
from shapley_coop.files import read_data, read_json
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.seat import Seat


def inputs_of(file: Path) -> Any:
    """Return the content of a JSON file (one input or a list) or of a file of JSON lines.

    Raises:
        ValueError: the file cannot be read.
    """
    if file.suffix != ".jsonl":
        return read_json(file, "inputs")
    return [one for _, one in json_lines(file, "inputs")]


def absent_of(given: list[str]) -> Any:
    """Return the stand-in for all absent agents, or a dict agent → stand-in."""
    by_agent: dict[str, Any] = {}
    for one in given:
        agent, equals, what = one.partition("=")
        if not equals:
            if len(given) > 1:
                raise ValueError(f"--absent {one}: with several stand-ins, write each as AGENT=…")
            return stand_in(one)
        by_agent[agent.strip()] = stand_in(what.strip())
    return by_agent or "blank"


def stand_in(what: str) -> Any:
    """Return the stand-in that a text names: blank, silent, a model or a function."""
    if what in ("blank", "silent"):
        return what
    if what.startswith("model:"):
        return model_of(what.removeprefix("model:"))
    return load(what, "--absent")


def model_of(name: str) -> Any:
    """Make a chat model by its name."""
    return chat_model(Seat(model=name), agent="absent", seed=0)


def models_of(given: str) -> tuple[Any, ...]:
    """Return the chat models to try in place of the agents' own models."""
    return tuple(load(x, "--cheaper") if ".py:" in x else model_of(x) for x in listed(given))


def listed(names: str) -> tuple[str, ...]:
    """Return the comma-separated names in a text, without empty ones."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def file_text(app: str) -> str:
    """Return a text for the keys of cached calls: a hash of the app's file and graph name."""
    file, _, name = app.rpartition(":")
    path = Path(file)
    text = path.read_text(encoding="utf-8") if path.is_file() else file
    return digest(text, name) if file else ""


def fresh_of(given: str) -> str | tuple[str, ...]:
    """Return the setting `fresh`: a keyword, or names of nodes."""
    return given if given in ("", "toolless", "all", "none") else listed(given)


def answers_of(given: str) -> Any:
    """Return the answers to an app's interrupts, or None if none are given."""
    if not given:
        return None
    return load(given, "--answers") if ".py:" in given else read_data(given, "answers")


def files_of(**files: Path | None) -> dict[str, Any]:
    """Return name → content of its file, for the files that are given."""
    return {name: read_data(file, f"a {name}") for name, file in files.items() if file}


def texts_of(*files: Path | None) -> list[str]:
    """Return the hash of each file's content, "" for a file that is not given."""
    return [hashlib.sha256(file.read_bytes()).hexdigest() if file else "" for file in files]

"""Options that become rooms: parameters from files and pairs, seats with their settings."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Parameters:
    """A game's parameters as they were given: a file, then pairs that replace what it says."""

    file: Path | None
    pairs: list[str]


def settings_from(given: Parameters) -> dict[str, Any]:
    """The parameters as one mapping.

    Raises:
        ValueError: the file cannot be read, or a pair is none.
    """
    settings = _file(given.file) if given.file else {}
    for pair in given.pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--set {pair}: give key=value")
        settings[key.strip()] = _value(value)
    return settings


def seats_from(model: str, agents: list[str], base_url: str | None) -> dict[str, Any]:
    """Seats by agent; '*' is everybody else's.

    Raises:
        ValueError: a seat is not NAME=provider:name[,setting=value…].
    """
    seats = {"*": _seat(model, base_url)}
    for given in agents:
        name, equals, spec = given.partition("=")
        if not equals or not name.strip() or not spec.strip():
            raise ValueError(f"--agent {given}: give NAME=provider:name, as in Alice=openai:gpt-5")
        seats[name.strip()] = _seat(spec, base_url)
    return seats


def pairs(option: str, given: str) -> dict[str, Any]:
    """An option's key=value pairs, separated by commas.

    Raises:
        ValueError: one is none.
    """
    found: dict[str, Any] = {}
    for pair in filter(None, given.split(",")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{option} {given}: {pair!r} is no limit: give key=value, …")
        found[key.strip()] = _value(value)
    return found


def words(option: str, given: str) -> str:
    """An option's words, or a file's where it begins with @.

    Raises:
        ValueError: the file cannot be read.
    """
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{option} {given}: {' '.join(str(error).split())}") from None


def _seat(spec: str, base_url: str | None) -> dict[str, Any]:
    model, *pairs = spec.split(",")
    seat: dict[str, Any] = {"model": model.strip()}
    if base_url and model.startswith("openai:"):
        seat["base_url"] = base_url
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{spec}: {pair!r} is no setting: give temperature=0.2 and the like")
        seat[key.strip()] = _value(value)
    return seat


def _value(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _file(path: Path) -> dict[str, Any]:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: cannot be read as parameters: {reason}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: holds no parameters: write key: value, a line each")
    return content

"""Secrets that a user tells one agent: kept in files, referred to by name."""

from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from shapley_coop.deals import reservation_in
from shapley_coop.seats.tracing import keep_out
from shapley_coop.state.storage.home import home


def secrets_of(name: str) -> dict[str, str]:
    """Agent → its secret; empty without a name.

    Raises:
        ValueError: the file is missing or is not a mapping of agents to texts.
    """
    if not name:
        return {}
    path = home().secrets / f"{name}.yaml"
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        raise ValueError(f"no secrets {name!r}: put agent: text into {path}") from None


def reservation_of(name: str, agent: str) -> Fraction | None:
    """The reservation value in an agent's secret, if it states one.

    Raises:
        ValueError: the value or the file cannot be read.
    """
    told = secrets_of(name).get(agent, "")
    try:
        return reservation_in(told)
    except ValueError as error:
        raise ValueError(f"secrets {name!r} of {agent}: {error}") from None


@lru_cache(maxsize=64)
def _read(path: Path, _: int) -> dict[str, str]:
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError):
        # The parser's own message quotes the file.
        raise ValueError(f"{path} is no YAML: write agent: text, one per line") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds no mapping: write agent: text, one per line")
    texts = {str(agent): str(text) for agent, text in content.items()}
    keep_out(texts.values())  # of traces
    return texts

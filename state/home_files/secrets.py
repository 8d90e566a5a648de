"""The secrets that a user gives to single agents, in files to which runs refer by name."""

from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from shapley_coop.deals.analysis.reservation import reservation_in
from shapley_coop.files import read_mapping
from shapley_coop.seats.tracing import keep_out
from shapley_coop.state.storage.home import home


def secrets_of(name: str) -> dict[str, str]:
    """Return agent → secret from the named file of secrets; {} for the name "".

    Raises:
        ValueError: the file is missing or is not a mapping of agents to texts.
    """
    if not name:
        return {}
    path = home().secrets / f"{name}.yaml"
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        raise ValueError(f"there are no secrets {name!r}: put `agent: text` into {path}") from None


def reservation_of(name: str, agent: str) -> Fraction | None:
    """Return the reservation value in an agent's secret, if it states one.

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
    content = read_mapping(path, "secrets", "write agent: text, one per line", private=True)
    texts = {str(agent): str(text) for agent, text in content.items()}
    keep_out(texts.values())  # keeps secrets out of traces
    return texts

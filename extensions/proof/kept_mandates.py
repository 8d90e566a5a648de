"""The mandates kept in a home, readable only by its owner.

The configuration in a run's state names a mandate by its hash, since an agent's limits are private
until its principal shows them.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from shapley_coop.files import read_text
from shapley_coop.state.home_files.kept import KEPT, Whose, keep, kept_file, whose

if TYPE_CHECKING:  # for type checks only, since most runs need no mandates
    from shapley_coop.extensions.proof.mandate import SignedMandate


def keep_mandate(text: str, agent: str) -> str:
    """Store an agent's mandate in the home; return the name by which the run's state refers to it.

    Args:
        text: the JSON of the mandate's signed envelope, or the name of a mandate kept already.
        agent: the agent that the mandate must bind.

    Raises:
        ValueError: the mandate is invalid, not signed by its principal, or of another agent.
    """
    from shapley_coop.extensions.proof.envelope import as_bytes

    known = text.startswith(KEPT)
    found = mandate_of(text) if known else _read(text, f"the mandate of {agent}")
    if found.mandate.agent != agent:
        raise ValueError(f"{agent} has the mandate of {found.mandate.agent}: give its own")
    return keep("mandates", as_bytes(found.envelope).decode().rstrip("\n"))


def check_in_force(mandates: Mapping[str, str]) -> None:
    """Check before a run that no mandate has expired; during a run, each act is checked.

    Args:
        mandates: agent → the name by which the run's state refers to its mandate.

    Raises:
        ValueError: a mandate has expired.
    """
    for agent, name in mandates.items():
        mandate = mandate_of(name).mandate
        if mandate.expired(datetime.now(UTC)):
            raise ValueError(
                f"the mandate of {agent} expired at {mandate.expires}: have its principal sign a "
                "new one"
            )


def mandate_of(name: str) -> "SignedMandate":
    """Return the mandate with a name that `keep_mandate` returned.

    Raises:
        ValueError: the mandate is not in this home, or not signed by its principal.
    """
    return _kept(whose(), name)


@lru_cache(maxsize=64)
def _kept(of: Whose, name: str) -> "SignedMandate":
    what = "a mandate kept in this home"
    path = kept_file(of, "mandates", name, what)
    return _read(read_text(path, what), str(path))


def _read(text: str, source: str) -> "SignedMandate":
    from shapley_coop.extensions.proof.envelope import envelope_of
    from shapley_coop.extensions.proof.mandate import read_mandate

    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{source} is not JSON: give a file that coop mandate wrote") from None
    try:
        envelope = envelope_of(content)
    except ValueError as error:
        raise ValueError(f"{source} is not a signed envelope: {error}") from None
    return read_mandate(envelope, source)

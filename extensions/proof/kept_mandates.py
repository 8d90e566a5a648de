"""Mandates of a home: what a principal allows its agent, kept for its owner alone.

The configuration on the table names one by its hash: how much an agent may pay is private until its
principal shows it.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from shapley_coop.files import read_text
from shapley_coop.state.home_files.kept import KEPT, Whose, keep, kept_file, whose

if TYPE_CHECKING:  # few runs have mandates
    from shapley_coop.extensions.proof.mandate import SignedMandate


def keep_mandate(text: str, agent: str) -> str:
    """Keep a mandate that is given to an agent; what stands on the table for it.

    Args:
        text: the JSON of its envelope, or what stands on the table for one that is kept.
        agent: whom it has to bind.

    Raises:
        ValueError: it is none, is not signed by its principal, or is another agent's.
    """
    from shapley_coop.extensions.proof.envelope import as_bytes

    known = text.startswith(KEPT)
    found = mandate_of(text) if known else _read(text, f"the mandate of {agent}")
    if found.mandate.agent != agent:
        raise ValueError(f"the mandate of {agent} is {found.mandate.agent}'s: give its own")
    return keep("mandates", as_bytes(found.envelope).decode().rstrip("\n"))


def check_in_force(mandates: Mapping[str, str]) -> None:
    """Refuse to begin by a mandate that has expired; what has begun goes on, checked act by act.

    Args:
        mandates: agent → what stands on the table for its mandate.

    Raises:
        ValueError: one has expired.
    """
    for agent, name in mandates.items():
        mandate = mandate_of(name).mandate
        if mandate.expired(datetime.now(UTC)):
            raise ValueError(
                f"the mandate of {agent} expired at {mandate.expires}: have its principal sign "
                "another"
            )


def mandate_of(name: str) -> "SignedMandate":
    """Return a mandate by what stands on the table for it.

    Raises:
        ValueError: it is not in this home, or not signed by its principal.
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
        raise ValueError(f"{source} is no JSON: give what coop mandate wrote") from None
    try:
        envelope = envelope_of(content)
    except ValueError as error:
        raise ValueError(f"{source} is no signed envelope: {error}") from None
    return read_mandate(envelope, source)

"""The digest of the settings that decide payoffs, which parties sign with each offer.

The digest is salted, since the seed or the few numbers of a private game could be guessed. A run's
state holds the salt with the settings. No letter shows the salt, but an export does.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.kept_mandates import mandate_of
from shapley_coop.extensions.proof.settings import NAME, settings_in
from shapley_coop.state.settings import RECIPE, config_of, recipe_of
from shapley_coop.state.table import Table

SIGNED = (*RECIPE, "require_signed")
"""The names of the settings that parties sign."""


class SignedRun(NamedTuple):
    """The episode and the settings digest, which each signature in a run covers with the offer.

    Attributes:
        episode: the run's episode.
        settings: the digest of the run's settings; empty if no party has a key.
    """

    episode: str
    settings: str


def committed_in(table: Table) -> dict[str, str] | None:
    """Return the workflow and the salt in the digest that parties sign; None if none has a key."""
    found: dict[str, str] | None = table.get("aside", {}).get(NAME)
    return found


def signed_recipe(table: Table) -> dict[str, Any]:
    """Return the settings that parties sign: those that decide values, transfers and payoffs."""
    required = settings_in(config_of(table["settings"])).require_signed
    return {**recipe_of(table["settings"]), "require_signed": required}


def signed_run(table: Table) -> SignedRun:
    """Return the episode and the settings digest, which parties sign with each agreement."""
    committed = committed_in(table)
    if committed is None:
        return SignedRun(table["episode"], "")
    settings = settings_in(config_of(table["settings"]))
    found = settings_digest(
        workflow=committed["workflow"],
        salt=committed["salt"],
        agents=table["agents"],
        keys={agent: party.key.keyid for agent, party in settings.keys.items()},
        mandates={agent: mandate_of(name).sha256 for agent, name in settings.mandates.items()},
        settings=digest(signed_recipe(table)),
    )
    return SignedRun(table["episode"], found)


def settings_digest(
    *,
    workflow: str,
    salt: str,
    agents: Sequence[str],
    keys: Mapping[str, str],
    mandates: Mapping[str, str],
    settings: str,
) -> str:
    """Return the digest of everything that is fixed before the first signature.

    Args:
        workflow: the workflow's name.
        salt: a random text that nobody can guess.
        agents: the agents in speaking order.
        keys: agent → the id of its key.
        mandates: agent → the hash of its signed mandate.
        settings: the hash of `signed_recipe`.
    """
    return digest(
        {
            "agents": list(agents),
            "keys": dict(keys),
            "mandates": dict(mandates),
            "salt": salt,
            "settings": settings,
            "workflow": workflow,
        }
    )

"""The settings that decide who gets what, as one digest, which parties sign beside each offer.

It is salted: the seed, or the few numbers of a private game, could be found by trying them. The
salt is on the table beside them, and in no letter; an export shows it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from shapley_coop.canonical import digest
from shapley_coop.state.home_files.digests import salt_of
from shapley_coop.state.home_files.mandates import mandate_of
from shapley_coop.state.settings import config_of, recipe_digest

if TYPE_CHECKING:  # the table names the commitment that is made here
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.table import Commitment, Table


class SignedRun(NamedTuple):
    """What every signature in a run names beside the agreement.

    Attributes:
        episode: the play.
        settings: the digest of its settings; empty where no party has a key.
    """

    episode: str
    settings: str


def commitment_of(config: "RunConfig", episode: str, workflow: str) -> "Commitment | None":
    """What the digest of a run's settings is made with; None where no party has a key."""
    return {"workflow": workflow, "salt": salt_of(episode)} if config.keys else None


def signed_run(table: "Table") -> SignedRun:
    """What the parties of a run sign beside each agreement."""
    committed = table.get("commitment")
    if committed is None:
        return SignedRun(table["episode"], "")
    config = config_of(table["settings"])
    found = settings_digest(
        workflow=committed["workflow"],
        salt=committed["salt"],
        agents=table["agents"],
        keys={agent: party.key.keyid for agent, party in config.keys.items()},
        mandates={agent: mandate_of(name).sha256 for agent, name in config.mandates.items()},
        settings=recipe_digest(table["settings"]),
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
    """The digest of all that was settled before anything was signed.

    Args:
        workflow: the workflow's name.
        salt: what nobody can guess.
        agents: in speaking order.
        keys: agent → the id of its key.
        mandates: agent → the hash of its signed mandate.
        settings: the hash of those that values, transfers and payoffs follow from.
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

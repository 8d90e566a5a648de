"""Whose signatures an export holds: of what was agreed, and under which settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.keys import PublicKey, read_public
from shapley_coop.extensions.proof.rebuilding import agreed_of
from shapley_coop.extensions.proof.signatures import Agreed, unsigned
from shapley_coop.extensions.proof.signed_settings import SignedRun, settings_digest
from shapley_coop.extensions.proof.statement import Predicate

OPERATOR = "operator"
"""The name of the key that has to have signed the export."""

PRINCIPAL = "principal."
"""Before an agent's name: its principal's key."""

SEALED = ("call_market",)
"""Workflows in which a party elsewhere signs what stays sealed, and is checked where it is kept."""


@dataclass(frozen=True)
class Finding:
    """One thing that was checked."""

    what: str
    sound: bool
    found: str


def party_findings(
    told: Predicate, keys: Mapping[str, PublicKey], need: Sequence[str]
) -> Iterator[Finding]:
    """Yield who signed what was agreed, by which key, and whether that key is known.

    Args:
        told: what the export states.
        keys: `operator`, agents, and `principal.AGENT` → the key that they are known by.
        need: agents whose key has to be among them.
    """
    stated = {agent: read_public(key.public) for agent, key in told.keys.items()}
    agreed = [agreed_of(one) for one in told.agreements]
    run = _run(told)
    for agent in told.agents:
        what, given = f"signatures of {agent}", keys.get(agent)
        if agent not in stated:
            absent = agent in need or given is not None
            yield Finding(what, not absent, "it has no key in this run")
            continue
        key = stated[agent]
        if (key.keyid, key.pem) != (told.keys[agent].keyid, told.keys[agent].public):
            yield Finding(what, False, "its key id is not that of its key, in the one form it has")
        elif given is not None and given.keyid != key.keyid:
            yield Finding(what, False, f"made by key {key.keyid[:16]}, and not by the one given")
        elif given is None and agent in need:
            yield Finding(what, False, f"its key was not given: --key {agent}=FILE.pem")
        else:
            yield _signed_by(agent, key, told, run, agreed, given is not None)
    for name in [*need, *keys, *told.keys]:
        agent = name.removeprefix(PRINCIPAL)
        if agent not in told.agents and name != OPERATOR:
            yield Finding(f"signatures of {name}", False, "it is no party of this run")


def _run(told: Predicate) -> SignedRun:
    """Return what each signature has to name beside the agreement, from what is stated."""
    found = settings_digest(
        workflow=told.workflow,
        salt=told.salt,
        agents=told.agents,
        keys={agent: key.keyid for agent, key in told.keys.items()},
        mandates={agent: mandate.sha256 for agent, mandate in told.mandates.items()},
        settings=digest(told.settings),
    )
    return SignedRun(told.episode, found)


def _signed_by(
    agent: str,
    key: PublicKey,
    told: Predicate,
    run: SignedRun,
    agreed: Sequence[Agreed],
    known: bool,
) -> Finding:
    """Return whether a party signed all that it has to have signed, and nothing else.

    Whoever gives its key asks whether it bound itself: then nothing may be without its signature.
    """
    what = f"signatures of {agent}"
    wrong = [w for one in agreed for w in unsigned(one, run, {agent: key})]
    forged = [
        one for one in agreed if agent in one.signatures and any(unsigned(one, run, {agent: key}))
    ]
    sealed = told.workflow in SEALED
    must = known or (bool(told.settings.get("require_signed")) and not sealed)
    if wrong and (must or forged):
        if sealed and not forged:
            wrong.append("what a party elsewhere signs in this workflow is in no export")
        return Finding(what, False, "; ".join(wrong))
    if known and not agreed:
        return Finding(what, False, "nothing was agreed that it could have signed")
    by = "the key that was given" if known else f"key {key.keyid[:16]}, which was not given"
    return Finding(what, True, f"{len(agreed) - len(wrong)} of {len(agreed)} agreements, by {by}")

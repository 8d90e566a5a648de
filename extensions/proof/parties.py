"""The check of the parties' signatures in an export: on its agreements and settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.keys import PublicKey, read_public
from shapley_coop.extensions.proof.rebuilding import agreed_of
from shapley_coop.extensions.proof.signatures import Agreed, unsigned
from shapley_coop.extensions.proof.signed_settings import SignedRun, settings_digest
from shapley_coop.extensions.proof.statement import Predicate

OPERATOR = "operator"
"""The name of the key that must have signed the export."""

PRINCIPAL = "principal."
"""The key of Bob's principal is named by this prefix and Bob's name: `principal.Bob`."""

SEALED = ("call_market",)
"""Workflows whose parties sign sealed answers, which only the home of the run can check."""


@dataclass(frozen=True)
class Finding:
    """The result of one check: the check's name, whether it passed, and the details in words."""

    what: str
    sound: bool
    found: str


def party_findings(
    told: Predicate, keys: Mapping[str, PublicKey], need: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding for each agent: whether its signatures are complete, valid and by its key.

    Args:
        told: the export's predicate.
        keys: `operator`, an agent's name or `principal.AGENT` → that signer's trusted key.
        need: the agents whose trusted keys must be among `keys`.
    """
    stated = {agent: read_public(key.public) for agent, key in told.keys.items()}
    agreed = [agreed_of(one) for one in told.agreements]
    run = _run(told)
    signers = {agent for one in agreed for agent in one.signatures}
    for agent in told.agents:
        what, given = f"signatures of {agent}", keys.get(agent)
        if agent not in stated:
            absent = agent in need or given is not None or agent in signers
            yield Finding(what, not absent, "it has no key in this run")
            continue
        key = stated[agent]
        if (key.keyid, key.pem) != (told.keys[agent].keyid, told.keys[agent].public):
            yield Finding(what, False, "its key id or PEM is not the canonical one of its key")
        elif given is not None and given.keyid != key.keyid:
            yield Finding(what, False, f"made by key {key.keyid[:16]}, and not by the one given")
        elif given is None and agent in need:
            yield Finding(what, False, f"its key was not given: --key {agent}=FILE.pem")
        else:
            yield _signed_by(agent, key, told, run, agreed, given is not None)
    for name in [*need, *keys, *told.keys, *sorted(signers - {*told.agents})]:
        agent = name.removeprefix(PRINCIPAL)
        if agent not in told.agents and name != OPERATOR:
            yield Finding(f"signatures of {name}", False, "it is no party of this run")


def _run(told: Predicate) -> SignedRun:
    """Return the episode and the settings' digest in an export, which each signature must cover."""
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
    """Return whether a party's signatures are valid, and on every agreement that needs it.

    If the caller gave the party's key (`known`), every agreement needs the party's signature.
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
            wrong.append("signatures on this workflow's sealed answers are in no export")
        return Finding(what, False, "; ".join(wrong))
    if known and not agreed:
        return Finding(what, False, "nothing was agreed that it could have signed")
    by = "the key that was given" if known else f"key {key.keyid[:16]}, which was not given"
    return Finding(what, True, f"{len(agreed) - len(wrong)} of {len(agreed)} agreements, by {by}")

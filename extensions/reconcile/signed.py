"""Signed outcome contracts and verdicts: DSSE envelopes of their canonical JSON."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.canonical import canonical
from shapley_coop.extensions.proof.envelope import Envelope, as_bytes, read_envelope
from shapley_coop.extensions.proof.home_keys import key_names, key_of
from shapley_coop.extensions.proof.keys import PublicKey
from shapley_coop.extensions.proof.statement import envelope_signed
from shapley_coop.extensions.reconcile.contract import OutcomeContract, contract_in
from shapley_coop.extensions.reconcile.verdict import statement_of
from shapley_coop.files import bytes_of, read_mapping

TERMS = "application/vnd.shapley-coop.outcome-contract+json"
"""The payload type of a signed contract."""


class Signers(NamedTuple):
    """Who has signed a contract, as far as the keys at hand tell.

    Attributes:
        parties: the parties whose own key made a valid signature; no key counts for two parties.
        missing: the other parties.
        others: the ids of the other keys that signatures name, and their names in this home.
    """

    parties: list[str]
    missing: list[str]
    others: dict[str, str]

    def words(self) -> str:
        """Return who has signed, in words."""
        both = len(self.parties) + len(self.missing)
        told = f"signed by {len(self.parties)} of {both}"
        if not self.missing:
            return f"{told}: {' and '.join(self.parties)}"
        verb = "has" if len(self.missing) == 1 else "have"
        missing = f"{told}: {' and '.join(self.missing)} {verb} not signed"
        if not self.others:
            return missing
        shown = ", ".join(name or f"key {keyid[:16]}" for keyid, name in self.others.items())
        return f"{missing} with a key known here; other signatures: {shown}"


def signers(
    contract: OutcomeContract, terms: Envelope, keys: Mapping[str, PublicKey] | None = None
) -> Signers:
    """Return who has signed a contract.

    Args:
        contract: the contract.
        terms: its envelope.
        keys: party → its public key; else the key of this home whose name is the party's.
    """
    here = {name: key_of(name).public for name in key_names()} if terms.signatures else {}
    known, left, parties = here | dict(keys or {}), dict(terms.signatures), []
    for party in contract.parties:
        key = known.get(party)
        if key and key.verifies(terms.message, left.get(key.keyid, b"")):
            parties.append(party)
            del left[key.keyid]
    missing = [party for party in contract.parties if party not in parties]
    names = {key.keyid: name for name, key in here.items()}
    return Signers(parties, missing, {keyid: names.get(keyid, "") for keyid in left})


def terms_of(contract: OutcomeContract, signatures: dict[str, bytes]) -> Envelope:
    """Return a contract's envelope; its `message` is what each party signs."""
    return Envelope(TERMS, canonical(contract.content()), signatures)


def read_terms(path: Path) -> tuple[OutcomeContract, Envelope]:
    """Return the contract in a file that a person or `coop contract sign` wrote, and its envelope.

    Raises:
        ValueError: the file cannot be read, or is not an outcome contract.
    """
    hint = "give parties, currency, price, counts and window"
    content = read_mapping(path, "an outcome contract", hint)
    if "payloadType" not in content:
        contract = contract_in(content, str(path))
        return contract, terms_of(contract, {})
    envelope = read_envelope(bytes_of(path), str(path))
    if envelope.payload_type != TERMS:
        raise ValueError(f"{path} contains {envelope.payload_type}, not an outcome contract")
    contract = contract_in(envelope.content, str(path))
    if terms_of(contract, envelope.signatures) != envelope:
        raise ValueError(f"{path} is not a contract as coop contract sign writes it")
    return contract, envelope


def sign_terms(terms: Envelope, key: str) -> str:
    """Add the signature of a key of this home to a contract, and return its file's text."""
    signer = key_of(key)
    terms.signatures[signer.public.keyid] = signer.sign(terms.message)
    return as_bytes(terms).decode()


def sign_verdict(
    contract: OutcomeContract, terms: Envelope, verdict: Mapping[str, Any], keys: Iterable[str]
) -> str:
    """Return the text of a verdict's file, signed with keys of this home."""
    statement = statement_of(contract, terms.record()["signatures"], verdict)
    return as_bytes(envelope_signed(statement, map(key_of, keys))).decode()

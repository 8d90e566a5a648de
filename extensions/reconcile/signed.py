"""Signed outcome contracts and verdicts: DSSE envelopes of their canonical JSON."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shapley_coop.canonical import canonical
from shapley_coop.extensions.proof.envelope import Envelope, as_bytes, read_envelope
from shapley_coop.extensions.proof.home_keys import key_of
from shapley_coop.extensions.proof.statement import envelope_signed
from shapley_coop.extensions.reconcile.contract import OutcomeContract, contract_in
from shapley_coop.extensions.reconcile.verdict import statement_of
from shapley_coop.files import bytes_of, read_mapping

TERMS = "application/vnd.shapley-coop.outcome-contract+json"
"""The payload type of a signed contract."""


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

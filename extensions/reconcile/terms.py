"""Outcome contracts as their parties sign them: DSSE envelopes of the contract's JSON."""

from pathlib import Path
from typing import NamedTuple

from shapley_coop.canonical import canonical
from shapley_coop.extensions.proof.envelope import Envelope, read_envelope
from shapley_coop.extensions.reconcile.contract import OutcomeContract, contract_in
from shapley_coop.files import bytes_of, read_mapping

TERMS = "application/vnd.shapley-coop.outcome-contract+json"
"""The payload type of a signed outcome contract."""


class Terms(NamedTuple):
    """A contract and its signatures: key id → signature."""

    contract: OutcomeContract
    signatures: dict[str, bytes]

    def envelope(self) -> Envelope:
        """Return the signed contract; its `message` is what each party signs."""
        return Envelope(TERMS, canonical(self.contract.content()), self.signatures)


def read_terms(path: Path) -> Terms:
    """Return the contract in a file that a person wrote or that `coop contract sign` wrote.

    Raises:
        ValueError: the file cannot be read, or is not an outcome contract.
    """
    hint = "give parties, currency, price, counts and window"
    content = read_mapping(path, "an outcome contract", hint)
    if "payloadType" not in content:
        return Terms(contract_in(content, str(path)), {})
    envelope = read_envelope(bytes_of(path), str(path))
    if envelope.payload_type != TERMS:
        raise ValueError(f"{path} contains {envelope.payload_type}, not an outcome contract")
    found = Terms(contract_in(envelope.content, str(path)), envelope.signatures)
    if found.envelope() != envelope:
        raise ValueError(f"{path} is not a contract as coop contract sign writes it")
    return found

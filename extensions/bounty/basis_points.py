"""Shares in basis points, as payment rails take them, with the hash of the proof that sets them."""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.amounts import apportion, plain
from shapley_coop.extensions.proof.check_command import keys_given
from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.envelope import Envelope, read_envelope
from shapley_coop.extensions.proof.home_keys import key_names, key_of
from shapley_coop.extensions.proof.keys import PublicKey
from shapley_coop.extensions.proof.kinds import Owed, kind_of
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.files import bytes_of

WHOLE = 10_000
RULE = "largest remainder; of equal remainders, the share listed first gets the point"


class Proved(NamedTuple):
    """A signed statement that was checked.

    Attributes:
        content: the statement.
        sha256: the hash of the payload that is signed.
        keys: the trusted keys, by the signers' names.
    """

    content: Mapping[str, Any]
    sha256: str
    keys: Mapping[str, PublicKey]

    def owed(self) -> Owed:
        """Return what the statement says is to be paid.

        Raises:
            ValueError: it is not a statement that can be paid.
        """
        kind = kind_of(self.content)
        if kind is None:
            raise ValueError("the file is the proof of a run: give the run's name to coop pay")
        return kind.owed(self.content, self.keys)


def proved(file: Path, keys: Sequence[str]) -> Proved:
    """Return the statement in a file, if everything in it holds.

    Args:
        file: what `coop prove` or `coop reconcile` wrote.
        keys: the trusted keys, as `coop check --key` takes them; without the operator's, that is
            the key of this home that signed the file.

    Raises:
        ValueError: the file cannot be read, or a check of it fails.
    """
    try:
        content = bytes_of(file)
    except OSError as error:
        raise ValueError(f"{file}: cannot be read as a proof: {error.strerror}") from None
    envelope = read_envelope(content, str(file))
    trusted = keys_given(keys)
    if OPERATOR not in trusted:
        trusted |= _signer_here(envelope, file)
    for finding in check(content, trusted, source=str(file)):
        if not finding.sound:
            raise ValueError(f"{file} does not hold: {finding.what}: {finding.found}")
    return Proved(envelope.content, hashlib.sha256(envelope.payload).hexdigest(), trusted)


def _signer_here(envelope: Envelope, file: Path) -> dict[str, PublicKey]:
    """Return the key of this home that signed an envelope, as the operator's.

    Raises:
        ValueError: no key of this home signed it.
    """
    for name in key_names():
        if (key := key_of(name).public).keyid in envelope.signatures:
            return {OPERATOR: key}
    raise ValueError(f"{file} is signed by no key of this home: give --key operator=FILE.pem")


def shares_of(amounts: Mapping[str, Fraction]) -> dict[str, int]:
    """Return each amount's share of the sum, in basis points that sum to 10,000.

    >>> shares_of({"Ann": Fraction(1), "Ben": Fraction(1), "Cem": Fraction(1)})
    {'Ann': 3334, 'Ben': 3333, 'Cem': 3333}

    Raises:
        ValueError: an amount is negative, or all are 0.
    """
    for who, amount in amounts.items():
        if amount < 0:
            raise ValueError(f"{who} ends with {plain(amount)}: a share cannot be negative")
    if not any(amounts.values()):
        raise ValueError("everybody ends with 0: there is nothing to share")
    points = apportion(WHOLE, [*amounts.values()])
    return dict(zip(amounts, points, strict=True))


def basis_points(
    amounts: Mapping[str, Fraction], currency: str, proof: Proved, what: str
) -> dict[str, Any]:
    """Return the shares with what they rest on, as JSON-compatible data.

    Args:
        amounts: name → what it ends with.
        currency: the amounts' currency; empty if they have none.
        proof: the statement that the amounts are from.
        what: the run or file that is paid.
    """
    return {
        "of": what,
        "amount": plain(sum(amounts.values(), Fraction(0))),
        "currency": currency,
        "basis_points": shares_of(amounts),
        "rule": RULE,
        "proof": {"predicateType": proof.content["predicateType"], "sha256": proof.sha256},
    }

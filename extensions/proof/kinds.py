"""Kinds of signed statements that other extensions bring, beside the settlement of a run."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from shapley_coop.extension import load, offered
from shapley_coop.extensions.proof.keys import PublicKey
from shapley_coop.extensions.proof.parties import Finding


class Owed(NamedTuple):
    """What follows from a statement for a payment.

    Attributes:
        currency: a code of ISO 4217.
        moves: the payments, each as payer, payee and amount in millionths.
        shares: name → its part of the whole amount, in the currency.
        unshared: why there are no shares, if there are none.
    """

    currency: str
    moves: list[tuple[str, str, int]]
    shares: dict[str, Fraction]
    unshared: str = ""


class Kind(Protocol):
    """A kind of statement, which the extension names under its predicate type (`statements`)."""

    def check(
        self,
        content: Mapping[str, Any],
        keys: Mapping[str, PublicKey],
        need: Sequence[str],
        logs: Mapping[str, Path],
    ) -> Iterator[Finding]:
        """Recompute a statement whose envelope is signed by the operator.

        Args:
            content: the statement.
            keys: `operator` or a party's name → that signer's trusted key.
            need: the parties that must themselves have signed.
            logs: a party's name → the file from which the statement was computed.

        An error that it raises is a finding, too: the operator signed what cannot be recomputed.
        """
        ...

    def owed(self, content: Mapping[str, Any], keys: Mapping[str, PublicKey]) -> Owed:
        """Return what is to be paid by a checked statement; `keys` are those of its check.

        Raises:
            ValueError: it cannot be paid.
        """
        ...


def kind_of(content: Any) -> Kind | None:
    """Return the kind of a statement; None if no extension brings it."""
    named = content.get("predicateType") if isinstance(content, dict) else None
    if not isinstance(named, str) or named not in offered("statements"):
        return None
    found: Kind = load("statements", named)
    return found

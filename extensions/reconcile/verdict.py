"""The verdict on two logs: the counts, the differences, what is agreed and what is in dispute."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.canonical import digest
from shapley_coop.extensions.reconcile.contract import OutcomeContract
from shapley_coop.extensions.reconcile.logs import Log
from shapley_coop.extensions.reconcile.matching import match

AGREED, TOLERATED, OPEN = "agreed", "within tolerance", "in dispute"
PREDICATE = "urn:shapley-coop:reconciliation:v1"


def reconcile(
    contract: OutcomeContract, logs: Sequence[Path], advance: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return the verdict on the parties' logs, the same for everybody who computes it.

    `advance` is called after each 1,000 lines.

    Raises:
        ValueError: a log cannot be read, has a wrong line, or differs from the other in too much.
    """
    read = [Log(path, contract, advance) for path in logs]
    parties, both, differences = match(read, contract)
    one = sum(party["counts"] for party in parties.values()) - 2 * both
    return {
        "parties": parties,
        "differences": differences,
        "kinds": dict(Counter(found["kind"] for found in differences)),
        **outcome(contract, both, one),
    }


def outcome(contract: OutcomeContract, both: int, one: int) -> dict[str, Any]:
    """Return the amounts that follow if some events count in both logs, and others in one only.

    What is owed lies between two amounts: if only events of both logs count, and if events of
    either log count. The part of this interval next to 0 is agreed, its width is in dispute.
    """
    least, most = contract.owed(both), contract.owed(both + one)
    agreed = max(least, min(Fraction(0), most))
    within = one <= contract.tolerance * (both + one)
    return {
        "both": both,
        "one": one,
        "agreed": plain(agreed),
        "in_dispute": plain(most - least),
        "due": plain(least if within else agreed),
        "open": plain(Fraction(0) if within else most - least),
        "verdict": (TOLERATED if one else AGREED) if within else OPEN,
    }


def owed_words(contract: OutcomeContract, verdict: Mapping[str, Any]) -> str:
    """Return who owes what by a verdict, in words."""
    (payee, payer), unit, due = contract.parties, contract.currency, verdict["due"]
    debtor, creditor = (payee, payer) if due.startswith("-") else (payer, payee)
    owed = f"{debtor} owes {creditor} {due.lstrip('-')} {unit}"
    return f"{owed}; {verdict['open']} {unit} stays open"


def statement_of(
    contract: OutcomeContract, signatures: Sequence[Mapping[str, str]], verdict: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the in-toto statement of a verdict and of the contract's signatures."""
    content = contract.content()
    hashed = {
        "contract": digest(content),
        **{f"log of {party}": verdict["parties"][party]["log"] for party in contract.parties},
        "verdict": digest(verdict),
    }
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": one}} for name, one in hashed.items()],
        "predicateType": PREDICATE,
        "predicate": {"contract": content, "signatures": [*signatures], "verdict": verdict},
    }

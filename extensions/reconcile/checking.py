"""The check of a signed verdict: all that follows from it, and with the logs all of it."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shapley_coop.amounts import exact, to_micro
from shapley_coop.canonical import digest
from shapley_coop.extensions.proof.envelope import Envelope, base64_bytes
from shapley_coop.extensions.proof.keys import PublicKey
from shapley_coop.extensions.proof.kinds import Owed
from shapley_coop.extensions.proof.parties import OPERATOR, Finding
from shapley_coop.extensions.reconcile.contract import OutcomeContract, contract_in
from shapley_coop.extensions.reconcile.signed import signers, terms_of
from shapley_coop.extensions.reconcile.verdict import outcome, owed_words, reconcile, statement_of

HELD = "in dispute"
"""The name of the share that neither party gets yet."""


class Reconciliation:
    """The kind of statement that `coop reconcile` writes."""

    def check(
        self,
        content: Mapping[str, Any],
        keys: Mapping[str, PublicKey],
        need: Sequence[str],
        logs: Mapping[str, Path],
    ) -> Iterator[Finding]:
        """Recompute a verdict: from the logs, if they are given; else from its own counts."""
        told = content["predicate"]
        contract, verdict = _contract(content), told["verdict"]
        again = statement_of(contract, told["signatures"], verdict)
        same = digest(again) == digest(content)
        yield Finding("statement", same, "contract, and hashes of logs and verdict")
        yield from _signatures(contract, _terms(contract, content), keys, need)
        yield from _counts(contract, verdict)
        yield from _logs(contract, verdict, logs)

    def owed(self, content: Mapping[str, Any], keys: Mapping[str, PublicKey]) -> Owed:
        """Return what is due, and the shares of the most that could be due.

        The shares divide the cap, or else the price of all events of either log: what is due goes
        to the first party, what is in dispute is held, and the rest returns to the second party.
        If the first party may have to give money back, there are no shares.

        Raises:
            ValueError: a party has not signed the contract with a key that is known.
        """
        contract, verdict = _contract(content), content["predicate"]["verdict"]
        signed = signers(contract, _terms(contract, content), keys)
        for party in signed.missing:
            sign = "sign it with coop contract sign and reconcile again"
            known = f"give --key {party}=FILE.pem, or " if signed.others else ""
            raise ValueError(f"the contract is {signed.words()}: {known}{sign}")
        (payee, payer), due, held = contract.parties, exact(verdict["due"]), exact(verdict["open"])
        moves = [(payer, payee, to_micro(due)) if due > 0 else (payee, payer, to_micro(-due))]
        least, most = contract.owed(verdict["both"]), verdict["both"] + verdict["one"]
        if least < 0:
            told = f"{owed_words(contract, verdict)}: no share can be below 0: give --accounts"
            return Owed(contract.currency, moves, {}, told)
        whole = contract.price_of(most) if contract.cap is None else contract.cap
        shares = {payee: least, payer: whole - least - held}
        shares |= {HELD: held} if held else {}
        return Owed(contract.currency, moves, shares)


RECONCILIATION = Reconciliation()


def _contract(content: Mapping[str, Any]) -> OutcomeContract:
    return contract_in(content["predicate"]["contract"], "the contract")


def _terms(contract: OutcomeContract, content: Mapping[str, Any]) -> Envelope:
    """Return the contract's envelope, which a statement repeats."""
    listed = content["predicate"]["signatures"]
    return terms_of(contract, {one["keyid"]: base64_bytes(one["sig"]) for one in listed})


def _signatures(
    contract: OutcomeContract,
    terms: Envelope,
    keys: Mapping[str, PublicKey],
    need: Sequence[str],
) -> Iterator[Finding]:
    """Yield a finding for each party: whether it signed the contract with the given key."""
    for party in contract.parties:
        what, key = f"signature of {party}", keys.get(party)
        if key is None:
            yield Finding(what, party not in need, f"not checked without --key {party}=FILE.pem")
        else:
            signature = terms.signatures.get(key.keyid, b"")
            sound = key.verifies(terms.message, signature)
            yield Finding(what, sound, "on the contract" if sound else "not on the contract")
    for name in sorted({*keys, *need} - {OPERATOR, *contract.parties}):
        yield Finding(f"signature of {name}", False, "it is no party of this contract")


def _counts(contract: OutcomeContract, told: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield whether counts, differences and amounts of a verdict fit each other."""
    both, one, differences = told["both"], told["one"], told["differences"]
    fits = (
        told["parties"].keys() == {*contract.parties}
        and sum(found["in_dispute"] for found in differences) == one
        and sum(side["counts"] for side in told["parties"].values()) == 2 * both + one
        and Counter(found["kind"] for found in differences) == told["kinds"]
    )
    yield Finding("counts", fits, f"{both} events in both logs, {one} in one")
    again = outcome(contract, both, one)
    wrong = [key for key, value in again.items() if digest(told[key]) != digest(value)]
    unit = contract.currency
    found = f"agreed {told['agreed']} {unit}, in dispute {told['in_dispute']} {unit}"
    yield Finding("amounts", not wrong, f"other: {', '.join(wrong)}" if wrong else found)


def _logs(
    contract: OutcomeContract, told: Mapping[str, Any], logs: Mapping[str, Path]
) -> Iterator[Finding]:
    """Yield whether the logs are those of the verdict, and give it."""
    for name in sorted(logs.keys() - {*contract.parties}):
        yield Finding(f"log of {name}", False, "it is no party of this contract")
    for party in contract.parties:
        if party in logs:
            same = _hash(logs[party]) == told["parties"][party]["log"]
            yield Finding(f"log of {party}", same, "as told" if same else "another file")
    if missing := [f"--log {one}=FILE" for one in contract.parties if one not in logs]:
        yield Finding("logs", True, f"lines were not recounted without {' '.join(missing)}")
        return
    again = reconcile(contract, [logs[party] for party in contract.parties])
    yield Finding("verdict", digest(again) == digest(told), "recomputed from the logs")


def _hash(log: Path) -> str:
    """Return the hash of a log's bytes.

    Raises:
        ValueError: the file cannot be read.
    """
    try:
        with log.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(f"{log}: cannot be read as a log: {error.strerror}") from None

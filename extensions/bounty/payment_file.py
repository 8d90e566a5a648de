"""Payment files that banks take (ISO 20022 pain.001.001.03), in euros, with one payer per file.

The library comes with the extra `sepa` and is imported only when needed.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Any

from shapley_coop.extras import require_extra

CENT = 10_000
"""Millionths of a euro in a cent."""

CURRENCY = "EUR"
SCHEMA = "pain.001.001.03"
MOST_PAYMENTS = 999
"""The most payments in one file: the end-to-end id has three digits for their number."""

MOST_OF_A_NAME = 70
_ID = 31
"""The length of a file's id; payment ids add a number to it and have at most 35 characters."""

_UNCOMMON = re.compile(r"[^A-Za-z0-9/?:().,'+ -]")
_NEAREST = str.maketrans({"&": "+", '"': "'", "`": "'", "<": None, ">": None})
_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


@dataclass(frozen=True)
class Account:
    """A bank account.

    Attributes:
        name: the holder's name, in the characters that banks take.
        iban: the IBAN without spaces.
        bic: the BIC; empty if the bank needs none.
        given: the holder's original name if `name` differs from it; otherwise empty.
    """

    name: str
    iban: str
    bic: str = ""
    given: str = ""


@dataclass(frozen=True)
class Payment:
    """One credit transfer.

    Attributes:
        to: the payee's account.
        cents: the amount in cents.
        about: the text on the bank statement.
    """

    to: Account
    cents: int
    about: str


def read_account(who: str, given: Any) -> Account:
    """Return the account that a mapping of name, iban and an optional bic describes.

    Raises:
        ValueError: a key is missing or unknown, the IBAN or BIC is malformed, the IBAN's check
            digits are wrong, the name has no letter that banks take, or `sepa` is not installed.
    """
    if not isinstance(given, Mapping) or not {"name", "iban"} <= given.keys() <= {
        *("name", "iban", "bic")
    }:
        raise ValueError(f"the account of {who}: give name and iban, and a bic if there is one")
    iban = str(given["iban"]).replace(" ", "").upper()
    bic = str(given.get("bic") or "").replace(" ", "").upper()
    if not _IBAN.fullmatch(iban) or not _checks(iban):
        raise ValueError(f"the account of {who}: its iban is invalid: a digit or a letter is wrong")
    if bic and not _BIC.fullmatch(bic):
        raise ValueError(f"the account of {who}: {bic!r} is not a bic")
    name = str(given["name"]).strip()
    if not name:
        raise ValueError(f"the account of {who}: give its holder's name")
    taken = name_for_banks(name)
    if not any(map(str.isalpha, taken)):
        raise ValueError(f"the account of {who}: banks accept no letter of its holder's name")
    return Account(taken, iban, bic, "" if taken == name else name)


def name_for_banks(name: str) -> str:
    """Return a name in SEPA's characters (EPC217-08); others become similar ones or spaces.

    Raises:
        ValueError: the extra `sepa` is not installed.
    """
    with require_extra("sepa", "a payment file"):
        from text_unidecode import unidecode
    latin = unidecode(name).translate(_NEAREST)
    return " ".join(_UNCOMMON.sub(" ", latin).split())[:MOST_OF_A_NAME].rstrip()


def cents(micro: int) -> int:
    """Convert millionths of a euro to cents, rounded to the nearest, ties to even."""
    return round(micro / CENT) if micro % CENT else micro // CENT


def payment_file(payer: Account, payments: Sequence[Payment], reference: str, on: date) -> bytes:
    """Return the XML of payments from one account, validated against the XML schema.

    Args:
        payer: the account that pays.
        payments: the payments, of at least one cent each.
        reference: the text whose first 31 characters begin every end-to-end id.
        on: the day on which the bank executes the payments.

    Raises:
        ValueError: there are no payments or too many, or the extra `sepa` is not installed.
    """
    if not 0 < len(payments) <= MOST_PAYMENTS:
        raise ValueError(f"{len(payments)} payments: a file holds 1 to {MOST_PAYMENTS}")
    with require_extra("sepa", "a payment file"):
        from sepaxml import SepaTransfer
    config = {"name": payer.name, "IBAN": payer.iban, "batch": False, "currency": CURRENCY}
    made = SepaTransfer({**config, **_bic(payer)}, schema=SCHEMA, clean=True)
    for number, payment in enumerate(payments, start=1):
        made.add_payment(
            {
                "name": payment.to.name,
                "IBAN": payment.to.iban,
                **_bic(payment.to),
                "amount": payment.cents,
                "execution_date": on,
                "description": payment.about,
                "endtoend_id": f"{reference[:31]}-{number}",
            }
        )
    return _named(made.export(validate=True), message_id(payer, payments, reference))


def message_id(payer: Account, payments: Sequence[Payment], reference: str) -> str:
    """Return a file's message id, a hash of its payments, by which banks refuse a second copy.

    Args:
        payer: the account that pays.
        payments: the payments in the file.
        reference: the same text as in `payment_file`.
    """
    paid = [reference, payer.iban, *([one.to.iban, one.cents] for one in payments)]
    return hashlib.sha256(json.dumps(paid).encode()).hexdigest()[:_ID]


def _named(content: bytes, message: str) -> bytes:
    """Return a file's XML with this message id, and with payment ids derived from the id."""
    content = re.sub(rb"(?<=<MsgId>)[^<]*", message.encode(), content)
    numbers = count(1)
    return re.sub(
        rb"(?<=<PmtInfId>)[^<]*", lambda _: f"{message}-{next(numbers)}".encode(), content
    )


def _bic(account: Account) -> dict[str, str]:
    return {"BIC": account.bic} if account.bic else {}


def _checks(iban: str) -> bool:
    """Return whether an IBAN's check digits are right (ISO 7064, mod 97-10)."""
    digits = "".join(str(int(char, 36)) for char in iban[4:] + iban[:4])
    return int(digits) % 97 == 1

"""Payment files that banks take: ISO 20022 pain.001.001.03, one debtor each, in euros.

The extra `sepa` brings the library, which is loaded when needed.
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
"""In one file: the end-to-end id has three digits for them."""

MOST_OF_A_NAME = 70
_ID = 31
"""Characters of a file's id: its payments' have a number more, and at most 35."""

_UNCOMMON = re.compile(r"[^A-Za-z0-9/?:().,'+ -]")
_NEAREST = str.maketrans({"&": "+", '"': "'", "`": "'", "<": None, ">": None})
_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


@dataclass(frozen=True)
class Account:
    """Somebody's account at a bank.

    Attributes:
        name: of its holder, as banks take it.
        iban: without spaces.
        bic: empty where the bank needs none.
        given: the holder's name as it was given, where banks take it only changed; else empty.
    """

    name: str
    iban: str
    bic: str = ""
    given: str = ""


@dataclass(frozen=True)
class Payment:
    """One credit transfer.

    Attributes:
        to: whose account.
        cents: how much.
        about: what the statement of account says.
    """

    to: Account
    cents: int
    about: str


def read_account(who: str, given: Any) -> Account:
    """Return an account as people write it: name, iban, and a bic if there is one.

    Raises:
        ValueError: something is missing, the IBAN's or the BIC's form or check digits are wrong,
            no bank takes the name, or the extra `sepa` is not installed.
    """
    if not isinstance(given, Mapping) or not {"name", "iban"} <= given.keys() <= {
        *("name", "iban", "bic")
    }:
        raise ValueError(f"the account of {who}: give name and iban, and a bic if there is one")
    iban = str(given["iban"]).replace(" ", "").upper()
    bic = str(given.get("bic") or "").replace(" ", "").upper()
    if not _IBAN.fullmatch(iban) or not _checks(iban):
        raise ValueError(f"the account of {who}: its iban is none: a digit or a letter is wrong")
    if bic and not _BIC.fullmatch(bic):
        raise ValueError(f"the account of {who}: {bic!r} is no bic")
    name = str(given["name"]).strip()
    if not name:
        raise ValueError(f"the account of {who}: give its holder's name")
    taken = name_for_banks(name)
    if not any(map(str.isalpha, taken)):
        raise ValueError(f"the account of {who}: its holder's name has no letter that banks take")
    return Account(taken, iban, bic, "" if taken == name else name)


def name_for_banks(name: str) -> str:
    """A name in SEPA's common characters (EPC217-08): others become what is nearest, or a space.

    Raises:
        ValueError: the extra `sepa` is not installed.
    """
    with require_extra("sepa", "a payment file"):
        from text_unidecode import unidecode
    latin = unidecode(name).translate(_NEAREST)
    return " ".join(_UNCOMMON.sub(" ", latin).split())[:MOST_OF_A_NAME].rstrip()


def cents(micro: int) -> int:
    """Millionths in whole cents, to the nearest; ties to the even one."""
    return round(micro / CENT) if micro % CENT else micro // CENT


def payment_file(payer: Account, payments: Sequence[Payment], reference: str, on: date) -> bytes:
    """Return the XML of payments from one account, valid by the schema.

    Args:
        payer: whose account they are from.
        payments: of at least one cent each.
        reference: the beginning of every end-to-end id, of which 31 characters are used.
        on: when the bank is to execute them.

    Raises:
        ValueError: the extra `sepa` is not installed, or there are too many payments, or none.
    """
    if not 0 < len(payments) <= MOST_PAYMENTS:
        raise ValueError(f"{len(payments)} payments: one file has 1 to {MOST_PAYMENTS}")
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
    """Return the id of a file, from what it pays: a bank that has had it refuses a second one.

    Args:
        payer: whose account they are from.
        payments: what is paid.
        reference: as in `payment_file`.
    """
    paid = [reference, payer.iban, *([one.to.iban, one.cents] for one in payments)]
    return hashlib.sha256(json.dumps(paid).encode()).hexdigest()[:_ID]


def _named(content: bytes, message: str) -> bytes:
    """Return a file with its id, and with ids of its payments that follow from it."""
    content = re.sub(rb"(?<=<MsgId>)[^<]*", message.encode(), content)
    numbers = count(1)
    return re.sub(
        rb"(?<=<PmtInfId>)[^<]*", lambda _: f"{message}-{next(numbers)}".encode(), content
    )


def _bic(account: Account) -> dict[str, str]:
    return {"BIC": account.bic} if account.bic else {}


def _checks(iban: str) -> bool:
    """Return whether the check digits fit (ISO 7064, mod 97-10)."""
    digits = "".join(str(int(char, 36)) for char in iban[4:] + iban[:4])
    return int(digits) % 97 == 1

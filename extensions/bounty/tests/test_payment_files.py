"""Transfers of a run in euros as files that banks take, to the cent, and nothing else."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from shapley_coop.extensions.bounty.payment_file import (
    Account,
    Payment,
    cents,
    payment_file,
    read_account,
)
from tests.coop_command import USAGE, Coop, one_line

pytest.importorskip("sepaxml", reason="payment files are in the extra sepa")

IBANS = ("DE89370400440532013000", "FR1420041010050500013M02606", "GB82WEST12345698765432")
ANN, BEN, CEO = (
    Account(name, iban) for name, iban in zip(("Ann", "Ben", "Zoë"), IBANS, strict=True)
)


def told(content: str | bytes) -> Iterator[tuple[str, str, str, str]]:
    """Debtor's IBAN, creditor's IBAN, amount with currency, end-to-end id."""
    root = ElementTree.fromstring(content)
    space = {"": "urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"}
    for part in root.iterfind(".//PmtInf", space):
        [payer, payee] = [one.text or "" for one in part.iterfind(".//IBAN", space)]
        amount = part.find(".//InstdAmt", space)
        named = part.find(".//EndToEndId", space)
        assert amount is not None
        assert named is not None
        yield payer, payee, f"{amount.text} {amount.get('Ccy')}", named.text or ""


def test_a_file_holds_each_payment_once_and_is_valid_by_the_schema() -> None:
    payments = [Payment(BEN, 1234, "settlement e"), Payment(CEO, 1, "settlement e")]
    content = payment_file(ANN, payments, "e" * 32, date(2026, 12, 31))
    assert list(told(content)) == [
        (IBANS[0], IBANS[1], "12.34 EUR", "e" * 31 + "-1"),
        (IBANS[0], IBANS[2], "0.01 EUR", "e" * 31 + "-2"),
    ]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "Ann", "iban": "DE89370400440532013001"}, "a digit or a letter is wrong"),
        ({"name": "Ann", "iban": "DE8937040044053201300"}, "a digit or a letter is wrong"),
        ({"name": "Ann"}, "give name and iban"),
        ({"name": " ", "iban": IBANS[0]}, "holder's name"),
        ({"name": "Ann", "iban": IBANS[0], "bic": "X"}, "is not a bic"),
        ({"name": "Ann", "iban": IBANS[0], "owner": "x"}, "give name and iban"),
        (None, "give name and iban"),
    ],
    ids=str,
)
def test_an_account_is_checked_before_anything_is_written(given: object, why: str) -> None:
    with pytest.raises(ValueError, match=f"the account of Ann: .*{why}"):
        read_account("Ann", given)


COMMON = re.compile(r"[A-Za-z0-9/?:().,'+ -]{1,70}")
"""What EPC217-08 lets a name hold."""


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Ann O'Hara (Oslo)", "Ann O'Hara (Oslo)"),
        ("Ada Müller & Söhne <GmbH>", "Ada Muller + Sohne GmbH"),
        ("snake_case*@home", "snake case home"),
        ('“Quoted” "Ltd"', "'Quoted' 'Ltd'"),
        ("Żółć\u200b\t Łódź", "Zolc Lodz"),
        ("Ann ★", "Ann"),
        ("x" * 69 + " yz", "x" * 69),
    ],
)
def test_a_name_holds_what_banks_take(name: str, taken: str) -> None:
    account = read_account("Ann", {"name": name, "iban": IBANS[0]})
    assert (account.name, account.given) == (taken, "" if taken == name else name)
    assert COMMON.fullmatch(account.name)


@pytest.mark.parametrize("name", ["★★", "&", "<>", "1-2", "?"])
def test_a_name_without_a_letter_is_nobodys(name: str) -> None:
    with pytest.raises(ValueError, match="Ann: banks accept no letter of its holder's name"):
        read_account("Ann", {"name": name, "iban": IBANS[0]})


def ids(content: bytes) -> list[str]:
    """The ids of a file and of its payments."""
    return re.findall(r"<(?:MsgId|PmtInfId)>([^<]*)<", content.decode())


def test_the_same_payments_are_the_same_message_whenever_they_are_written() -> None:
    payments = [Payment(BEN, 1234, "settlement e"), Payment(CEO, 1, "settlement e")]
    first = payment_file(ANN, payments, "e" * 32, date(2026, 12, 31))
    message, *parts = ids(first)
    assert parts == [f"{message}-1", f"{message}-2"]
    assert max(map(len, ids(first))) <= 35
    assert ids(payment_file(ANN, payments, "e" * 32, date(2027, 1, 1))) == ids(first)
    others = (
        payment_file(ANN, payments[:1], "e" * 32, date(2026, 12, 31)),
        payment_file(ANN, payments, "f" * 32, date(2026, 12, 31)),
        payment_file(BEN, payments, "e" * 32, date(2026, 12, 31)),
    )
    assert len({ids(one)[0] for one in others} | {message}) == 4


def test_millionths_are_paid_in_whole_cents() -> None:
    assert [cents(x) for x in (10_000, 14_999, 15_000, 25_000, 4_999)] == [1, 1, 2, 2, 0]


DELIVERED = {
    "artefacts": {"Ann": {"code": 3}, "Ben": {"code": 1}},
    "bounty": 100,
    "currency": "EUR",
}


def played(coop: Coop, folder: Path, name: str = "r") -> dict[str, float]:
    (folder / "params.yaml").write_text(yaml.safe_dump(DELIVERED))
    ran = coop(
        *("run", "delivered", "--graph", "settlement", "--params", "params.yaml"),
        *("--name", name, "--json"),
    )
    payoffs: dict[str, float] = ran.result["payoffs"]
    return payoffs


def accounts(folder: Path, *who: str) -> None:
    known = {name: {"name": name, "iban": iban} for name, iban in zip(who, IBANS, strict=False)}
    (folder / "iban.yaml").write_text(yaml.safe_dump(known))


def test_a_bounty_is_paid_to_the_cent_by_who_gives_it(coop: Coop, tmp_path: Path) -> None:
    payoffs = played(coop, tmp_path)
    accounts(tmp_path, "world", "Ann", "Ben")
    written = coop("pay", "r", "--accounts", "iban.yaml", "--date", "2026-12-31")
    assert (written.code, written.out.strip()) == (0, "pain001.xml")
    found = list(told((tmp_path / "pain001.xml").read_bytes()))
    paid = {payee: float(amount.split()[0]) for _, payee, amount, _ in found}
    assert paid == {IBANS[1]: payoffs["Ann"], IBANS[2]: payoffs["Ben"]}
    assert sum(paid.values()) == 100


def test_whose_name_was_changed_is_told(coop: Coop, tmp_path: Path) -> None:
    played(coop, tmp_path)
    names = {"world": "Zoë & Co", "Ann": "Ann", "Ben": "Ben <b@x>", "Cy": "Cyé"}
    known = {
        who: {"name": name, "iban": IBANS[n % 3]} for n, (who, name) in enumerate(names.items())
    }
    (tmp_path / "iban.yaml").write_text(yaml.safe_dump(known, allow_unicode=True))
    written = coop("pay", "r", "--accounts", "iban.yaml")
    told = [line for line in written.err.splitlines() if line.startswith("the account of")]
    assert told == [
        "the account of Ben: the file says Ben b x, since banks do not take Ben <b@x>",
        "the account of world: the file says Zoe + Co, since banks do not take Zoë & Co",
    ]
    (message, *_) = ids((tmp_path / "pain001.xml").read_bytes())
    assert f"as message {message}: given again, a bank refuses it" in written.err
    (tmp_path / "iban.yaml").write_text(
        yaml.safe_dump(known | {"Ann": {**known["Ann"], "name": "★"}})
    )
    refused = coop("pay", "r", "--accounts", "iban.yaml", "-o", "other.xml")
    assert "the account of Ann: banks accept no letter" in one_line(refused, USAGE)
    assert not (tmp_path / "other.xml").exists()


def test_no_payers_file_takes_anothers_place() -> None:
    from shapley_coop.extensions.bounty.paying import _files

    assert _files(Path("a.xml"), ["Ann B"]) == {"Ann B": Path("a.xml")}
    with pytest.raises(
        ValueError, match=r"Ann B and Ann-B would be written to the same file a-Ann_B.xml"
    ):
        _files(Path("a.xml"), ["Ann B", "Ann-B", "Cy"])


def test_what_cannot_be_paid_is_said_in_one_line(coop: Coop, tmp_path: Path) -> None:
    accounts(tmp_path, "world", "Ann")
    asked = ("pay", "r", "--accounts", "iban.yaml")
    assert coop("run", "escape_room", "--graph", "llm_only", "--name", "r").code == 0
    assert "in no currency: SEPA pays in EUR" in one_line(coop(*asked), USAGE)
    asked = ("pay", "s", "--accounts", "iban.yaml")
    played(coop, tmp_path, name="s")
    assert "no account of Ben" in one_line(coop(*asked), USAGE)

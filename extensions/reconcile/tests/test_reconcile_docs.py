"""The page's contract, logs and commands, as two companies type them."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.canonical import canonical
from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.envelope import as_bytes, read_envelope, sign_envelope
from shapley_coop.extensions.proof.home_keys import key_of
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.statement import IN_TOTO
from shapley_coop.extensions.reconcile.signed import read_terms
from shapley_coop.extensions.reconcile.verdict import reconcile, statement_of
from shapley_coop.state.storage.home import home
from tests.coop_command import FAILED, USAGE, Coop, one_line
from tests.root import ROOT

PAGE = (ROOT / "docs" / "reconcile.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r'^```\w+ title="(.+?)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL))
COMMANDS = [
    shlex.split(line)[1:]
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if line.startswith("coop ")
]
RECONCILE = ("reconcile", "terms.json", "--ours", "acme.csv", "--theirs", "shop.jsonl")
KEYS = [f"--key={one}" for one in ("operator=Acme", "Acme=Acme", "Shop=Shop")]
LOGS = ("--log", "Acme=acme.csv", "--log", "Shop=shop.jsonl")


@pytest.fixture
def played(coop: Coop, tmp_path: Path) -> list[Any]:
    """The page's commands, played in a folder with the page's files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "for who in Acme Shop; do coop keys new $who; done" in PAGE
    for who in ("Acme", "Shop"):
        assert coop("keys", "new", who).code == 0
    return [coop(*command) for command in COMMANDS]


def test_the_page_says_what_its_commands_do(played: list[Any], coop: Coop) -> None:
    *_, reconciled, checked, paid = played
    assert [one.code for one in played] == [0, 0, FAILED, 0, 0]
    assert "Acme (--ours): 2 lines, 2 claimed, 2 count\nShop (--theirs): 3 " in reconciled.out
    assert "contract: signed by 2 of 2: Acme and Shop" in reconciled.out
    assert "agreed 0.99 EUR, in dispute 0.99 EUR" in reconciled.out
    assert "in dispute: Shop owes Acme 0.99 EUR; 0.99 EUR stays open" in reconciled.out
    assert "  renamed id: Acme t2 (line 2); Shop x2 (line 1)\n" in reconciled.out
    assert "  reversed at Shop: Acme t3 (line 3); Shop t3 (line 2) — in dispute" in reconciled.out
    assert "ok    verdict: recomputed from the logs" in checked.out
    shares = json.loads(paid.out)
    assert shares["basis_points"] == {"Acme": 4950, "Shop": 100, "in dispute": 4950}
    assert sum(shares["basis_points"].values()) == 10_000
    mirrored_by = ("reconcile", "terms.json", "--as=Shop")
    mirrored = coop(*mirrored_by, "--ours=shop.jsonl", "--theirs=acme.csv", "--json")
    as_shop = coop(*mirrored_by, "--ours=shop.jsonl", "--theirs=acme.csv")
    assert "Acme (--theirs): 2 lines, 2 claimed, 2 count\nShop (--ours): 3 " in as_shop.out
    assert mirrored.out == coop(*RECONCILE, "--json").out
    assert json.loads(mirrored.out)["kinds"] == {"renamed id": 1, "reversed": 1}


def test_both_parties_sign_the_same_bytes(played: list[Any], coop: Coop, tmp_path: Path) -> None:
    ours = read_envelope((tmp_path / "verdict.json").read_bytes())
    shops = ("reconcile", "terms.json", "--as", "Shop", "--ours", "shop.jsonl")
    assert coop(*shops, "--theirs", "acme.csv", "--key", "Shop", "-o", "v.json").code == FAILED
    theirs = read_envelope((tmp_path / "v.json").read_bytes())
    assert ours.payload == theirs.payload
    assert ours.signatures.keys() != theirs.signatures.keys()


def test_the_order_of_the_parties_names_is_no_matter(
    played: list[Any], coop: Coop, tmp_path: Path
) -> None:
    terms = FILES["terms.yaml"].replace("[Acme, Shop]", "[Shop, Acme]")
    (tmp_path / "terms.yaml").write_text(terms, encoding="utf-8")
    asked = ("reconcile", "terms.yaml", "--ours", "shop.jsonl", "--theirs", "acme.csv")
    assert coop(*asked, "--key", "Shop", "-o", "verdict.json").code == FAILED
    assert coop("check", "verdict.json", "--key", "operator=Shop", *LOGS).code == 0


def test_a_verdict_that_does_not_follow_is_found(
    played: list[Any], coop: Coop, tmp_path: Path
) -> None:
    envelope = read_envelope((tmp_path / "verdict.json").read_bytes())

    def check(change: str, to: str, *more: str) -> Any:
        content = json.loads(envelope.payload.decode().replace(change, to))
        signed = sign_envelope(envelope.payload_type, content, [key_of("Acme")])
        (tmp_path / "other.json").write_bytes(as_bytes(signed))
        return coop("check", "other.json", *KEYS, *more)

    for change, to, wrong in (
        ('"due":"0.99"', '"due":"1.98"', "amounts: other: due"),
        ('"both":1', '"both":2', "counts"),
        ('"agreed":"0.99"', '"agreed":0.99', "amounts: other: agreed"),
        ('"price":"0.99"', '"price":"0.98"', "signature of Acme: not on the contract"),
        ('"lines":[3]', '"lines":[4]', "statement"),
        ('"verdict":"in dispute"', '"verdict":null', "amounts"),
        ('"differences"', '"differencez"', "statement"),
        ('"price"', '"prize"', "statement: the contract: there is no setting 'prize'"),
    ):
        found = check(change, to)
        assert (found.code, f"FAIL  {wrong}" in found.out) == (FAILED, True), found.out
    assert check("x", "x", *LOGS).code == 0
    assert "ok    logs: lines were not recounted without --log Acme=FILE" in check("x", "x").out
    (tmp_path / "acme.csv").write_text(FILES["acme.csv"].replace("Cem", "Dan"), encoding="utf-8")
    for logs in (LOGS, LOGS[:2]):
        found = check("x", "x", *logs)
        assert (found.code, "FAIL  log of Acme: another file" in found.out) == (FAILED, True)
    assert "ok    log of Shop: as told" in check("x", "x", *LOGS[2:]).out
    assert "FAIL  signature of Zoe" in check("x", "x", "--need", "Zoe").out
    assert "--log Acme: give PARTY=FILE" in one_line(check("x", "x", "--log", "Acme"), USAGE)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each value that holds no other."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def test_no_value_can_be_changed_by_who_signs_a_verdict(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    logs = {"Acme": tmp_path / "acme.csv", "Shop": tmp_path / "shop.jsonl"}
    contract, _ = read_terms(tmp_path / "terms.yaml")
    key, tried = PrivateKey.new(), 0
    sound = statement_of(contract, [], reconcile(contract, [*logs.values()]))

    def holds(statement: Any) -> bool:
        signed = as_bytes(sign_envelope(IN_TOTO, statement, [key]))
        found = check(signed, {"operator": key.public}, logs=logs)
        return all(finding.sound for finding in found)

    assert holds(sound)
    for path in leaves(sound):
        for new in (None, True, 1, 7, "x", []):
            changed = json.loads(canonical(sound))
            *way, last = path
            inner = reduce(getitem, way, changed)
            if canonical(inner[last]) != canonical(new):
                inner[last] = new
                tried += 1
                with suppress(ValueError):
                    assert not holds(changed), (path, new)
    assert tried > 300


def test_wrong_use_is_one_line_and_writes_nothing(
    played: list[Any], coop: Coop, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    for more, why in (
        (("--as", "Zoe"), "--as Zoe: the contract is between Acme and Shop"),
        (("-o", "x.json"), "give --key and --out together"),
        (("--key", "none", "-o", "x.json"), "has no key none"),
    ):
        assert why in one_line(coop(*RECONCILE, *more), USAGE)
    (tmp_path / "bad.csv").write_text("no mapping\n", encoding="utf-8")
    listed = one_line(coop("reconcile", "bad.csv", *RECONCILE[2:]), USAGE)
    assert "bad.csv: contains no outcome contract: give parties" in listed
    wrong = ("reconcile", "verdict.json", *RECONCILE[2:])
    assert "not an outcome contract" in one_line(coop(*wrong), USAGE)
    (tmp_path / "bad.csv").write_text("id\n", encoding="utf-8")
    asked = (*RECONCILE[:3], "bad.csv", *RECONCILE[4:], "--key", "Acme", "-o", "x.json")
    assert "bad.csv: line 1: the header has no column 'time'" in one_line(coop(*asked), USAGE)
    (tmp_path / "bad.csv").unlink()
    assert sorted(tmp_path.iterdir()) == before


def test_a_verdict_is_paid_by_a_bank_file_or_as_shares(
    played: list[Any], coop: Coop, tmp_path: Path
) -> None:
    pytest.importorskip("sepaxml", reason="payment files are in the extra sepa")
    ibans = {"Acme": "DE89370400440532013000", "Shop": "FR1420041010050500013M02606"}
    known = {who: {"name": who, "iban": iban} for who, iban in ibans.items()}
    (tmp_path / "iban.yaml").write_bytes(canonical(known))
    paid = coop("pay", "verdict.json", "--accounts", "iban.yaml", "-o", "pay.xml")
    assert (paid.code, paid.out) == (0, "pay.xml\n")
    written = (tmp_path / "pay.xml").read_text(encoding="utf-8")
    assert re.findall(r'<InstdAmt Ccy="EUR">(.*?)<', written) == ["0.99"]
    assert re.findall(r"<IBAN>(.*?)<", written) == [ibans["Shop"], ibans["Acme"]]
    assert "give either --accounts" in one_line(coop("pay", "verdict.json"), USAGE)
    terms = FILES["terms.yaml"].replace("guaranteed: 1", "guaranteed: 9")
    (tmp_path / "terms.json").write_text(terms.replace("cap: 2\n", ""), encoding="utf-8")
    (tmp_path / "terms.json").rename(tmp_path / "terms.yaml")
    for terms, who in (("terms.yaml", "Acme"), ("terms.json", "Shop")):
        assert coop("contract", "sign", terms, "--key", who, "-o", "terms.json").code == 0
    reconciled = (*RECONCILE, "--key", "Acme", "-o", "less.json")
    owed = "Acme owes Shop 1.52 EUR; 1.49 EUR stays open"
    told = coop(*reconciled)
    assert (told.code, f"in dispute: {owed}\n" in told.out) == (FAILED, True)
    refused = one_line(coop("pay", "less.json", "--basis-points"), USAGE)
    assert f"less.json: {owed}: no share can be below 0: give --accounts" in refused
    assert coop("pay", "less.json", "--accounts", "iban.yaml", "-o", "less.xml").code == 0
    assert '<InstdAmt Ccy="EUR">1.52<' in (tmp_path / "less.xml").read_text(encoding="utf-8")


def test_only_distinct_keys_of_both_parties_sign_a_contract(
    played: list[Any], coop: Coop, tmp_path: Path
) -> None:
    def signed(*keys: str) -> Any:
        (tmp_path / "c.json").unlink(missing_ok=True)
        for key in keys:
            terms = "c.json" if (tmp_path / "c.json").exists() else "terms.yaml"
            last = coop("contract", "sign", terms, "--key", key, "-o", "c.json")
        return last.err

    for name in ("eve", "zoe"):
        assert coop("keys", "new", name).code == 0
    assert "signed by 2 of 2: Acme and Shop" in signed("Shop", "Acme")
    assert "signed by 1 of 2: Shop has not signed" in signed("Acme")
    strangers = "signed by 0 of 2: Acme and Shop have not signed with a key known here; "
    assert f"{strangers}other signatures: eve, zoe" in signed("eve", "zoe")
    keys = home().folder / "keys"
    for party in ("Acme", "Shop"):  # one key under both names
        (keys / f"{party}.pem").write_bytes((keys / "eve.pem").read_bytes())
    assert "signed by 1 of 2: Shop has not signed with" in signed("eve", "zoe")


def test_no_verdict_is_paid_whose_contract_a_party_has_not_signed(
    played: list[Any], coop: Coop, tmp_path: Path
) -> None:
    assert coop("keys", "new", "op").code == 0
    pay = ("pay", "v.json", "--basis-points")
    for terms, told in (
        (
            "terms.yaml",
            "signed by 0 of 2: Acme and Shop have not signed: sign it with coop contract sign",
        ),
        ("half.json", "signed by 1 of 2: Acme has not signed: sign it with coop contract sign"),
    ):
        assert coop("contract", "sign", "terms.yaml", "--key=Shop", "-o", "half.json").code == 0
        asked = ("reconcile", terms, *RECONCILE[2:])
        reconciled = coop(*asked, "--key", "op", "-o", "v.json")
        assert f"contract: {told.partition(': sign it')[0]}\n" in reconciled.out
        assert told in one_line(coop(*pay), USAGE)
    assert coop(*asked, "--json").out.count('"missing"') == 1
    assert coop("contract", "sign", "half.json", "--key", "Acme", "-o", "terms.json").code == 0
    assert coop(*RECONCILE, "--key", "op", "-o", "v.json").code == FAILED
    assert coop(*pay).code == 0
    public = coop("keys", "show", "Acme").out
    (home().folder / "keys" / "Acme.pem").unlink()
    refused = one_line(coop(*pay), USAGE)
    assert "Acme has not signed with a key known here" in refused
    assert ": give --key Acme=FILE.pem, or sign it with coop contract sign and" in refused
    (tmp_path / "Acme.pub.pem").write_text(public, encoding="utf-8")
    assert coop(*pay, "--key", "Acme=Acme.pub.pem").code == 0
    wrong = one_line(coop(*pay, "--key", "Acme=op"), USAGE)
    assert "signature of Acme: not on the contract" in wrong

"""Parties sign what they accept: at a seat of this home, or elsewhere, in the answer itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.proof.acceptance import (
    binding,
    element,
    is_signed,
    sign_binding,
    signature_in,
    without_signature,
)
from shapley_coop.extensions.proof.home_keys import key_names, key_of, new_key
from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey, read_public
from shapley_coop.extensions.proof.signatures import wrongly_signed
from shapley_coop.extensions.proof.signed_settings import signed_run
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from tests.root import ROOT
from tests.scripted import Script

OFFER = '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}</PROPOSAL>'


async def negotiated(**config: Any) -> Table:
    given = {"game": "escape_room", "rounds": 1, **config}
    outcome = await play("negotiation", RunConfig.model_validate(given))
    return await table_of(home().runs.get(outcome["run"]))


def signed_acceptance(key: PrivateKey, **other: Any) -> Any:
    """What a party says that signs what its letter showed, or something else."""

    def answer(facts: dict[str, Any]) -> str:
        shown = {**facts["to_sign"], **other}
        return f"<ACCEPT>{element(sign_binding(key, shown))}"  # type: ignore[arg-type]

    return answer


def bound(table: Table, agent: str) -> dict[str, Any]:
    offer = next(said for said in table["talk"] if "puts" in said)
    signatures = table["contract"]["signatures"] if table["contract"] else {}
    return dict(
        binding(
            agent=agent,
            **signed_run(table)._asdict(),
            topic="plan",
            turn=1,
            revision=offer["puts"],
            accepts=signatures[agent]["hash"],
        )
    )


async def test_a_party_elsewhere_signs_what_its_letter_showed(script: Script) -> None:
    bob = PrivateKey.new("ES256")
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = signed_acceptance(bob)
    table = await negotiated(keys={"Bob": bob.public.pem}, require_signed=True)
    [said] = [said for said in table["talk"] if said["act"] == "accept"]
    assert is_signed(bob.public, bound(table, "Bob"), said["more"]["proof"])
    assert bob.public.pem in json.dumps(table["settings"]).replace("\\n", "\n")
    assert "PRIVATE" not in json.dumps(table)


@pytest.mark.parametrize(
    "other",
    [
        {"episode": "another"},
        {"settings": "0" * 64},
        {"revision": 2},
        {"accepts": "0" * 64},
        {"agent": "Alice"},
    ],
    ids=lambda other: next(iter(other)),
)
async def test_a_signature_of_anything_else_is_sent_back_whatever_is_required(
    script: Script, other: dict[str, Any]
) -> None:
    bob = PrivateKey.new()
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = signed_acceptance(bob, **other)
    table = await negotiated(keys={"Bob": bob.public.pem})
    assert table["contract"] is None
    [said] = [said for said in table["talk"] if said["by"] == "Bob"]
    assert (said["act"], said["label"]) == ("pass", "SIGN")


async def test_a_signature_by_another_key_is_sent_back(script: Script) -> None:
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = signed_acceptance(PrivateKey.new())
    table = await negotiated(keys={"Bob": PrivateKey.new().public.pem})
    assert table["contract"] is None


@pytest.mark.parametrize("required", [True, False])
async def test_an_unsigned_acceptance_of_a_party_with_a_key_counts_unless_it_is_required(
    script: Script, required: bool
) -> None:
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = "<ACCEPT>"
    public = PrivateKey.new().public.pem
    table = await negotiated(keys={"Bob": public}, require_signed=required)
    assert (table["contract"] is None) == required
    refused = table["spent"]["negotiation"]["agents"]["Bob"]["refused"]
    assert refused == (3 if required else 0)


async def test_a_party_without_a_key_need_not_sign(script: Script) -> None:
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = "<ACCEPT>"
    new_key("alice")
    table = await negotiated(keys={"Alice": "alice"}, require_signed=True)
    assert table["contract"] is not None
    proposal = next(said for said in table["talk"] if "puts" in said)
    assert is_signed(key_of("alice").public, bound(table, "Alice"), proposal["more"]["proof"])


async def test_a_proposal_is_sent_back_with_what_it_reads_as_and_signed_then(
    script: Script,
) -> None:
    alice = PrivateKey.new()

    def sign(facts: dict[str, Any]) -> str:
        told = facts["fault"]["feedback"]
        shown = json.loads(told[told.index("{") : told.index("}") + 1])
        return f"{OFFER}{element(sign_binding(alice, shown))}"

    script["Alice", "propose"] = [OFFER, sign]
    script["Bob", "answer"] = "<ACCEPT>"
    table = await negotiated(keys={"Alice": alice.public.pem}, require_signed=True)
    proposal = next(said for said in table["talk"] if "puts" in said)
    assert is_signed(alice.public, bound(table, "Alice"), proposal["more"]["proof"])


def test_a_key_is_its_owners_alone_and_is_never_replaced() -> None:
    made = new_key("bob")
    path = home().folder / "keys" / "bob.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ValueError, match="a key 'bob' exists"):
        new_key("bob", "ES256")
    assert (key_of("bob").public, key_names()) == (made, ["bob"])
    assert "PRIVATE" not in repr(key_of("bob"))


@pytest.mark.parametrize("name", ["", "../bob", "a/b", ".hidden", "b" * 65, "a b"])
def test_what_is_no_name_of_a_key_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a key"):
        new_key(name)


@pytest.mark.parametrize("pem", ["", "no key", "-----BEGIN PUBLIC KEY-----\nAA==\n", "RSA", "P384"])
def test_what_is_no_public_key_of_a_known_kind_is_refused(pem: str) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    made: dict[str, Any] = {
        "RSA": lambda: rsa.generate_private_key(65537, 2048),
        "P384": lambda: ec.generate_private_key(ec.SECP384R1()),
    }
    if pem in made:
        public = made[pem]().public_key()
        pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    with pytest.raises(ValueError, match="give an Ed25519 key"):
        read_public(pem)
    with pytest.raises(ValueError, match="private key"):
        read_public(PrivateKey.new().pem())


def encoded(y: int, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def test_a_key_with_which_anybody_can_sign_is_refused_in_every_form(tmp_path: Path) -> None:
    """OpenSSL takes these keys, and one signature for every message."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    prime = 2**255 - 19
    eighth = int("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
    ys = [0, 1, prime - 1, eighth, prime - eighth, prime, prime + 1]
    for raw in (encoded(y, sign) for y in ys for sign in (0, 1)):
        weak = Ed25519PublicKey.from_public_bytes(raw)
        pem = weak.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        for read in (read_public, lambda pem: PublicKey(pem).keyid):
            with pytest.raises(ValueError, match="signatures can be forged"):
                read(pem)
    one = Ed25519PublicKey.from_public_bytes(encoded(1))
    for message in (b"I pay", b"I do not pay"):
        one.verify(encoded(1) + bytes(32), message)  # what the refusal is for


def test_es256_has_two_signatures_for_each_and_names_nothing_by_them() -> None:
    """ECDSA's standard takes both; docs/verify.md says so."""
    from cryptography.hazmat.primitives.asymmetric import utils

    key = PrivateKey.new("ES256")
    r, s = utils.decode_dss_signature(key.sign(b"m"))
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    twin = utils.encode_dss_signature(r, order - s)
    assert key.public.verifies(b"m", twin)
    assert not key.public.verifies(b"m", twin + b"\0")
    told = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
    assert "ECDSA" in told


def test_an_answer_carries_one_signature_beside_what_it_says() -> None:
    signature = sign_binding(
        PrivateKey.new(),
        binding(
            agent="Bob",
            episode="e",
            settings="5f",
            topic="plan",
            turn=1,
            revision=1,
            accepts="0" * 64,
        ),
    )
    text = f"ACCEPT {element(signature)}"
    assert signature_in(text) == signature
    assert without_signature(text).strip() == "ACCEPT"
    assert signature_in(text * 2) is None
    assert signature_in("<SIGNATURE>me</SIGNATURE>") is None


def test_without_the_library_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(ValueError, match=r'pip install "shapley-coop\[keys\]"'):
        PrivateKey.new()
    assert PublicKey("").pem == ""


async def test_verify_finds_a_signature_that_was_exchanged_in_the_talk(script: Script) -> None:
    bob = PrivateKey.new()
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = signed_acceptance(bob)
    table = await negotiated(keys={"Bob": bob.public.pem}, require_signed=True)
    keys = {"Bob": bob.public}
    assert wrongly_signed(table, keys, required=True) == []
    [said] = [said for said in table["talk"] if said["act"] == "accept"]
    other = sign_binding(PrivateKey.new(), bound(table, "Bob"))  # type: ignore[arg-type]
    said["more"]["proof"] = {**other, "keyid": bob.public.keyid}
    assert wrongly_signed(table, keys, required=False)
    del said["more"]
    assert wrongly_signed(table, keys, required=True)
    assert wrongly_signed(table, keys, required=False) == []

"""Others verify our signatures with their own tools, by the lines of `docs/verify.md`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from extensions.proof.tests.signed_play import Play, signed_play
from shapley_coop.extensions.proof.envelope import read_envelope
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.parties import OPERATOR
from tests.root import ROOT

DOCS = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")


def lines(tool: str) -> str:
    """The block of the docs that is marked for a tool."""
    found = re.search(rf"^```\w+ {tool}\n(.*?)^```$", DOCS, re.MULTILINE | re.DOTALL)
    assert found, tool
    return found[1]


def needs(*tools: str) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


@pytest.fixture(scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> Play:
    with pytest.MonkeyPatch.context() as patch:
        return await signed_play(tmp_path_factory.mktemp("home"), patch)


@pytest.fixture
def folder(played: Play, tmp_path: Path) -> Path:
    """What somebody was sent: the export and the operator's public key."""
    (tmp_path / "deal.dsse.json").write_bytes(played.signed(played.statement()))
    (tmp_path / "operator.pub.pem").write_text(played.keys[OPERATOR].pem)
    return tmp_path


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@needs("openssl", "bash")
def test_openssl_verifies_an_export_by_the_lines_of_the_docs(folder: Path) -> None:
    done = ran(folder, "bash", "-euc", lines("openssl"))
    assert (done.returncode, done.stdout.strip()) == (0, "Signature Verified Successfully")
    other = PrivateKey.new().public
    (folder / "operator.pub.pem").write_text(other.pem)
    assert ran(folder, "bash", "-euc", lines("openssl")).returncode != 0


@needs("openssl", "bash")
def test_openssl_verifies_es256_and_computes_the_same_key_id(folder: Path, played: Play) -> None:
    key = played.signers["Bob"]
    assert key.public.algorithm == "ES256"
    envelope = read_envelope((folder / "deal.dsse.json").read_bytes())
    (folder / "pae").write_bytes(envelope.message)
    (folder / "sig").write_bytes(key.sign(envelope.message))
    (folder / "operator.pub.pem").write_text(key.public.pem)
    [line] = re.findall(r"`(openssl dgst -sha256 -verify [^`]*)`", DOCS)
    assert ran(folder, "bash", "-euc", line).stdout.strip() == "Verified OK"
    [line] = re.findall(r"^openssl pkey .*$", DOCS, re.MULTILINE)
    assert ran(folder, "bash", "-euc", line).stdout.strip().endswith(key.public.keyid)


@needs("node")
def test_node_verifies_the_export_and_every_acceptance_in_it(folder: Path) -> None:
    (folder / "verify.js").write_text((ROOT / "docs" / "verify.js").read_text("utf-8"))
    done = ran(folder, "node", "verify.js")
    assert done.stdout.splitlines() == ["operator true", "Alice true", "Bob true"], done.stderr
    export = (folder / "deal.dsse.json").read_text()
    envelope = read_envelope(export.encode())
    [sig] = [one["sig"] for one in envelope.record()["signatures"]]
    forged = f"{'B' if sig[0] == 'A' else 'A'}{sig[1:]}"
    (folder / "deal.dsse.json").write_text(export.replace(sig, forged))
    assert ran(folder, "node", "verify.js").stdout.splitlines()[0] == "operator false"


def test_securesystemslib_verifies_three_signatures_of_two_kinds(played: Play) -> None:
    dsse = pytest.importorskip("securesystemslib.dsse", reason="securesystemslib is not installed")
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    from shapley_coop.extensions.proof.statement import envelope_signed

    signed = envelope_signed(played.statement(), played.signers.values())
    keys = [
        SSlibKey.from_crypto(load_pem_public_key(key.pem.encode()), keyid=key.keyid)
        for key in played.keys.values()
    ]
    theirs = dsse.Envelope.from_dict(signed.record())
    assert set(theirs.verify(keys, 3)) == {key.keyid for key in played.keys.values()}
    theirs.payload = theirs.payload.replace(b"4500000", b"4500001")
    with pytest.raises(VerificationError, match="Found: 0, Expected 1"):
        theirs.verify(keys, 1)

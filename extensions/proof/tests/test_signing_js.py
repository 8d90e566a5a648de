"""The module of the seat's page signs as the record has it, with a key that stays in the browser.

node has the browser's WebCrypto; the browser's database is a map here.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.canonical import canonical
from shapley_coop.extensions.page.assets import FILES
from shapley_coop.extensions.proof.acceptance import binding, is_signed
from shapley_coop.extensions.proof.keys import Algorithm, PrivateKey

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

DATABASE = """
const kept = new Map();
const asked = (result) => {
  const request = { result };
  queueMicrotask(() => request.onsuccess?.());
  return request;
};
const store = {
  put: (value, key) => (kept.set(key, value), asked(key)),
  get: (key) => asked(kept.get(key)),
};
const transaction = () => ({ objectStore: () => store });
const database = { close() {}, createObjectStore() {}, transaction };
globalThis.indexedDB = { open: () => asked(database) };
"""

PROGRAM = """
import { readFileSync } from "node:fs";
const { canonical, ownKey, signatureOf, useKey } = await import("./signing.js");
const given = JSON.parse(readFileSync("given.json", "utf8"));
const before = await signatureOf(given.bound);
const { key, keyid } = await useKey(given.pem);
const mine = await ownKey();
const signatures = [];
for (let n = 0; n < given.times; n += 1) signatures.push(await signatureOf(given.bound));
const taken = await crypto.subtle.exportKey("pkcs8", mine.key).then(() => true, () => false);
const refused = await useKey("no key").then(() => false, () => true);
const told = { before, keyid, signatures, taken, refused, canonical: canonical(given.bound) };
console.log(JSON.stringify(told));
"""


def signed_in_node(folder: Path, key: PrivateKey, bound: Any, times: int) -> dict[str, Any]:
    (folder / "package.json").write_text('{"type": "module"}')
    for name in ("signing.js", "dom.js"):
        (folder / name).write_text(FILES[name])
    (folder / "main.mjs").write_text(DATABASE + PROGRAM)
    given = {"pem": key.pem(), "bound": bound, "times": times}
    (folder / "given.json").write_text(json.dumps(given))
    done = subprocess.run(
        ["node", "--no-warnings", "main.mjs"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("algorithm", ["Ed25519", "ES256"])
def test_the_page_signs_what_the_letter_showed(algorithm: Algorithm, tmp_path: Path) -> None:
    key = PrivateKey.new(algorithm)
    bound = binding(
        agent='Zoë "of" 𝔸',
        episode="e1",
        settings="5f" * 32,
        topic="plan",
        turn=3,
        revision=2,
        accepts="8a" * 32,
    )
    # Numbers of ECDSA are of 31 to 33 bytes as DER: many signatures have each of these.
    found = signed_in_node(tmp_path, key, bound, times=200 if algorithm == "ES256" else 2)
    assert found["keyid"] == key.public.keyid
    assert found["canonical"].encode() == canonical(bound)
    assert all(is_signed(key.public, bound, one) for one in found["signatures"])
    for other in ({"revision": 3}, {"settings": "60" * 32}):
        assert not is_signed(key.public, {**bound, **other}, found["signatures"][0])
    assert found["before"] is None
    assert not found["taken"], "the key can be read out of the browser"
    assert found["refused"]

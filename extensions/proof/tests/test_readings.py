"""Three checkers agree on exports and on lies: ours, the page's, and one written from the docs.

`COOP_TEST_EXPORTS=1000 COOP_TEST_LIES=12000` sets the counts of the slow tests of exports and of
lies that the operator signed. The slow test of files changed without a key has 10,000.
"""

import base64
import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from extensions.proof.tests.forgeries import FORGERIES, forge
from extensions.proof.tests.lies import OWN_WORD, Lie, byte_lie, field_lie
from extensions.proof.tests.random_exports import Export, random_export
from extensions.proof.tests.signed_play import GIFT, signed_play
from extensions.proof.tests.third_reading import check as read_again
from shapley_coop.extensions.proof.check_page import MODULES, program
from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey, read_public
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.extensions.proof.statement import envelope_signed, statement_of
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.chance import dice

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

SIGNER = PrivateKey.new()
NODE = Path(__file__).with_name("check_files.mjs")
COUNTS = [
    (10, 60),
    pytest.param(
        int(os.environ.get("COOP_TEST_EXPORTS", "60")),
        int(os.environ.get("COOP_TEST_LIES", "600")),
        marks=pytest.mark.slow,
    ),
]


class File(NamedTuple):
    content: bytes
    keys: Mapping[str, PublicKey]


def by_page(folder: Path, files: Iterable[File]) -> list[dict[str, Any]]:
    """What the page's own modules say of each file, in one process of node."""
    modules = [name for name in MODULES if name != "page"]
    (folder / "check.mjs").write_text(program(*modules) + "\nexport { check };\n")
    listed = []
    for number, file in enumerate(files):
        path = folder / f"{number}.json"
        path.write_bytes(file.content)
        keys = {name: key.pem for name, key in file.keys.items()}
        listed.append({"file": str(path), "keys": keys})
    (folder / "list.json").write_text(json.dumps(listed))
    done = subprocess.run(
        ["node", "--no-warnings", NODE, folder / "check.mjs", folder / "list.json"],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_us(file: File) -> list[str]:
    """What our own checker finds wrong."""
    try:
        return [f"{one.what}: {one.found}" for one in check(*file) if not one.sound]
    except ValueError as error:
        return [str(error)]


def by_docs(file: File) -> str:
    """Why the reading of the docs refuses a file, or ""."""
    try:
        read_again(file.content, {name: key.pem for name, key in file.keys.items()})
    except Exception as error:  # it refuses by whatever error comes first
        return repr(error)
    return ""


@pytest.mark.parametrize(("exports", "lies"), COUNTS)
def test_three_readings_agree_on_every_export(exports: int, lies: int, tmp_path: Path) -> None:
    made = [random_export(dice(f"export {n}")) for n in range(exports)]
    files = [File(one.content, one.keys) for one in made]
    assert [(n, why) for n, file in enumerate(files) if (why := by_us(file))] == []
    assert [(n, why) for n, file in enumerate(files) if (why := by_docs(file))] == []
    for one, told in zip(made, by_page(tmp_path, files), strict=True):
        named = "table" in one.statement["predicate"]
        assert (told["verdict"], len(told["findings"])) == (
            ("partly", 1) if named else ("sound", 0)
        ), told


@pytest.mark.parametrize(("exports", "lies"), COUNTS)
def test_three_readings_refuse_every_lie(exports: int, lies: int, tmp_path: Path) -> None:
    told, files = _lies(exports, lies)
    page = by_page(tmp_path, files)
    believed: Counter[str] = Counter()
    for lie, file, shown in zip(told, files, page, strict=True):
        refused = bool(by_us(file))
        if lie.of_name:  # only we know what names mean
            assert refused, lie.path
            continue
        assert bool(by_docs(file)) == refused, (lie.path, by_us(file), by_docs(file))
        assert (shown["verdict"] == "refused") == refused, (lie.path, by_us(file), shown)
        if not refused:  # it changes no number, and nobody but the operator stated it
            assert OWN_WORD & {*lie.path.split(".")} or not lie.signed, lie.path
            believed[".".join(part for part in lie.path.split(".") if not part.isdigit())] += 1
    of_names = sum(lie.of_name for lie in told)
    refused_by_all = len(files) - of_names - sum(believed.values())
    print(f"{refused_by_all} refused by all, {of_names} of names; the rest states: {believed}")


@pytest.mark.parametrize("count", [120, pytest.param(10_000, marks=pytest.mark.slow)])
def test_three_readings_refuse_every_file_changed_without_a_key(count: int, tmp_path: Path) -> None:
    exports = [random_export(dice(f"export {n}")) for n in range(40)]
    kinds = [kind for _, kind in zip(range(count), cycle(FORGERIES), strict=False)]
    signed = [File(one.content, one.keys) for one in exports]
    files = []
    for number, kind in enumerate(kinds):
        file, other = dice(f"of {number}").sample(signed, 2)
        content = forge(dice(f"forgery {number}"), kind, file.content, other.content)
        files.append(File(content, file.keys))
    told = by_page(tmp_path, files)
    for number, (kind, file, shown) in enumerate(zip(kinds, files, told, strict=True)):
        refused = (bool(by_us(file)), bool(by_docs(file)), shown["verdict"] == "refused")
        assert refused == (True, True, True), (number, kind, by_us(file), by_docs(file), shown)
    print(f"{len(files)} refused by all: {dict(Counter(kinds))}")


def test_a_table_beside_a_game_that_is_written_out_is_refused(tmp_path: Path) -> None:
    """The parties signed the game in the settings; a table put beside it would replace it."""
    drawn = (random_export(dice(f"two tables {n}")) for n in range(40))
    export = next(one for one in drawn if isinstance(_settings(one)["game"], dict))
    statement = json.loads(json.dumps(export.statement))
    told = _settings(export)
    statement["predicate"]["table"] = {**told["game"], **told["params"]}
    file = File(as_bytes(envelope_signed(statement, [export.operator])), export.keys)
    (page,) = by_page(tmp_path, [file])
    assert (bool(by_us(file)), bool(by_docs(file)), page["verdict"]) == (True, True, "refused")


def _settings(export: Export) -> dict[str, Any]:
    return dict(export.statement["predicate"]["settings"])


def _lies(exports: int, lies: int) -> tuple[list[Lie], list[File]]:
    told, files = [], []
    for number in range(exports):
        export = random_export(dice(f"export {number}"))
        for k in range(lies // exports):
            lie = (byte_lie if k % 2 else field_lie)(dice(f"lie {number} {k}"), export)
            told.append(lie)
            files.append(File(lie.content, export.keys))
    return told, files


LOST = {
    "game": "prisoners_dilemma",
    "params": {"rounds": 6},
    "renegotiate": "every 2",
    "seats": {"*": "embedded:sloppy"},
    "seed": 2,
}
"""A play with renegotiations and breaches."""


async def raid_played() -> File:
    """A play whose rules are in no file, signed by the operator alone."""
    config = RunConfig.model_validate({"game": "raid_battle", "seed": 1})
    outcome = await play("llm_only", config)
    table = await table_of(home().runs.get(outcome["run"]))
    statement = statement_of(table, "llm_only", "2026-11-22T12:00:00+00:00")
    return File(as_bytes(envelope_signed(statement, [SIGNER])), {OPERATOR: SIGNER.public})


async def test_the_page_reads_runs_that_were_played(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        plays = [
            await signed_play(tmp_path / "gifts", patch, GIFT),
            await signed_play(tmp_path / "lost", patch, **LOST),
        ]
        files = [File(one.signed(one.statement(talk=True)), one.keys) for one in plays]
        files.append(await raid_played())
    assert [by_us(file) for file in files] == [[], [], []]
    assert [by_docs(file) for file in files[:2]] == ["", ""]
    gifts, lost, raid = by_page(tmp_path, files)
    assert (gifts["verdict"], lost["verdict"]) == ("sound", "sound")
    assert raid["verdict"] == "partly"
    assert {one["what"] for one in raid["findings"]} == {"play", "worths of coalitions"}


def test_a_key_of_small_order_is_refused_by_the_page_too(tmp_path: Path) -> None:
    """Under such a key one signature fits every message."""
    der = bytes.fromhex("302a300506032b6570032100") + bytes([1]) + bytes(31)
    body = base64.b64encode(der).decode()
    pem = f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"
    with pytest.raises(ValueError, match="small order"):
        read_public(pem)
    export = random_export(dice("a weak key"))
    [told] = by_page(tmp_path, [File(export.content, {OPERATOR: PublicKey(pem)})])
    assert "small order" in told["findings"][0]["found"]

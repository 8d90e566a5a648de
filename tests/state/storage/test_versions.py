"""What another version kept is refused in one line and left as it is; so is other wiring."""

import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from shapley_coop.state.storage.versions import BOOKS, CHECKPOINTS
from tests.books import change_value
from tests.brought import brought_by
from tests.coop_command import FAILED, USAGE, Coop, one_line
from tests.evals import swept

PLAY = ("run", "escape_room", "--graph", "llm_only", "--name")


def pragma(file: Path, value: int | None = None) -> int:
    """The schema version that a SQLite file says, changed first if a value is given."""
    with closing(sqlite3.connect(file)) as opened:
        if value is not None:
            opened.execute(f"PRAGMA user_version = {value}")
        return int(opened.execute("PRAGMA user_version").fetchone()[0])


def test_every_new_file_says_its_version(coop: Coop, tmp_path: Path) -> None:
    assert coop(*PLAY, "r").code == 0
    assert pragma(tmp_path / "home" / "books.sqlite") == BOOKS
    assert pragma(tmp_path / "home" / "checkpoints.sqlite") == CHECKPOINTS


def held(folder: Path) -> dict[str, bytes]:
    """What a folder holds, but for what SQLite makes beside a file to read it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(x): x.read_bytes() for x in files if x.suffix not in (".sqlite-wal", ".sqlite-shm")}


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *(("books", version) for version in (0, BOOKS - 1, 99)),
        *(("checkpoints", version) for version in (0, CHECKPOINTS - 1, 99)),
    ],
)
def test_a_home_of_another_version_is_refused_in_one_line_and_left_as_it_is(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, version: int
) -> None:
    assert coop(*PLAY, "r").code == 0
    copytree(tmp_path / "home", tmp_path / "other")  # which this process has not opened yet
    monkeypatch.setenv("COOP_HOME", str(tmp_path / "other"))
    file = tmp_path / "other" / f"{name}.sqlite"
    today = pragma(file)
    pragma(file, version)
    before = held(tmp_path / "other")
    commands = [("show", "r"), ("verify", "r")]
    if name == "books":
        commands += [(*PLAY, "other"), ("runs",), ("rm", "r"), ("letters", "r")]
    for command in commands:
        said = one_line(coop(*command), USAGE)
        named = f"version {version}" if version else "no version"
        assert f"has {named}, but this coop reads only version {today}" in said
        assert "name another home" in said
    assert held(tmp_path / "other") == before
    pragma(file, today)
    assert coop("verify", "r").code == 0


def test_a_run_is_played_on_by_the_wiring_that_it_began_with_alone(
    coop: Coop, tmp_path: Path
) -> None:
    assert coop(*PLAY, "ended").code == 0
    assert coop(*PLAY, "asks", "--model", "human").code == 0
    change_value("run", workflow="of old")
    said = one_line(coop("resume", "asks"), USAGE)
    assert "began with version of old of llm_only" in said
    every = coop("resume", "--all")
    assert every.code == FAILED
    assert "began with version of old" in every.err
    assert coop("resume", "ended").code == 0  # nothing of it is left to play


# Records and exports


@pytest.mark.parametrize("version", [None, 1])
@brought_by("page")
@brought_by("reports")
def test_a_sweep_of_another_version_is_refused_in_one_line_and_left_as_it_is(
    coop: Coop, tmp_path: Path, version: int | None
) -> None:
    (tmp_path / "s.yaml").write_text("name: s\nbase: {game: escape_room, graph: llm_only}\n")
    assert coop("sweep", "s.yaml", "-o", "swept").code == 0
    folder = tmp_path / "swept"
    swept.change(folder, "UPDATE sweeps SET version = ?", version)
    before = held(folder)
    for verb in ("sweep s.yaml -o", "status", "report", "export", "merge -o merged"):
        said = one_line(coop(*verb.split(), "swept"), USAGE)
        assert "swept has" in said
        assert "or sweep into a new folder" in said
    assert held(folder) == before
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"protocol": "coop/1"}, "has version coop/1, but this coop reads only version coop/2"),
        ({}, "has version urn:shapley-coop:settlement:v0, but this coop reads only version urn:"),
    ],
)
def test_an_export_of_another_version_or_hash_is_refused_in_one_line(
    coop: Coop, tmp_path: Path, change: dict[str, object], named: str
) -> None:
    statement = pytest.importorskip("shapley_coop.extensions.proof.statement")
    envelope = pytest.importorskip("shapley_coop.extensions.proof.envelope")
    home_keys = pytest.importorskip("shapley_coop.extensions.proof.home_keys")
    export = tmp_path / "e.json"
    assert coop("keys", "new", "operator").code == 0
    assert coop(*PLAY, "r").code == 0
    assert coop("prove", "r", "-o", str(export), "--key", "operator").code == 0
    assert coop("check", str(export), "--key", "operator=operator").code == 0
    told = json.loads(base64.b64decode(json.loads(export.read_bytes())["payload"]))
    told["predicate"] |= change
    if not change:
        told["predicateType"] = "urn:shapley-coop:settlement:v0"
    signed = statement.envelope_signed(told, [home_keys.key_of("operator")])
    export.write_bytes(envelope.as_bytes(signed))
    said = one_line(coop("check", str(export), "--key", "operator=operator"), USAGE)
    assert named in said
    assert "use the coop that wrote it" in said

"""What a home gives away to others on the machine, and to who takes its files."""

import json
import os
import sqlite3
import stat
import zlib
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from shapley_coop.seats.records import Answer, Entry, Mail
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.at_rest import KEY_VARIABLE, private_file, seal_bytes, unseal_bytes
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.storage.packing import unpack
from tests.coop_command import Coop, one_line

SECRET = "my reservation price is 4711"
ENTRY = Entry(
    agent="Ada",
    act="reason",
    model="test",
    letter="hash",
    letter_text=f"You are told: {SECRET}",
    attempt=1,
    answer=Answer(SECRET, False, 1, 1, 0.0),
    nonce="n",
    facts={"told": SECRET},
)


def modes(folder: Path) -> dict[str, int]:
    """The mode of a folder and of everything in it."""
    paths = [folder, *folder.rglob("*")]
    return {str(p.relative_to(folder)): stat.S_IMODE(p.stat().st_mode) for p in paths}


async def test_a_home_and_its_files_are_their_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shapley_coop.graphs.running import play

    before = os.umask(0o000)
    try:
        monkeypatch.setenv("COOP_HOME", str(tmp_path / "new" / "home"))
        await play("llm_only", RunConfig(game="escape_room"))
        found = modes(home().folder)
    finally:
        os.umask(before)
    assert "books.sqlite" in found
    assert "checkpoints.sqlite" in found
    folders = {name for name in found if (home().folder / name).is_dir()}
    assert {found[name] for name in folders} == {0o700}
    assert {mode for name, mode in found.items() if name not in folders} == {0o600}


def test_files_that_others_may_read_are_closed_and_its_folder_is_told_of(tmp_path: Path) -> None:
    from shapley_coop.cli.inspecting.doctor import checkup

    file = tmp_path / "books.sqlite"
    file.write_bytes(b"kept")
    file.chmod(0o644)
    private_file(file)
    assert (stat.S_IMODE(file.stat().st_mode), file.read_bytes()) == (0o600, b"kept")
    home().folder.mkdir(parents=True, exist_ok=True)
    home().folder.chmod(0o755)
    assert "others on this machine may look in" in str(checkup())
    home().folder.chmod(0o700)
    assert "others on this machine may look in" not in str(checkup())


def stored(folder: Path) -> bytes:
    """What the folder's files hold, and what the books do, unpacked as far as they can be."""
    files = b"".join(path.read_bytes() for path in folder.glob("*.sqlite*"))
    with closing(sqlite3.connect(folder / "books.sqlite")) as books:
        bodies = [body for (body,) in books.execute("SELECT body FROM facts WHERE kind = 'answer'")]
    assert bodies
    for body in bodies:
        with suppress(zlib.error):
            texts, told = unpack(body)
            files += json.dumps([texts, dict(told)]).encode()
    return files


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    made = Fernet.generate_key().decode()
    monkeypatch.setenv(KEY_VARIABLE, made)
    return made


def kept(folder: Path) -> Journal:
    journal = Journal(f"sqlite:///{folder / 'books.sqlite'}")
    journal.write("e1", ENTRY)
    journal.deliver("e1", Mail("Bob", "answer", "h", f"Bob: {SECRET}", 1, 0.0, {"told": SECRET}))
    return journal


def test_with_a_key_letters_and_answers_are_not_in_the_files(tmp_path: Path, key: str) -> None:
    journal = kept(tmp_path)
    assert journal.find("e1", "Ada", "hash", 1) == ENTRY
    assert list(journal.entries("e1")) == [ENTRY]
    mail = journal.mail("e1", "Bob")
    assert mail
    assert (mail.letter_text, mail.facts) == (f"Bob: {SECRET}", {"told": SECRET})
    assert b"4711" not in stored(tmp_path)
    assert journal.open_all("e1", {"Ada": ENTRY.pointer()})["Ada"] == replace(ENTRY, facts={})


def test_without_a_key_the_same_files_hold_the_words(tmp_path: Path) -> None:
    kept(tmp_path)
    assert b"4711" in stored(tmp_path), "the test above can fail"


def test_rows_from_before_the_key_and_by_an_older_key_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = kept(tmp_path)
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    monkeypatch.setenv(KEY_VARIABLE, old)
    second = replace(ENTRY, attempt=2)
    journal.write("e1", second)
    monkeypatch.setenv(KEY_VARIABLE, f"{new}, {old}")
    assert journal.find("e1", "Ada", "hash", 1) == ENTRY
    assert journal.find("e1", "Ada", "hash", 2) == second


def test_a_key_that_is_missing_wrong_or_none_is_told_in_one_line(
    tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = kept(tmp_path)
    for value, complaint in (
        ("", f"set {KEY_VARIABLE}"),
        (Fernet.generate_key().decode(), "lacks the key"),
        ("no key", "is not a key"),
    ):
        monkeypatch.setenv(KEY_VARIABLE, value)
        with pytest.raises(ValueError, match=complaint) as caught:
            journal.find("e1", "Ada", "hash", 1)
        assert "\n" not in str(caught.value)
        assert SECRET not in str(caught.value)


def test_what_was_changed_at_rest_is_refused(key: str) -> None:
    content = bytearray(seal_bytes(b"words"))
    content[-5] ^= 1
    with pytest.raises(ValueError, match="was changed"):
        unseal_bytes(bytes(content))
    assert unseal_bytes(seal_bytes(b"words")) == b"words"


def test_nothing_is_begun_whose_letters_could_not_be_kept(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "no key")
    line = one_line(coop("run", "escape_room"), code=2)
    assert f"{KEY_VARIABLE} is not a key" in line
    assert home().runs.list() == []

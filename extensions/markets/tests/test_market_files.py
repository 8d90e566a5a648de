"""A market file that a run was played with: an edited one is told from it, and its worths stay."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from shapley_coop import files, games, permissions
from shapley_coop.extensions.exchange.domain.tools import read_tools
from shapley_coop.games.params import GameError
from shapley_coop.state import evaluated, settings
from shapley_coop.state.home_files import digests
from shapley_coop.state.run_config import RunConfig
from tests.brought import brought_by
from tests.coop_command import FAILED, USAGE, Coop, Ended, coop_in, one_line

LAMP = "agents:\n  Sam: {holds: {lamp: 1}, worth: {lamp: 40}}\n  Bea: {worth: {lamp: 60}}\n"
PLAYED = ("run", "trade", "--set", "market=lamp.yaml", "--graph", "negotiation_priced")


@pytest.fixture
def coop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    (tmp_path / "lamp.yaml").write_text(LAMP)
    monkeypatch.setattr(permissions, "_permitted", set())
    told = coop_in(tmp_path, monkeypatch, capsys)

    def anew(*argv: str) -> Ended:
        """In a process that has built no game."""
        settings._game.cache_clear()
        evaluated._resolved.clear()
        return told(*argv)

    return anew


def test_an_edited_market_is_named_by_whatever_would_follow_from_it(
    coop: Coop, tmp_path: Path
) -> None:
    file = tmp_path / "lamp.yaml"
    assert coop(*PLAYED, "--name", "sold").code == 0
    assert "ok    market file: the one that was played with" in coop("verify", "sold").out
    file.write_text(LAMP.replace("40", "41"))
    for command in ("verify", "show", "resume"):
        told = one_line(coop(command, "sold"), USAGE)
        assert f"the market file {file} differs from the one with which this run was played" in told
        assert "41" not in told.replace(str(file), "")
    assert coop(*PLAYED, "--name", "dearer").code == 0, "it is a market all the same"
    file.write_text(LAMP)
    assert coop("verify", "sold").code == 0


def test_a_run_that_waits_does_not_go_on_by_an_edited_market(coop: Coop, tmp_path: Path) -> None:
    file = tmp_path / "lamp.yaml"
    assert coop(*PLAYED, "--agent", "Bea=human", "--name", "waits").code == 0
    file.write_text(LAMP.replace("40", "41"))
    assert f"the market file {file} differs from the one" in one_line(
        coop("resume", "waits"), USAGE
    )
    file.write_text(LAMP)
    assert "waits for Bea" in coop("resume", "waits").err


def test_who_has_not_the_file_is_told_what_it_cannot_check(coop: Coop, tmp_path: Path) -> None:
    pytest.importorskip("shapley_coop.extensions.proof")
    assert coop("keys", "new", "operator").code == 0
    (tmp_path / "operator.pem").write_text(coop("keys", "show", "operator").out)
    assert coop(*PLAYED, "--name", "sold").code == 0
    signed = ("-o", "sold.json", "--key", "operator", "--with-private")
    assert coop("prove", "sold", *signed).code == 0
    asked = ("--trust-programs", "check", "sold.json", "--key", "operator=operator.pem")
    assert coop(*asked).code == 0
    (tmp_path / "lamp.yaml").unlink()
    missing = (
        f"the market file {tmp_path / 'lamp.yaml'} is not on this machine: play, contributions"
    )
    assert missing in one_line(coop("verify", "sold"), USAGE)
    checked = coop(*asked)
    assert checked.code == FAILED
    assert "ok    envelope: signed by operator" in checked.out
    assert f"FAIL  statement: {missing}" in checked.out


def test_no_worth_can_be_found_from_a_digest_by_who_has_not_the_homes_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, found = tmp_path / "lamp.yaml", set()
    file.write_text(LAMP)
    for n in range(2):
        monkeypatch.setenv("COOP_HOME", str(tmp_path / f"home{n}"))
        found.add(digest := digests.digest_of(file))
        assert digests.is_other(file, digest) is False
        assert hashlib.sha256(file.read_bytes()).hexdigest() not in digest
        key = tmp_path / f"home{n}" / digests.KEY_FILE
        assert key.stat().st_mode & 0o077 == 0
        assert key.read_bytes().hex() not in json.dumps([*found])
    assert len(found) == 2
    other_home = min(found - {digest})
    assert digests.is_other(file, other_home) is None, "another home's key made it"


def forged(digests: dict[str, str], **given: object) -> dict[str, object]:
    """Settings as they stand on a table, with digests of one's own."""
    room = RunConfig.model_validate({"game": "escape_room"}).resolve()
    return {**room.model_dump(mode="json"), **given, "digests": digests}


def test_a_digest_has_nothing_opened_that_its_game_does_not_declare_as_a_file() -> None:
    for key, params in (("door", {"door": "/dev/zero"}), ("gone", {}), ("rounds", {"rounds": 3})):
        for read in (settings.game_of, lambda told: RunConfig.model_validate(told).resolve()):
            told = forged({key: "0:0"}, params=params)
            with pytest.raises(GameError, match=f"digests: '{key}' is not a parameter that names"):
                read(told)


@brought_by("company")
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(GameError, match="is not on this machine"):
            settings.game_of(forged({"market": "0:0"}, params={"market": str(path)}))
        for game, key in (("trade", "market"), ("task_exchange", "scenario")):
            with pytest.raises(GameError, match=r"no such|no scenario"):
                games.load(game, {key: str(path)})
        with pytest.raises(OSError, match=path.name):
            digests.digest_of(path)
        assert digests.is_other(path, "0:0") is None
    with pytest.raises(GameError, match="no such task file"):
        games.load("software_company", {"task": str(pipe)})
    with pytest.raises(GameError, match="no such tool catalogue"):
        read_tools(pipe)


def test_no_more_of_a_file_is_read_than_a_file_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lamp.yaml"
    file.write_text(LAMP)
    assert digests.digest_of(file)
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    with pytest.raises(files.TooLarge):
        digests.digest_of(file)
    with pytest.raises(GameError):
        RunConfig(game="trade", params={"market": str(file)}).resolve()

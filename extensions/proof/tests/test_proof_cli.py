"""`coop keys`, `mandate`, `export` and `check`, as people type them, and our own runs audited."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from shapley_coop.extensions.proof.check_route import check_routes
from tests.brought import brought_by
from tests.coop_command import FAILED, USAGE, Coop, one_line, valid
from tests.played_by_server import on_server


def public(coop: Coop, name: str, folder: Path) -> str:
    """Make a key; the file of its public part."""
    assert coop("keys", "new", name).code == 0
    file = folder / f"{name}.pub.pem"
    file.write_text(coop("keys", "show", name).out)
    return str(file)


def test_a_run_is_exported_checked_and_refused_in_words(coop: Coop, tmp_path: Path) -> None:
    operator, bob = public(coop, "operator", tmp_path), public(coop, "bob", tmp_path)
    known = {one["name"]: one["keyid"] for one in coop("keys", "list", "--json").result}
    assert coop("keys", "show", "bob", "--json").result["keyid"] == known["bob"]
    outcome = valid(
        coop(
            "run", "escape_room", "--key", "Bob=bob", "--require-signed", "--name", "r", "--json"
        ).result
    )
    signed = [e for e in outcome["events"] if e["kind"] == "said" and "more" in e]
    assert {e["more"]["proof"]["keyid"] for e in signed} == {known["bob"]}
    assert coop("verify", "r").code == 0
    assert coop("prove", "r", "-o", "deal.dsse.json", "--key", "operator").code == 0
    asked = ("check", "deal.dsse.json", "--key", f"operator={operator}")
    checked = coop(*asked, "--key", f"Bob={bob}", "--need", "Bob", "--json").result
    assert checked["sound"]
    assert "transfers" in {one["what"] for one in checked["checks"]}
    wrong = coop(*asked, "--key", f"Bob={operator}")
    assert wrong.code == FAILED
    assert "FAIL  signatures of Bob" in wrong.out
    assert coop(*asked, "--need", "Alice").code == FAILED
    twice = coop(*asked, "--key", f"Bob={bob}", "--key", f"Bob={operator}")
    assert "--key Bob is given twice: give one key" in one_line(twice, USAGE)
    export = (tmp_path / "deal.dsse.json").read_bytes()
    (tmp_path / "deal.dsse.json").write_bytes(export.replace(b"sig", b"sIg"))
    assert "not a signed envelope" in one_line(coop(*asked), USAGE)


def test_a_thread_that_the_server_played_is_exported_as_any_run(coop: Coop, tmp_path: Path) -> None:
    operator = public(coop, "operator", tmp_path)
    asyncio.run(on_server("thread"))
    assert coop("prove", "thread", "--key", "operator").code == 0
    assert coop("check", "thread.dsse.json", "--key", f"operator={operator}").code == 0


def test_what_is_missing_is_said_in_one_line(coop: Coop, tmp_path: Path) -> None:
    assert coop("run", "escape_room", "--graph", "llm_only", "--name", "r").code == 0
    assert "--key operator" in one_line(coop("prove", "r"), USAGE)
    assert "no key operator" in one_line(coop("prove", "r", "--key", "operator"), USAGE)
    assert "coop keys new bob" in one_line(coop("run", "escape_room", "--key", "Bob=bob"), USAGE)
    (tmp_path / "none.pem").write_text("no key")
    asked = coop("check", "r.json", "--key", "operator=none.pem")
    assert "r.json: cannot be read" in one_line(asked, USAGE)
    (tmp_path / "r.json").write_text("{}")
    asked = coop("check", "r.json", "--key", "operator=none.pem")
    assert "none.pem: it is not a public key" in one_line(asked, USAGE)
    public(coop, "operator", tmp_path)
    said = one_line(coop("check", "r.json", "--key", "operator=operator"), USAGE)
    assert "not a signed envelope" in said
    said = one_line(coop("keys", "new", "other", "--algorithm", "RSA"), USAGE)
    assert "Ed25519 or ES256" in said
    assert "no run 'sweep'" in one_line(coop("prove", "sweep", "--key", "operator"), USAGE)


@brought_by("exchange")
def test_a_game_that_tells_secrets_is_exported_only_on_request(coop: Coop, tmp_path: Path) -> None:
    operator = public(coop, "operator", tmp_path)
    graph = ("--graph", "task_exchange", "--name", "r")
    assert coop("run", "task_exchange", *graph).code == 0
    asked = ("prove", "r", "--key", "operator")
    assert "--with-private" in one_line(coop(*asked), USAGE)
    assert coop(*asked, "--with-private").code == 0
    checked = coop("check", "r.dsse.json", "--key", f"operator={operator}")
    assert checked.code == 0, checked.out


def test_a_mandate_is_signed_given_and_shown(coop: Coop, tmp_path: Path) -> None:
    operator, carol = public(coop, "operator", tmp_path), public(coop, "carol", tmp_path)
    limits = ("--never", "wait", "--expires", "2999-01-01T00:00:00Z")
    assert coop("mandate", "Bob", "--key", "carol", "-o", "bob.json", *limits).code == 0
    ran = coop("run", "escape_room", "--mandate", "Bob=bob.json", "--name", "r", "--json")
    assert ran.result["status"] == "agreed"
    assert coop("prove", "r", "--key", "operator", "--with-mandates").code == 0
    keys = ("--key", f"operator={operator}", "--key", f"principal.Bob={carol}")
    checked = coop("check", "r.dsse.json", *keys)
    assert checked.code == 0, checked.out
    assert "ok    mandate of Bob: kept" in checked.out
    bad = coop("mandate", "Bob", "--key", "carol", "-o", "b.json", "--expires", "tomorrow")
    assert "expires" in one_line(bad, USAGE)


def test_a_mandate_against_an_action_that_the_game_lacks_is_noted(coop: Coop) -> None:
    """It is no error, as a mandate may be meant for several games."""
    coop("keys", "new", "carol")
    limits = ("--never", "door", "--never", "dor", "--never", "fly")
    assert coop("mandate", "Bob", "--key", "carol", "-o", "bob.json", *limits).code == 0
    ran = coop("run", "escape_room", "--mandate", "Bob=bob.json", "--name", "r", "--json")
    assert ran.result["status"] == "agreed"
    assert ran.err.splitlines() == [
        "Bob may never do 'dor', which escape_room does not have: did you mean 'door'?",
        "Bob may never do 'fly', which escape_room does not have",
    ]


def test_our_own_runs_are_audited_from_what_json_prints(coop: Coop, tmp_path: Path) -> None:
    ran = coop("run", "escape_room", "--name", "r", "--json")
    shown = coop("show", "r", "--json")
    assert ran.result["record"] == shown.result["record"]
    (tmp_path / "r.json").write_text(shown.out)
    audited = coop("contract", "audit", "r.json", "r.json", "--game", "escape_room", "--json")
    stated = shown.result["audit"]
    assert audited.result["verdicts"] == stated["verdicts"]
    assert audited.result["payments"] == stated["payments"]


@pytest.mark.slow
def test_two_homes_in_two_processes_check_each_others_exports(tmp_path: Path) -> None:
    """Each plays with its own operator and a party whose private key only the other home has."""

    def coop_of(who: str, *argv: str) -> str:
        environment = {**os.environ, "COOP_HOME": str(tmp_path / who / "home")}
        done = subprocess.run(
            [sys.executable, "-m", "shapley_coop", *argv],
            cwd=tmp_path / who,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    homes = ("left", "right")
    for who in homes:
        (tmp_path / who).mkdir()
        coop_of(who, "keys", "new", "operator")
        (tmp_path / f"{who}.pem").write_text(coop_of(who, "keys", "show", "operator"))
        coop_of(who, "keys", "new", "alice", "--algorithm", "ES256")
        coop_of(who, "run", "escape_room", "--key", "Alice=alice", "--name", "r")
        coop_of(who, "prove", "r", "-o", "../" + who + ".dsse.json", "--key", "operator")
    for who, other in (homes, homes[::-1]):
        key = f"operator=../{other}.pem"
        found = json.loads(coop_of(who, "check", f"../{other}.dsse.json", "--key", key, "--json"))
        assert found["sound"]
        done = {one["what"] for one in found["checks"]}
        assert {"play", "contributions and values", "transfers", "payoffs"} <= done


def test_the_checking_page_is_written_and_served(coop: Coop, tmp_path: Path) -> None:
    assert coop("check", "--page", "check.html").code == 0
    written = (tmp_path / "check.html").read_text(encoding="utf-8")
    assert "ends in .html" in one_line(coop("check", "--page", "deal.dsse.json"), USAGE)
    assert "--page FILE.html" in one_line(coop("check"), USAGE)
    served = TestClient(Starlette(routes=check_routes())).get("/check")
    assert served.text == written
    policy = served.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy

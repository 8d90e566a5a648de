"""`coop` in the test's own process, for tests of what it says and how it ends."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from shapley_coop import cli
from shapley_coop.seats.endpoint import KEYS
from tests.root import ROOT

SCHEMA = json.loads((ROOT / "docs" / "run.schema.json").read_text(encoding="utf-8"))
ABLATION = ("llm_only", "negotiation", "short_term", "shapley_coop")
FAILED, USAGE, NO_CREDENTIALS = 1, 2, 3


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> Any:
        """What it printed, as one JSON value."""
        assert self.code == 0, self.err
        return json.loads(self.out)


Coop = Callable[..., Ended]


def coop_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    """`coop` in this process, in a folder, without any key."""
    monkeypatch.chdir(folder)
    for variable in KEYS.values():
        monkeypatch.delenv(variable, raising=False)

    def run(*argv: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["coop", *argv])
        capsys.readouterr()
        with pytest.raises(SystemExit) as leaving:
            cli.main()
        return Ended(int(leaving.value.code or 0), *capsys.readouterr())

    return run


def one_line(ended: Ended, code: int) -> str:
    """The complaint, which is one line; nothing is printed beside it."""
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("coop: ")
    assert ended.err.count("\n") == 1
    return ended.err


def valid(outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome, which is what `docs/run.schema.json` says and sums as it should.

    The commands put the record beside what `play` returns.
    """
    Draft202012Validator(SCHEMA).validate({"record": [], **outcome})
    if not any(moved["payee"] == "treasury" for moved in outcome["transfers"]):
        total = pytest.approx(sum(outcome["payoffs"].values()))
        credit = outcome["credit"]
        reached = credit["worth_of_all"] + sum((credit["alone"] or {}).values())
        assert sum(outcome["rewards"].values()) == total == pytest.approx(reached)
    return outcome

"""A bounty is paid once for its work, whoever answers, and whatever is killed or given again."""

from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from extensions.repository.tests.history_builder import Builder
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.ledger import WORLD
from tests.coop_command import USAGE, one_line
from tests.coop_command import Coop as Command
from tests.stub_openai import StubOpenAI
from tests.trials import MICRO, transfers_of
from tests.warm_coop import WRITES, Coop, Stop, warm_coop

SETTLE = ("settle-git", "repo", "--bounty", "500", "--currency", "EUR")
MODEL = (*SETTLE, "--for-payment", "--model", "openai:agreeing")
AGENTS = (*SETTLE, "--model", "embedded:rational")


def paid(kept: Home) -> list[float]:
    """What the bounty's giver has paid in each episode of the ledger."""
    return [
        sum(
            number * (amount if debit == WORLD else -amount if credit == WORLD else 0)
            for (_, _, _, _, debit, credit, amount, _), number in lines.items()
        )
        / MICRO
        for lines in transfers_of(kept).values()
    ]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a repository of two."""
    repo = Builder(tmp_path / "repo")
    repo.commit("Write", "Ada <ada@example.org>", a_dot_py="first = 1\nsecond = other\n")
    repo.commit("Add", "Dora <dora@example.org>", b_dot_py="third = entirely\n")
    return tmp_path


@pytest.fixture
def agreeing() -> Iterator[dict[str, str]]:
    """The variables of an endpoint whose model agrees to everything."""
    with StubOpenAI(lambda *_: "<ACCEPT>") as stub:
        yield {"OPENAI_BASE_URL": stub.base_url, "OPENAI_API_KEY": "sk-canary"}


@pytest.mark.slow
@pytest.mark.parametrize("command", [MODEL, AGENTS], ids=["model", "agents"])
def test_killed_at_any_write_given_again_and_resumed_it_is_paid_once(
    command: tuple[str, ...], work: Path, agreeing: dict[str, str]
) -> None:
    check_paid_once(command, work, agreeing)


def check_paid_once(command: tuple[str, ...], work: Path, agreeing: dict[str, str]) -> None:
    """Kill a command at each of its writes, give it again and resume it: it pays once."""
    kills = Counter[bool]()
    for write in count(1):
        kept = Home(work / f"home-{write}")
        coop = Coop(warm_coop(kept).warm, kept, work, {**agreeing, "COOP_DEBUG": ""})
        stopped = coop.run(*command, stop=Stop(write=write, before=bool(write % 2), at=WRITES))
        if not stopped.killed:
            break
        kills[bool(paid(kept))] += 1
        assert coop.run(*command).code == 0
        assert coop.run("resume", "--all").code == 0
        again = coop.run(*command)
        assert "has paid this already" in again.out + again.err
        assert paid(kept) == [500], f"killed at write {write}"
        assert len(kept.runs.list()) == 1
    assert all(kills[was_paid] for was_paid in (False, True)), "killed before and after it paid"


def test_the_same_work_is_not_paid_again_on_other_terms(
    coop: Command, work: Path, agreeing: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_variables(monkeypatch, agreeing)
    run = coop(*MODEL, "--json").result["run"]
    assert f"{run} has paid this already" in coop(*MODEL, "--json").err
    for terms in (("--agent", "Ada=openai:other"), ("--deadline", "9"), ("--model", "human")):
        refused = one_line(coop(*MODEL, *terms), USAGE)
        assert f"{run} has paid 500 EUR for this work, on other terms" in refused
    assert paid(home()) == [500]
    # Another amount, and more work, are something else to pay for.
    assert coop(*MODEL, "--bounty", "100").code == 0
    Builder(work / "repo").commit("More", "Ada <ada@example.org>")
    assert coop(*MODEL).code == 0
    assert sorted(paid(home())) == [100, 500, 500]


def test_the_same_commits_are_not_paid_again_however_their_range_is_written(
    coop: Command, work: Path, agreeing: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_variables(monkeypatch, agreeing)
    repo = Builder(work / "repo")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.git("reset", "-q", "--hard")
    repo.commit("Elsewhere", "Eve <eve@example.org>")
    repo.git("checkout", "-q", "main")
    run = coop(*MODEL, "--json").result["run"]
    refused = one_line(coop(*MODEL, "--range", "other..main"), USAGE)
    assert f"{run} has paid 500 EUR for this work" in refused
    assert paid(home()) == [500]


def test_what_was_paid_stays_paid_when_its_run_is_removed(
    coop: Command, work: Path, agreeing: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_variables(monkeypatch, agreeing)
    asked = coop(*SETTLE, "--for-payment", "--json").result["run"]
    refused = one_line(coop(*MODEL), USAGE)
    assert f"give the same again, or begin anew after coop rm {asked}" in refused
    assert coop("rm", asked).code == 0
    run = coop(*MODEL, "--json").result["run"]
    assert coop("rm", run).code == 0
    refused = one_line(coop(*MODEL), USAGE)
    assert f"{run} has paid 500 EUR for this work, and was removed" in refused
    assert paid(home()) == [500]


def set_variables(monkeypatch: pytest.MonkeyPatch, variables: dict[str, Any]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

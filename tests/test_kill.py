"""Kill −9 at any moment: the run goes on, repeats at most the calls in flight, and pays once."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from state import Ledger
from tests.embedded_reply import reply
from tests.stub_faults import Fault
from tests.stub_openai import ReceivedRequest, StubOpenAI, read_log, stub_process
from tests.warm_coop import ROOT, Ended, WarmCoop, warm_coop

pytestmark = pytest.mark.slow

AGENTS = ("Alice", "Bob")
GRAPHS = ("negotiation", "shapley_coop")
KILLS = 28  # of runs of each graph, at least
MOST = 5  # of one run
OWN = {"run", "episode", "seats", "timing"}
LATENCY = 0.02


@dataclass(frozen=True)
class Endpoint:
    """The model endpoint, in a process that outlives all that are killed."""

    url: str
    log: Path

    def calls(self) -> dict[str, Counter[str]]:
        """Run → letter → how often it was asked."""
        asked: dict[str, Counter[str]] = {}
        for request in read_log(self.log):
            run = request.body["model"].partition("-")[2]
            asked.setdefault(run, Counter())[letter_of(request)] += 1
        return asked


def letter_of(request: ReceivedRequest) -> str:
    """The name under which the journal keeps what a request asks."""
    text = "\n\n".join(message["content"] for message in request.body["messages"])
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    log = tmp_path_factory.mktemp("endpoint") / "calls.jsonl"
    options = ("--reply", "tests.embedded_reply:reply", "--latency", str(LATENCY))
    with stub_process(*options, "--log", str(log)) as url:
        yield Endpoint(url, log)


@dataclass
class Trial:
    """One run that is killed at certain moments, and how it went."""

    name: str
    graph: str
    home: Path
    kills: int = 0
    known: list[set[str]] = field(default_factory=list)  # the letters answered, kill by kill
    result: dict[str, Any] = field(default_factory=dict)

    def argv(self, endpoint: Endpoint) -> list[str]:
        """The command that begins it; the models' names tell whose calls are whose."""
        seats = [f"--agent={agent}=openai:{agent}-{self.name}" for agent in AGENTS]
        game = ["escape_room", "--graph", self.graph, "--name", self.name, "--json"]
        return ["run", *game, *seats, "--base-url", endpoint.url]

    def answered(self) -> set[str]:
        """The letters that the journal has an answer to, whatever episode they belong to."""
        query = "select letter from answers where model like ?"
        try:
            with closing(sqlite3.connect(self.home / "books.sqlite")) as books:
                return {row[0] for row in books.execute(query, [f"%-{self.name}"])}
        except sqlite3.OperationalError:
            return set()  # killed before there was a journal

    def died(self, ended: Ended) -> bool:
        """Note whether a process was killed."""
        if ended.code == -signal.SIGKILL:
            self.kills += 1
            self.known.append(self.answered())
            return True
        return False


def go_on(coop: WarmCoop, trial: Trial, endpoint: Endpoint, after: float | None = None) -> Ended:
    """`coop resume`; a run that was killed before it was registered has to begin again."""
    ended = coop.run("resume", trial.name, "--json", kill_after=after)
    if ended.code == 2 and "there is no run" in ended.err:
        ended = coop.run(*trial.argv(endpoint), kill_after=after)
    return ended


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def coop(home: Path) -> Iterator[WarmCoop]:
    with warm_coop(home, OPENAI_API_KEY="sk-canary") as running:
        running.run("run", "escape_room", "--graph", "llm_only")  # makes the databases
        yield running


@pytest.fixture(scope="module")
def whole(endpoint: Endpoint, coop: WarmCoop, home: Path) -> dict[str, tuple[Ended, Counter[str]]]:
    """Each graph uninterrupted: how it ended, and which letters were asked."""
    ends = {}
    for graph in GRAPHS:
        trial = Trial(f"whole.{graph}", graph, home)
        ended = coop.run(*trial.argv(endpoint))
        assert ended.result["status"] == "agreed"
        ends[graph] = ended, endpoint.calls()[trial.name]
    return ends


def told(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key not in OWN}


def assert_paid_once(trial: Trial) -> None:
    books = trial.home / "books.sqlite"
    episode = trial.result["episode"]
    with closing(sqlite3.connect(books)) as connection:
        query = "select count(*) from postings where episode = ?"
        assert connection.execute(query, [episode]).fetchone() == (1,)
    balances = Ledger(f"sqlite:///{books}").balances(episode)
    assert sum(balances.values()) == 0
    held = {agent: balances.get(agent, 0) / 1_000_000 for agent in AGENTS}
    assert held == trial.result["payoffs"]


def assert_asked_no_more_than_in_flight(
    trial: Trial, asked: Counter[str], uninterrupted: Counter[str]
) -> None:
    assert asked.keys() == uninterrupted.keys()
    for letter, times in asked.items():
        unanswered = sum(letter not in known for known in trial.known)
        assert times <= uninterrupted[letter] + unanswered
    # No more than two are asked at the same time.
    assert asked.total() <= uninterrupted.total() + len(AGENTS) * trial.kills


# At random moments


def random_trials(graph: str, endpoint: Endpoint, home: Path, whole: Ended) -> list[Trial]:
    """Kill runs again and again, each time at a random moment, and go on with each to its end."""
    rng, trials, span = Random(graph), list[Trial](), whole.seconds
    with warm_coop(home, OPENAI_API_KEY="sk-canary") as coop:
        coop.run("run", "escape_room", "--graph", "llm_only")  # makes the databases
        while sum(trial.kills for trial in trials) < KILLS:
            trial = Trial(f"{graph}.{len(trials)}", graph, home)
            ended = coop.run(*trial.argv(endpoint), kill_after=rng.random() * span)
            while trial.died(ended) and trial.kills < MOST:
                ended = go_on(coop, trial, endpoint, after=rng.random() * span)
            if not trial.kills:
                span = min(span, ended.seconds)  # the machine is faster than it was
            # After a death this goes on; a run that had ended by then gives its result again.
            trial.result = go_on(coop, trial, endpoint).result
            assert coop.run("verify", trial.name).code == 0
            trials.append(trial)
            assert len(trials) < KILLS, "runs end before they are killed"
    return trials


def test_killed_at_random_moments_every_run_ends_as_if_nothing_had_happened(
    endpoint: Endpoint, whole: dict[str, tuple[Ended, Counter[str]]], tmp_path: Path
) -> None:
    with ThreadPoolExecutor(len(GRAPHS)) as lanes:
        going = [
            lanes.submit(random_trials, graph, endpoint, tmp_path / graph, whole[graph][0])
            for graph in GRAPHS
        ]
        trials = [trial for lane in going for trial in lane.result()]
    calls = endpoint.calls()
    for trial in trials:
        ended, uninterrupted = whole[trial.graph]
        assert told(trial.result) == told(ended.result)
        assert_asked_no_more_than_in_flight(trial, calls[trial.name], uninterrupted)
        assert_paid_once(trial)
    for graph in GRAPHS:
        # An episode that was abandoned before its first checkpoint was never paid: a posting a run.
        with closing(sqlite3.connect(tmp_path / graph / "books.sqlite")) as books:
            runs = 1 + sum(trial.graph == graph for trial in trials)
            assert books.execute("select count(*) from postings").fetchone() == (runs,)
    assert sum(trial.kills for trial in trials) >= 50
    # Some calls were really in flight, else nothing was shown.
    assert any(calls[t.name].total() > whole[t.graph][1].total() for t in trials)


# At the worst moments


@pytest.mark.parametrize(
    "deed",
    [
        "state.runs:Runs.begin#1",
        "seats.journal:Journal.write#1",
        "seats.journal:Journal.write#2",
        "seats.journal:Journal.write#4",
        "state.ledger:Ledger.post#1",
        "state.runs:Runs.finish#1",
    ],
)
def test_killed_right_after_a_deed_it_is_not_done_again(
    endpoint: Endpoint,
    coop: WarmCoop,
    home: Path,
    whole: dict[str, tuple[Ended, Counter[str]]],
    deed: str,
) -> None:
    trial = Trial(deed.partition(":")[2].replace("#", "."), "shapley_coop", home)
    ended, uninterrupted = whole[trial.graph]
    assert trial.died(coop.run(*trial.argv(endpoint), kill_at=deed))
    trial.result = coop.run("resume", trial.name, "--json").result
    assert_paid_once(trial)
    # Once more, when there is nothing left to do.
    assert coop.run("resume", trial.name, "--json").result == trial.result
    assert told(trial.result) == told(ended.result)
    assert_paid_once(trial)
    asked = endpoint.calls()[trial.name]
    assert_asked_no_more_than_in_flight(trial, asked, uninterrupted)
    if "Journal" not in deed:
        assert asked == uninterrupted


# A process started cold, as anybody would


def test_a_call_that_hangs_when_the_process_is_killed_is_the_only_one_repeated(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "COOP_HOME": str(tmp_path), "OPENAI_API_KEY": "sk-canary"}
    environment |= {"LANGSMITH_TRACING": "false"}
    coop = [sys.executable, "-m", "cli"]
    with StubOpenAI(reply, faults=[None, None, Fault.hang()]) as stub:
        trial = Trial("cold", "shapley_coop", tmp_path)
        argv = trial.argv(Endpoint(stub.base_url, tmp_path / "unused"))
        with subprocess.Popen([*coop, *argv], cwd=ROOT, env=environment) as process:
            stub.wait_for_calls(3, timeout=30)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        assert len(trial.answered()) == 2
        resume = [*coop, "resume", "cold", "--json"]
        ended = subprocess.run(
            resume, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        trial.result = Ended(ended.returncode, ended.stdout, ended.stderr, 0).result
        asked = Counter(letter_of(request) for request in stub.requests)
    assert sorted(asked.values())[-2:] == [1, 2]
    assert asked[letter_of(stub.requests[2])] == 2
    assert stub.calls == trial.result["usage"]["calls"] + 1
    assert_paid_once(trial)

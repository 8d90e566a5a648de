"""The short forms of the proofs with killed, crowded and interrupted processes."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.ledger import Key, Line
from tests.books import posted
from tests.embedded_reply import reply
from tests.postgres import NoPostgres, postgres
from tests.proofs import (
    proof_cut,
    proof_kills,
    proof_many_processes,
    proof_power_cut,
    proof_simulation,
    proof_spend,
    proof_vanish,
    proof_workers,
)
from tests.proofs.counted import behind, calls, letter_of
from tests.proofs.proof import Proof
from tests.root import ROOT
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI
from tests.trials import Audit, Play, Trial, balanced, begin, micro, transfers_of
from tests.warm_coop import KEYS, Ended, warm_coop

PROOFS: dict[str, Proof] = {
    "kills": proof_kills.PROOFS["kills"],
    **proof_spend.PROOFS,
    **proof_vanish.PROOFS,
    **proof_power_cut.PROOFS,
    **proof_simulation.PROOFS,
    **proof_cut.PROOFS,
    "workers_postgres": proof_workers.PROOFS["workers_postgres"],
    **proof_many_processes.PROOFS,
}
"""Each on one database, of which `make soak` tries both; the load on the server is there alone."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PROOFS)
def test_the_promise_holds(name: str, tmp_path: Path) -> None:
    proof = PROOFS[name]
    try:
        finding = proof.attempt(tmp_path, proof.short)
    except NoPostgres as reason:
        pytest.skip(str(reason))
    assert finding.held, finding.figure


@pytest.mark.slow
@pytest.mark.xdist_group("postgres")
def test_on_postgres_too_a_run_that_is_killed_at_every_write_comes_to_its_end(
    tmp_path: Path, postgres_url: str
) -> None:
    """Where a write returned before it was committed, such a run would never get on."""
    with postgres() as url:  # of its own: the audit looks at all that the ledger holds
        coop = warm_coop(Home(tmp_path, url))
        play = Play.uninterrupted(coop, "whole", ("escape_room", "--graph", "llm_only"))
        trial = Trial(coop, "killed", play)
        proof_kills.at_every_write(trial, Random(0))
        assert trial.kills > play.whole["turns_played"]
        assert Audit.of(coop.home, [play], [trial]).clean


async def test_an_audit_sees_what_is_lost_doubled_or_changed() -> None:
    whole = await play("shapley_coop", RunConfig(), "whole")
    kept = Play((), whole, transfers_of(home())[whole["episode"]], 0)
    assert Audit.of(home(), [kept], []).clean
    more = Counter({("final", "", 0, 9, "world", "Alice", 1, "reward"): 1})
    missing = Play((), whole, kept.transfers + more, 0)
    assert Audit.of(home(), [missing], []) == Audit(1, 0, 0, 0)
    posted(home().ledger, Key("of nobody", "final"), [Line("Alice", "Bob", 1, "twice")])
    assert Audit.of(home(), [kept], []) == Audit(0, 1, 0, 0)
    posted(home().ledger, Key(whole["episode"], "fine"), [Line("Alice", "Bob", 1, "twice")])
    assert Audit.of(home(), [kept], []) == Audit(0, 2, 1, 0)


@pytest.mark.slow
def test_a_call_that_hangs_when_its_process_is_killed_is_the_only_one_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes started cold, as anybody would."""
    monkeypatch.setenv("COOP_HOME", str(tmp_path))
    environment = {**os.environ, **KEYS}
    coop = [sys.executable, "-m", "shapley_coop"]
    with StubOpenAI(reply, faults=[None, None, Fault.hang()]) as stub:
        command = [*coop, *begin("cold", behind(stub, "shapley_coop"))]
        with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
            stub.wait_for_calls(3)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        resume = [*coop, "resume", "cold", "--json"]
        ended = subprocess.run(
            resume, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        result = Ended(ended.returncode, ended.stdout, ended.stderr, 0).result
        asked = calls(stub)["cold"]
    hanging = letter_of(stub.requests[2])
    assert asked == Counter(asked.keys()) + Counter([hanging])
    by_code = sum(s.get("summariser", {}).get("calls", 0) for s in result["spending"].values())
    assert stub.calls == result["usage"]["calls"] - by_code + 1
    assert balanced(home(), result["episode"], micro(result))

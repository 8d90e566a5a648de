"""The cost limit of a sweep whose processes, or servers, are killed: what the endpoint billed."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.sweeps.playing import Limits
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.state.storage.home import Home
from tests.embedded_reply import reply
from tests.evals.swept import behind, registered, run
from tests.postgres import own_database, postgres
from tests.proofs.hostile import at_home
from tests.proofs.proof import Finding, Proof
from tests.proofs.proof_remote import SERVERS, Watched, killed_in_turn
from tests.server_process import fixed_servers
from tests.stub_openai import StubOpenAI
from tests.warm_coop import Coop, Stop, warm_coop

GRAPHS, PROCESSES, LATENCY = ["llm_only", "negotiation", "shapley_coop"], 3, 0.05
WORD = 0.001
"""USD of a word of an answer."""

WORST = 300 * WORD
DEAR = Prices({"openai:*": Price(input=0, output=1_000_000 * WORD)})
PRICES = f"date: 2026-11-01\nmodels: {{'openai:*': {{input: 0, output: {1_000_000 * WORD:g}}}}}\n"
KEY = {"OPENAI_API_KEY": "none", "COOP_SEND_FACTS": "1"}


@dataclass
class Bill:
    """What an endpoint bills: every answer that it gives, also to a process that was killed."""

    calls: list[float] = field(default_factory=list)

    def reply(self, messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        """Answer as an embedded agent, and bill the words."""
        said = reply(messages, request)
        self.calls.append(len(said.split()) * WORD)
        return said

    def finding(self, tried: str, limit: float, stopped: bool) -> Finding:
        """Compare the bill with the limit, which may be passed by one call."""
        billed, over = sum(self.calls), sum(self.calls) - limit
        most = max(self.calls)
        return Finding(
            tried=f"{tried}; {len(self.calls):,} calls of at most {most:.3f} USD",
            figure=f"{billed:.3f} USD billed of a limit of {limit:g}: "
            f"{max(0.0, over / most):.1f} calls too many",
            held=stopped and over <= most,
        )


def attempt(folder: Path, times: int) -> Finding:
    """Kill the processes of a sweep that share a limit, and start them again."""
    coop, bill = warm_coop(Home(folder / "home"), folder), Bill()
    limit = 1 + WORST * times
    (folder / "prices.yaml").write_text(PRICES, encoding="utf-8")
    with StubOpenAI(bill.reply, latency=LATENCY) as stub, ThreadPoolExecutor(PROCESSES) as lanes:
        made = behind(stub, GRAPHS, f"0-{100 + 10 * times}")
        (folder / "suite.yaml").write_text(made.model_dump_json(), encoding="utf-8")
        words = ("sweep", "suite.yaml", "-o", "out", "--max-connections", "2")
        words += ("--prices", "prices.yaml", "--cost-limit", f"{limit:g}")
        kills = sum(lanes.map(partial(killed, coop, words, times), range(PROCESSES)))
        last = coop.run(*words)
    tried = f"{kills} kills of {PROCESSES} processes with one limit"
    return bill.finding(tried, limit, "cost limit" in last.out + last.err and kills > 0)


def killed(coop: Coop, words: tuple[str, ...], times: int, lane: int) -> int:
    """Begin a sweep's process again and again; return how often it was killed."""
    chance, kills = Random(lane), 0
    for _ in range(times // PROCESSES):
        kills += coop.run(*words, stop=Stop(after=chance.uniform(1, 4))).killed
    return kills


def on_servers(folder: Path, times: int) -> Finding:
    """Kill the servers that share the purse of a sweep with a limit, of so many USD."""
    bill, limits = Bill(), Limits(cost=times)
    with ExitStack() as opened:
        shared = {"COOP_DATABASE_URL": own_database(opened.enter_context(postgres())), **KEY}
        opened.enter_context(at_home(folder, **shared))
        stub = opened.enter_context(StubOpenAI(bill.reply, latency=LATENCY))
        made = behind(stub, GRAPHS, f"0-{30 * times}")
        sweep = registered(folder / "out", made)
        with fixed_servers(folder, SERVERS, **shared) as servers, Store(folder / "out") as store:
            player = Watched([one.url for one in servers], sweep, store, limits, DEAR)
            with killed_in_turn(servers, player) as kills:
                tally = run(made, folder / "out", limits, player, DEAR)
    tried = f"{len(kills)} kills of {SERVERS} servers that share a database, {tally.failed} failed"
    stopped = "cost limit" in tally.stopped and not tally.failed
    return bill.finding(tried, times, stopped)


NOT_PROMISED = "A provider may bill a call that was broken off; it counts at its highest cost."

PROOFS = {
    "limit": Proof(
        promise="A sweep's cost limit is passed by one call at most",
        goal="at most one call too many",
        not_promised=NOT_PROMISED,
        attempt=attempt,
        short=6,
        long=60,
    ),
    "limit_remote": Proof(
        promise="A sweep's cost limit holds for servers, too",
        goal="at most one call too many",
        not_promised=f"{NOT_PROMISED} Without a common database, a run's calls count when the run "
        "has ended.",
        attempt=on_servers,
        short=1,
        long=6,
    ),
}

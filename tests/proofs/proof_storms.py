"""A sweep's endpoint refuses a fifth of all calls, fails for a minute, and is silent for ten."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from random import Random

from shapley_coop.extensions.remote.remote import Remote
from shapley_coop.extensions.sweeps.folders import failures_in
from shapley_coop.extensions.sweeps.playing import Limits
from tests.embedded_reply import reply
from tests.evals.swept import behind, registered, run
from tests.proofs.hostile import at_home
from tests.proofs.proof import Finding, Proof
from tests.server_process import Server
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

CELLS, AT_ONCE, LATENCY = 120, 8, 0.2
REFUSED = 0.2
CALLS = 150
"""Calls answered before the storm, and between the storm and the silence."""

KEY = {"OPENAI_API_KEY": "none", "COOP_SEND_FACTS": "1"}


class Weather:
    """The faults of a stub, which asks here at each call.

    Attributes:
        answered: when each call was answered.
        met: how many calls failed within, and how many were left without an answer.
    """

    def __init__(self, silence: float) -> None:
        self._left = [(CALLS, silence / 10, "failed"), (2 * CALLS, silence, "silent")]
        self._until, self._chance = 0.0, Random(51)
        self.answered, self.met = list[float](), {"refused": 0, "failed": 0, "silent": 0}
        self.cleared = 0.0

    def popleft(self) -> Fault | None:
        """Return the fault of the next call."""
        now = time.monotonic()
        if self._left and len(self.answered) >= self._left[0][0]:
            _, seconds, self._kind = self._left.pop(0)
            self._until = self.cleared = now + seconds
        if now < self._until:
            self.met[self._kind] += 1
            return Fault.server_error(503) if self._kind == "failed" else Fault.hang()
        if self._chance.random() < REFUSED:
            self.met["refused"] += 1
            return Fault.rate_limited(0.5)
        self.answered.append(now)
        return None

    def paces(self) -> tuple[float, float]:
        """Return the answers a second before the storm, and of as many after the silence."""
        after = [when for when in self.answered if when > self.cleared]
        parts = (self.answered[:CALLS], after[:CALLS])
        before, later = (len(part) / (part[-1] - part[0]) for part in parts)
        return before, later


def attempt(folder: Path, times: int, remote: bool) -> Finding:
    """Sweep while the endpoint is silent for so many seconds, after a storm of a tenth of that."""
    stub = StubOpenAI(reply, latency=LATENCY)
    with at_home(folder, **KEY), served(folder, remote) as url, stub:
        weather = stub.faults = Weather(times)  # type: ignore[assignment]
        made = behind(stub, ["negotiation"], f"0-{CELLS - 1}")
        sweep = registered(folder / "out", made)
        player = Remote([url], sweep) if remote else None
        tally = run(made, folder / "out", Limits(at_once=AT_ONCE), player)
    before, after = weather.paces()
    failed = "".join(": " + one["error"] for one in failures_in(folder / "out")[:1])
    met = ", ".join(f"{n:,} {kind}" for kind, n in weather.met.items())
    return Finding(
        tried=f"{CELLS} cells, {AT_ONCE} at once{', on a server' if remote else ''}; "
        f"{len(weather.answered):,} calls answered, {met}; silence of {times} s",
        figure=f"{tally.failed} failed{failed}; {before:.1f} answers a second before the storm, "
        f"{after:.1f} after the silence",
        held=tally.done == CELLS and not tally.failed and after > before / 2,
    )


def served(folder: Path, remote: bool) -> AbstractContextManager[str]:
    """Run a server within the `with` block and yield its address, or "" without one."""
    return _running(folder) if remote else nullcontext("")


@contextmanager
def _running(folder: Path) -> Iterator[str]:
    with Server(folder / "server", **KEY) as server:
        yield server.url


def proof(remote: bool) -> Proof:
    """The proof for a sweep here, or on a server."""
    return Proof(
        promise=f"A sweep{' on a server' if remote else ''} waits for its endpoint",
        goal="0 failed cells, and afterwards at least half the pace",
        not_promised="An endpoint that never answered fails its cells at once, or in a minute on "
        "a server; one that is silent for a quarter of an hour fails them, too.",
        attempt=partial(attempt, remote=remote),
        short=2,
        long=600,
    )


PROOFS = {"storms": proof(remote=False), "storms_remote": proof(remote=True)}

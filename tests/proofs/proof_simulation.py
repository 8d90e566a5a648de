"""What a run comes to does not depend on its faults, which are drawn from a seed."""

import os
from pathlib import Path

from tests.chance import VARIABLE
from tests.proofs.proof import Finding, Proof
from tests.proofs.simulation import Simulated, simulate, undisturbed


def attempt(folder: Path, times: int) -> Finding:
    """Simulate runs of the session's seed."""
    session = os.environ.get(VARIABLE, "0")
    plays = undisturbed(folder)
    done = [simulate(f"{session}.{n}", folder / str(n), plays) for n in range(times)]
    wrong = [one for one in done if one.faults]
    lives = sum(len(one.lives) for one in done)
    return Finding(
        tried=f"{times:,} runs of {', '.join(plays)} in {lives:,} lives (seed {session}), with "
        "clocks up to a day off, full, read-only, locked and broken disks, power cuts, kills, "
        "interrupts, and an endpoint that fails",
        figure=f"{len(wrong)} of {times:,} differ, are lost, doubled, unverified or told in more "
        f"than a line{_first(wrong)}",
        held=not wrong,
    )


def _first(wrong: list[Simulated]) -> str:
    if not wrong:
        return ""
    first = wrong[0]
    return f"; repeat one by: python -m tests.proofs.simulation {first.seed} ({first.faults[0]})"


PROOFS = {
    "simulation": Proof(
        promise="Faults drawn from a seed change nothing",
        goal="0 runs that differ from an undisturbed one",
        not_promised=(
            "The seed draws the faults, not the order of threads and processes. It runs on SQLite."
        ),
        attempt=attempt,
        short=25,
        long=1_500,
    )
}

"""A power cut pays nothing twice: whatever was not yet on the disk is gone, and the run goes on."""

from pathlib import Path
from random import Random

from tests.proofs.proof import Finding, Proof
from tests.proofs.simulation import Life, Simulated, live_through, undisturbed
from tests.warm_coop import Stop


def attempt(folder: Path, times: int) -> Finding:
    """Cut the power before and after each write of runs, and somewhere in what then follows."""
    plays, done, cuts = undisturbed(folder), list[Simulated](), 0
    writes: dict[str, int] = {}  # play → how many it makes, once a cut came behind the last
    while cuts < times:
        number, name = len(done) // len(plays), list(plays)[len(done) % len(plays)]
        rng = Random(len(done))
        place = number // 2 % writes.get(name, number + 1)
        first = Stop(write=1 + place, before=number % 2 == 1)
        second = Stop(write=rng.randint(2, 30), before=rng.random() < 0.5)
        lives = [Life(stop=stop, power=True) for stop in (first, second)]
        one = live_through(f"cut {len(done)}", name, lives, folder / str(len(done)), plays)
        cuts += sum("killed" in life for life in one.lives)
        if "killed" not in one.lives[0]:
            writes.setdefault(name, max(1, place))
        done.append(one)
    wrong = [one for one in done if one.faults]
    return Finding(
        tried=f"{cuts:,} power cuts, before and after each write, of {len(done):,} runs of "
        f"{', '.join(plays)}; of the checkpoints' log, and of the books' log after the last "
        "durable commit, a part or nothing was left",
        figure=f"{len(wrong)} runs differ, were paid twice, had letters asked again or were not "
        f"verified{f': {wrong[0]}' if wrong else ''}",
        held=not wrong,
    )


PROOFS = {
    "power_cut": Proof(
        promise="A power cut pays nothing twice (SQLite)",
        goal="0 lost, 0 doubled, 0 letters asked again that the journal had",
        not_promised=(
            "The cut is simulated. If a disk loses data that it reported as written, this program "
            "loses it too. A call in flight is paid for again."
        ),
        attempt=attempt,
        short=24,
        long=300,
    )
}

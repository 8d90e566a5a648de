"""An accepted run never vanishes: what was killed before its first checkpoint is found again."""

import sqlite3
from contextlib import closing
from pathlib import Path

from shapley_coop.state.storage.home import Home
from tests.proofs.proof import Finding, Proof
from tests.trials import Audit, Play, Trial, begin
from tests.warm_coop import Stop, warm_coop

EARLY = (Stop(write=1), Stop(write=2, before=True))
"""Right after the register knows of a run, and right before its first checkpoint."""

MIDWAY = Stop(write=60)
"""Within the first of two `coop resume --all`, which is killed too."""


def attempt(folder: Path, times: int) -> Finding:
    """Kill runs before their first checkpoint, and resume whatever has not ended."""
    coop = warm_coop(Home(folder))
    play = Play.uninterrupted(coop, "whole", ["escape_room"])
    trials = [Trial(coop, f"run.{number}", play) for number in range(times)]
    for number, trial in enumerate(trials):
        trial.live(*begin(trial.name, play.options), stop=EARLY[number % len(EARLY)])
    begun = threads(coop.home) - {"whole"}
    coop.run("resume", "--all", stop=MIDWAY)
    coop.run("resume", "--all")
    recovered = 0
    for trial in trials:
        run = coop.home.runs.get(trial.name)
        if run.state == "ended" and run.result:
            recovered += 1
            trial.results.append(coop.run("show", trial.name, "--json").result)
    audit = Audit.of(coop.home, [play], trials)
    return Finding(
        tried=f"{sum(trial.kills for trial in trials):,} runs killed between their entry in the "
        f"register and their first checkpoint ({len(begun)} had one), then coop resume --all, "
        "itself killed once",
        figure=f"{recovered:,} of {times:,} recovered; {audit}",
        held=recovered == times == sum(t.kills for t in trials) and not begun and audit.clean,
    )


def threads(home: Home) -> set[str]:
    """Who has a checkpoint."""
    with closing(sqlite3.connect(home.checkpoints)) as checkpoints:
        return {row[0] for row in checkpoints.execute("select distinct thread_id from checkpoints")}


PROOFS = {
    "vanish": Proof(
        promise="An accepted run never vanishes",
        goal="100 % recovered by coop resume --all",
        not_promised=(
            "A run killed before its entry in the register was not accepted. `langgraph dev` "
            "keeps its queue in memory."
        ),
        attempt=attempt,
        short=10,
        long=100,
    )
}

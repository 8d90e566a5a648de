"""`coop letters`: print the letters and answers of a run."""

from shapley_coop.cli.console import finish, say
from shapley_coop.cli.options import RunName


def letters(run: RunName) -> None:
    """Print a run's private letters and answers as JSON lines, which `recording:FILE` replays."""
    from shapley_coop.graphs.finding import run_of
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.seats.recording import recording_line
    from shapley_coop.state.storage.home import home

    table = finish(table_of(finish(run_of(run))))
    entries = home().journal.entries(table["episode"]) if table else iter(())
    for entry in sorted(entries, key=lambda e: (e.agent, e.letter, e.attempt)):
        say(recording_line(entry))

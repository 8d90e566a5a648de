"""The printing of a run's events while it plays, and of its result."""

from typing import Any

from shapley_coop.cli.console import say, show_table
from shapley_coop.deals.language.labels import explain_label
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.evals.transcripts.in_words import (
    COLUMNS,
    STATUS,
    EventsInWords,
    closing_lines,
    news_in,
    opening_lines,
    reckoning_lines,
    rows,
)
from shapley_coop.state.timeline import said_event


class Narrator:
    """A printer of a run's public events; after many similar events it prints only their number."""

    def __init__(self) -> None:
        self._words = EventsInWords()
        self._last: tuple[Any, ...] = ()
        self._alike = 0

    def watch(self, node: str, written: dict[str, Any]) -> None:
        """Print the public events in a node's update; for a contract draft, only its length."""
        if written.keys() & {"lapsed", "prices", "contract", "record"}:
            self._end_alike()
        for line in news_in(written):
            say(f"  {line}")
        for agent, draft in (written.get("drafts") or {}).items():
            if draft.get("label") and not draft["sound"]:
                say(f"        {agent} is asked again: {explain_label(draft['label'])}")
        for said in written.get("talk", []):
            event = said_event(said, written)
            lines = [line for line in said["text"].splitlines() if line.strip()]
            if said["act"] == "write" and len(lines) > 1:
                event["text"] = f"{len(lines)} lines, which coop show prints"
            self.tell(event)
        if lapsed := written.get("lapsed"):
            say(f"  no contract: {lapsed}")
        for good, cleared in (written.get("prices") or {}).items():
            say(f"  {good}: {cleared['volume']} traded at {cleared['price']}")
        if contract := written.get("contract"):
            self.tell({"kind": "signed", **contract, "text": contract["text"].splitlines()})
        for turn in written.get("record", []):
            self.tell({"kind": "played", **turn})
        if reckoning := written.get("reckoning"):
            show_reckoned(reckoning)

    def tell(self, event: dict[str, Any]) -> None:
        """Print an event of `state.timeline`; after many similar events, only count the event."""
        alike = (event["kind"], event.get("act"), event.get("about"), event.get("deal"))
        if alike != self._last or event["kind"] != "said" or "deal" in event:
            self._end_alike()
            self._last = alike
        self._alike += 1
        if self._alike > MOST_TOLD:
            return
        for line in self._words.lines_of(event):
            say(f"  {line}")

    def _end_alike(self) -> None:
        if (more := self._alike - MOST_TOLD) > 0:
            say(f"        and {more} more do the same")
        self._last, self._alike = (), 0


def show_reckoned(reckoning: dict[str, Any]) -> None:
    """Print the values computed from the record before the last bargaining."""
    for line in reckoning_lines(reckoning):
        say(f"  {line}")


def report(outcome: dict[str, Any]) -> None:
    """Print a run's result: first its events in brief, then each agent's payoff."""
    for line in opening_lines(outcome):
        say(line)
    show_table(f"{outcome['run']}: {STATUS[outcome['status']]}", list(COLUMNS), rows(outcome))
    for line in closing_lines(outcome):
        say(line)


def in_brief(outcome: dict[str, Any]) -> str:
    """Return a run's name, how it ended, and the first lines of its result, as one line."""
    ended = f"{outcome['run']}: {STATUS[outcome['status']]}."
    return " ".join([ended, *opening_lines(outcome)])

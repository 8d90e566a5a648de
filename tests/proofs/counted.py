"""Trials whose models are behind an endpoint that counts the calls."""

from collections import Counter
from dataclasses import dataclass, field

from shapley_coop.seats.records import letter_hash
from tests.books import entries_of
from tests.stub_openai import ReceivedRequest, StubOpenAI
from tests.trials import Trial
from tests.warm_coop import COOP, Ended, Stop

AGENTS = ("Alice", "Bob")

Letters = Counter[str]
"""Letter → how often it was asked."""


def behind(stub: StubOpenAI, graph: str) -> tuple[str, ...]:
    """The options of a run; its models' names tell whose calls are whose."""
    seats = [f"--agent={agent}=openai:{agent}-{{run}}" for agent in AGENTS]
    return ("escape_room", "--graph", graph, *seats, "--base-url", stub.base_url)


def calls(stub: StubOpenAI) -> dict[str, Letters]:
    """Run → what was asked in it."""
    asked: dict[str, Letters] = {}
    for request in stub.requests:
        run = request.body["model"].partition("-")[2]
        asked.setdefault(run, Counter())[letter_of(request)] += 1
    return asked


def letter_of(request: ReceivedRequest) -> str:
    """The name under which the journal keeps what a request asks."""
    return letter_hash("\n\n".join(message["content"] for message in request.body["messages"]))


@dataclass
class Counted(Trial):
    """A trial that knows, of each kill, what had been answered by then.

    Attributes:
        known: the letters that had an answer, kill by kill.
    """

    known: list[set[str]] = field(default_factory=list)

    def live(self, *argv: str, stop: Stop, program: str = COOP) -> Ended:
        """One life, and what it leaves answered if it is killed."""
        ended = super().live(*argv, stop=stop, program=program)
        if ended.killed:
            self.known.append(self.answered())
        return ended

    def answered(self) -> set[str]:
        """The letters that the journal has an answer to."""
        kept = entries_of(self.coop.home)
        return {entry.letter for entry in kept if entry.model.endswith(f"-{self.name}")}

    def repeated(self, asked: dict[str, Letters]) -> Letters:
        """What was asked more often than in a run that nobody stopped."""
        return asked[self.name] - asked[self.play.whole["run"]]

    def unexcused(self, asked: dict[str, Letters]) -> Letters:
        """What was repeated although no kill had found it without an answer."""
        again = self.repeated(asked)
        return again - Counter(letter for known in self.known for letter in again.keys() - known)

"""The steps of `coop settle-git`: read a history, divide the bounty, and ask the people."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shapley_coop.cli.console import finish, note
from shapley_coop.cli.options import seats_from
from shapley_coop.cli.playing.people import Serving
from shapley_coop.earned_value import WEIGHTS, Intervals
from shapley_coop.extensions.bounty.account import account
from shapley_coop.extensions.bounty.consent import (
    consent,
    is_agreed,
    part_of,
    payoffs_of,
    text_of,
)
from shapley_coop.extensions.bounty.once import begun, check_for_payment, paid_before, went_on
from shapley_coop.extensions.bounty.report import delivered_params, settle_history
from shapley_coop.extensions.people.pages import SeatPages
from shapley_coop.extensions.people.tables import serve as serve_pages
from shapley_coop.extensions.repository.contributions import History
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.extensions.repository.rules import KINDS, read_rules
from shapley_coop.extensions.wev.report import read_weights


@dataclass
class Settling:
    """A settlement in progress: the history, the bounty, and the contributors' seats."""

    history: History
    weights: Intervals
    bounty: str
    currency: str
    seats: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    deadline: float = 0
    pages: "SeatPages | None" = None

    @classmethod
    def of(
        cls,
        repo: Path,
        span: str | None,
        mailmap: Path | None,
        rules: Path | None,
        weights: Path | None,
        bounty: str,
        currency: str,
    ) -> "Settling":
        """Read a history and its rules, and return a settlement in which nobody is asked yet.

        Raises:
            ValueError: the repository or a file cannot be read.
        """
        counted = read_rules(rules) if rules else None
        history = read_history(repo, span, text_of(mailmap), counted)
        given: Intervals = read_weights(weights, KINDS) if weights else WEIGHTS
        return cls(history, given, bounty, currency)

    def seated(
        self, model: str, agents: list[str] | None, seed: int, deadline: float, for_payment: bool
    ) -> None:
        """Set the contributors' seats: as given, else people if `for_payment`, else embedded.

        Raises:
            ValueError: a seat is malformed, belongs to no contributor, or `for_payment` forbids it.
        """
        usual = "human" if for_payment else "embedded:rational"
        self.seats = seats_from(model or usual, agents)
        self.seed, self.deadline = seed, deadline
        known = self.history.artefacts()
        if stray := [name for name in self.seats if name not in ("*", *known)]:
            raise ValueError(
                f"--agent {stray[0]}: made nothing that counts in these commits: choose from "
                f"{', '.join(known)}"
            )
        if for_payment:
            named = {name: self.seats.get(name, self.seats["*"]) for name in known}
            check_for_payment(named)

    def report(self, payoffs: Mapping[str, int] | None = None) -> dict[str, Any]:
        """Return the report, divided by these payoffs or, without them, by earned value."""
        return settle_history(self.history, self.bounty, self.currency, self.weights, payoffs)

    def agreed(self, serving: Serving) -> dict[str, Any]:
        """Ask the contributors whether they agree; return the report with their consent.

        Args:
            serving: whether and where people get pages to answer on.
        """
        by_value = self.report()
        names = list(by_value["contributors"])
        if len(names) < 2:
            return by_value
        params = delivered_params(self.history, self.bounty, self.currency, self.weights)
        run = begun(params, self.seats, self.seed, self.deadline, self._work())
        if told := paid_before(run):
            note(told)
        ended, waiting = finish(went_on(run))
        if waiting and serving.wanted:
            ended, waiting = self._served(run, waiting, serving)
        found = self.report(payoffs_of(ended)) if ended and is_agreed(ended) else by_value
        found["consent"] = consent(run, self.seats, names, waiting)
        if self.pages and ended:
            self.pages.endings = {name: part_of(found, name) for name in self.pages.links}
        return found | {"run": run.run, "simulated": bool(found["consent"]["simulated"])}

    def _served(
        self, run: Any, people: list[str], serving: Serving
    ) -> tuple[dict[str, Any] | None, list[str]]:
        """Serve pages until the run ends or Ctrl-C; return the result and who must still answer.

        If the run ends, the pages stay open, so that the people can read how it ended.
        """
        pages = serve_pages(run, people, serving.host, serving.port)
        pages.endings = {}
        try:
            ended = finish(pages.follow())
        except KeyboardInterrupt:
            note("")
            return finish(went_on(run))
        self.pages = pages
        return ended, []

    def _work(self) -> str:
        """Return a text of the paid commits' hashes: the same text however A..B is written."""
        return " ".join(["commits", *sorted(commit for commit, _ in self.history.made)])

    def without(
        self, command: str, unsafe: bool, progress: Callable[[], Any] = lambda: None
    ) -> dict[str, Any]:
        """Return a command's scores of the repository without each contributor's work in turn."""
        from shapley_coop.extensions.bounty.counterfactual import counterfactual

        names = list(self.report()["contributors"])
        return counterfactual(self.history, names, command, unsafe, progress)

    def account(self, report: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the account of a report: the work that each amount pays for."""
        return account(self.history, report)

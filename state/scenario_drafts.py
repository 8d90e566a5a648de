"""The manuscript of a scenario while a model writes it: sheets, and what has come of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from shapley_coop.deals import FaultRecord
from shapley_coop.games.exchange.authoring import Commission, Sheet
from shapley_coop.games.exchange.masks import from_bits
from shapley_coop.seats import Seat

DESCRIBE, SCORE = "exchange_describe", "exchange_score"
"""What a letter asks for; also the name of its template."""


@dataclass(frozen=True)
class Desk:
    """What the author is given: the runtime context of the page, stored nowhere.

    Attributes:
        commission: what is to be written.
        seat: who writes.
        seed: of an embedded seat.
        tries: answers to one sheet before all is given up.
        episode: under which the journal keeps letters and answers.
        heard: called after each answer.
    """

    commission: Commission
    seat: Seat
    seed: int
    tries: int
    episode: str
    heard: Callable[[], Any] = lambda: None

    def sheets(self, act: str) -> list[Sheet]:
        """The sheets on which something is asked for."""
        return self.commission.descriptions if act == DESCRIBE else self.commission.scores

    def described(self, drafts: "Mapping[str, Draft]") -> dict[int, str]:
        """Every description there is so far: the commission's own, and those of sound sheets."""
        tasks = self.commission.tasks
        return {**tasks.registry.written(), **held(drafts, self.sheets(DESCRIBE), tasks.n)}


class Draft(TypedDict):
    """What has come of one sheet."""

    text: str  # the last answer
    cut: bool  # whether the endpoint cut that short
    attempt: int  # from 1
    fault: FaultRecord | None  # why it was sent back; None once it is sound
    holds: NotRequired[dict[str, Any]]  # by bit string; of a sound sheet alone
    calls: int  # how often the seat was asked, and not the journal
    tokens: int  # in and out, of these calls


def beside(drafts: dict[str, Draft], newer: dict[str, Draft]) -> dict[str, Draft]:
    """Put newer drafts in the place of older ones."""
    return {**drafts, **newer}


class Manuscript(TypedDict):
    """The state of the page, for the operator alone: an agent's scores are in nobody's letter."""

    drafts: Annotated[dict[str, Draft], beside]
    """Sheet → what has come of it. Written by the nodes that ask and proofread; never cleared."""


def unsound(drafts: Mapping[str, Draft], sheets: list[Sheet]) -> list[Sheet]:
    """The sheets that are still to be written."""
    return [s for s in sheets if s.name not in drafts or "holds" not in drafts[s.name]]


def given_up(drafts: Mapping[str, Draft], tries: int) -> list[str]:
    """The sheets that were sent back as often as can be."""
    return [name for name, d in drafts.items() if "holds" not in d and d["attempt"] >= tries]


def held(drafts: Mapping[str, Draft], sheets: list[Sheet], n: int) -> dict[int, Any]:
    """What the sound ones of some sheets hold, by mask."""
    found = [drafts[sheet.name].get("holds", {}) for sheet in sheets if sheet.name in drafts]
    return {from_bits(bits, n): x for holds in found for bits, x in holds.items()}

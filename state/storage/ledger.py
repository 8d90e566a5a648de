"""The double-entry ledger: amounts are integer millionths, and each posting is written once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shapley_coop.state.storage.facts import Fact, key, parts_of
from shapley_coop.state.storage.owned import Book

WORLD = "world"
"""The account that pays the rewards."""

TREASURY = "treasury"
"""The account that receives the tax which a run may put on settlements."""

Verdict = Literal["posted", "already", "refused"]

POSTING = "posting"
"""The kind of a fact that holds one posting; its key: posting's kind, clause and turn."""


@dataclass(frozen=True)
class Line:
    """One transfer: `amount` millionths go from `debit` to `credit`."""

    debit: str
    credit: str
    amount: int
    memo: str

    def __post_init__(self) -> None:
        if self.amount <= 0 or self.debit == self.credit:
            raise ValueError(f"{self} is not a transfer: give two accounts and a positive amount")


@dataclass(frozen=True)
class Key:
    """The idempotency key of a posting."""

    episode: str
    kind: str
    clause: str = ""
    turn: int = 0


Posting = tuple[Key, Sequence[Line]]
"""One posting: its idempotency key and its lines."""


def final(episode: str) -> Key:
    """Return the key of an episode's settlement, which can be posted only once."""
    return Key(episode, "final")


Place = tuple[str, str, int]
"""A posting's kind, clause and turn."""


class Ledger(Book):
    """The postings of all episodes of one database."""

    def post_branch(self, episode: str, postings: Sequence[Posting]) -> Verdict:
        """Write all postings so far of one fork of an episode, in one transaction.

        Only the fork that posts first is paid. A fork is refused if one of its postings differs
        from the ledger's, or if it has new postings but lacks one of the ledger's. So a later fork
        cannot take a second deposit in addition to those of the original play.

        Args:
            episode: the episode of the postings.
            postings: all postings of the fork so far, including those already written.

        Returns:
            "posted"; "already" if every posting exists; "refused" if another fork has posted.
            If "already" or "refused", nothing is written.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        own = {_place(key): tuple(lines) for key, lines in postings}
        with self._writing(episode, f"postings of {episode}") as session:
            known = {_place_of(one): _lines_in(one) for one in session.read(POSTING, episode)}
            missing = [one for one in postings if _place(one[0]) not in known]
            same = all(place not in own or x == own[place] for place, x in known.items())
            if not same or (missing and not known.keys() <= own.keys()):
                return "refused"
            session.put(*(_fact(key, lines) for key, lines in missing))
        return "posted" if missing else "already"

    def lines(self, episode: str) -> list[Line]:
        """Return every line of an episode's postings, in their order."""
        return [line for lines in self.postings(episode).values() for line in lines]

    def postings(self, episode: str) -> dict[Place, tuple[Line, ...]]:
        """Return (kind, clause, turn) → lines for an episode's postings, sorted by turn."""
        with self._reading(episode) as session:
            found = {_place_of(one): _lines_in(one) for one in session.read(POSTING, episode)}
        return dict(sorted(found.items(), key=lambda one: (one[0][2], one[0][:2])))

    def balances(self, episode: str) -> dict[str, int]:
        """Return the balances of an episode's accounts, as `balances_of` does."""
        return balances_of(self.lines(episode))


def _place(key: Key) -> Place:
    return key.kind, key.clause, key.turn


def _place_of(posted: Fact) -> Place:
    kind, clause, turn = parts_of(posted.key)
    return kind, clause, turn


def _fact(posting: Key, lines: Sequence[Line]) -> Fact:
    told = [[line.debit, line.credit, line.amount, line.memo] for line in lines]
    return Fact(POSTING, posting.episode, key(*_place(posting)), {"lines": told})


def _lines_in(posted: Fact) -> tuple[Line, ...]:
    return tuple(Line(*told) for told in posted.value["lines"])


def balances_of(lines: Sequence[Line]) -> dict[str, int]:
    """Return account → balance in millionths; with the account `world`, all sum to zero."""
    sums: defaultdict[str, int] = defaultdict(int)
    for line in lines:
        sums[line.debit] -= line.amount
        sums[line.credit] += line.amount
    return dict(sums)

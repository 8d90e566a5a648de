"""The double-entry ledger: amounts in integer millionths, each posting written once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shapley_coop.canonical import digest
from shapley_coop.state.storage.driver import KeyTaken, Row, Session
from shapley_coop.state.storage.owned import MINE, OwnedBook, owned
from shapley_coop.state.storage.owners import holder

WORLD = "world"
"""The account that pays the rewards."""

POT = "pot"
"""The account that holds a team reward until the settlement."""

TREASURY = "treasury"
"""The account that receives a tax on settlements."""

Verdict = Literal["posted", "already", "refused"]

_postings = owned(
    "postings",
    """
    episode VARCHAR(64) NOT NULL,
    kind VARCHAR(32) NOT NULL,
    clause VARCHAR(32) NOT NULL,
    turn INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    PRIMARY KEY (episode, kind, clause, turn)
    """,
)
_lines = owned(
    "ledger_lines",
    """
    episode VARCHAR(64) NOT NULL,
    kind VARCHAR(32) NOT NULL,
    clause VARCHAR(32) NOT NULL,
    turn INTEGER NOT NULL,
    number INTEGER NOT NULL,
    debit VARCHAR(80) NOT NULL,
    credit VARCHAR(80) NOT NULL,
    amount BIGINT NOT NULL,
    memo TEXT NOT NULL,
    PRIMARY KEY (episode, kind, clause, turn, number)
    """,
)

_POSTED = "SELECT * FROM postings WHERE episode = :episode"
_OWN_POSTED = f"{_POSTED} AND {MINE}"
_OF_KEY = f"{_OWN_POSTED} AND kind = :kind AND clause = :clause AND turn = :turn"
_LINES = f"""
    SELECT * FROM ledger_lines WHERE episode = :episode AND {MINE}
    ORDER BY turn, kind, clause, number
"""  # noqa: S608 - constants
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(:episode, 0))"


@dataclass(frozen=True)
class Line:
    """One transfer: `amount` millionths go from `debit` to `credit`."""

    debit: str
    credit: str
    amount: int
    memo: str

    def __post_init__(self) -> None:
        if self.amount <= 0 or self.debit == self.credit:
            raise ValueError(f"{self} is no transfer: give two accounts and a positive amount")


@dataclass(frozen=True)
class Key:
    """The idempotency key of a posting."""

    episode: str
    kind: str
    clause: str = ""
    turn: int = 0


@dataclass(frozen=True)
class Posted:
    """A posting as the database holds it.

    Attributes:
        lines: in order.
        changed: whether they are other lines than those that were written.
    """

    lines: tuple[Line, ...]
    changed: bool


Posting = tuple[Key, Sequence[Line]]
"""One posting: its idempotency key and its lines."""


def final(episode: str) -> Key:
    """The key of an episode's final settlement, of which there is one."""
    return Key(episode, "final")


class Ledger(OwnedBook):
    """The postings of all episodes of one database."""

    def post(self, key: Key, lines: Sequence[Line]) -> Verdict:
        """Write one posting in one transaction.

        Returns:
            "posted"; "already" if the identical posting exists; "refused" if a different one
            exists. In the last two cases nothing is written.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        who = holder()
        self._claim(key.episode, who)
        try:
            with self._changing(who) as session:
                _post(session, key, lines, who.owner)
        except KeyTaken:
            posted = self._row(_OF_KEY, vars(key))
            return "already" if posted and posted["digest"] == _digest(lines) else "refused"
        return "posted"

    def post_branch(self, episode: str, postings: Sequence[Posting]) -> Verdict:
        """Write all that one branch of an episode has come to, in one transaction.

        The branch that posts first is the one that is paid: another one is refused whole if what
        is posted differs from its own postings, or holds one that it does not have, so that no
        deposit of a fork is taken beside those of the play it was forked from.

        Args:
            episode: whose postings they are.
            postings: everything the branch has come to so far, what is posted already included.

        Returns:
            "posted"; "already" if every posting exists; "refused" if another branch has posted.
            In the last two cases nothing is written.

        Raises:
            NotYours: the episode belongs to another thread, or to another owner.
        """
        who = holder()
        self._claim(episode, who)
        own = {_place(key): lines for key, lines in postings}
        with self._changing(who) as session:
            if not session.sqlite:
                session.rows(_LOCK, {"episode": episode})
            rows = session.rows(_POSTED, {"episode": episode})
            known = {_place_of(row): row["digest"] for row in rows}
            missing = [one for one in postings if _place(one[0]) not in known]
            same = all(place not in own or x == _digest(own[place]) for place, x in known.items())
            if not same or (missing and not known.keys() <= own.keys()):
                return "refused"
            for key, lines in missing:
                _post(session, key, lines, who.owner)
        return "posted" if missing else "already"

    def lines(self, episode: str) -> list[Line]:
        """Every line of an episode, in the order of its postings."""
        return [_line(row) for row in self._rows(_LINES, {"episode": episode}, episode)]

    def postings(self, episode: str) -> dict[tuple[str, str, int], Posted]:
        """Every posting of an episode: kind, clause and turn → what it holds."""
        at = {"episode": episode}
        posted = self._rows(_OWN_POSTED, at, episode)
        digests = {_place_of(row): row["digest"] for row in posted}
        found: dict[tuple[str, str, int], list[Line]] = {place: [] for place in digests}
        for row in self._rows(_LINES, at, episode):
            found.setdefault(_place_of(row), []).append(_line(row))
        return {
            place: Posted(tuple(held), digests.get(place) != _digest(held))
            for place, held in found.items()
        }

    def balances(self, episode: str) -> dict[str, int]:
        """Millionths per account; see `balances_of`."""
        return balances_of(self.lines(episode))


def _place(key: Key) -> tuple[str, str, int]:
    return key.kind, key.clause, key.turn


def _place_of(row: Row) -> tuple[str, str, int]:
    return row["kind"], row["clause"], row["turn"]


def _line(row: Row) -> Line:
    return Line(row["debit"], row["credit"], row["amount"], row["memo"])


def _digest(lines: Sequence[Line]) -> str:
    """The hash of a posting, with amounts as strings."""
    return digest([[line.debit, line.credit, str(line.amount), line.memo] for line in lines])


def _post(session: Session, key: Key, lines: Sequence[Line], owner: str) -> None:
    place = {**vars(key), "owner": owner}
    session.write(_postings.insert, [{**place, "digest": _digest(lines)}])
    session.write(
        _lines.insert, [{**place, "number": n, **vars(line)} for n, line in enumerate(lines)]
    )


def balances_of(lines: Sequence[Line]) -> dict[str, int]:
    """Millionths per account; they sum to zero over all accounts, the world's included."""
    sums: defaultdict[str, int] = defaultdict(int)
    for line in lines:
        sums[line.debit] -= line.amount
        sums[line.credit] += line.amount
    return dict(sums)

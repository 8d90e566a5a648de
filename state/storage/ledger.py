"""The double-entry ledger: amounts in integer millionths, each posting written once."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    String,
    Table,
    Text,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError

from shapley_coop.state.storage.owned import OWNED, OwnedBook, owner_column
from shapley_coop.state.storage.owners import holder

WORLD = "world"
"""The account that pays the rewards."""

POT = "pot"
"""The account that holds a team reward until the settlement."""

TREASURY = "treasury"
"""The account that receives a tax on settlements."""

Verdict = Literal["posted", "already", "refused"]

_postings = Table(
    "postings",
    OWNED,
    owner_column(),
    Column("episode", String(64), primary_key=True),
    Column("kind", String(32), primary_key=True),
    Column("clause", String(32), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("digest", String(64), nullable=False),
)
_lines = Table(
    "ledger_lines",
    OWNED,
    owner_column(),
    Column("episode", String(64), primary_key=True),
    Column("kind", String(32), primary_key=True),
    Column("clause", String(32), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("debit", String(80), nullable=False),
    Column("credit", String(80), nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("memo", Text, nullable=False),
)


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
        content = [[line.debit, line.credit, line.amount, line.memo] for line in lines]
        digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        changes: list[Any] = [
            (insert(_postings), {**vars(key), "owner": who.owner, "digest": digest})
        ]
        if lines:
            place = {**vars(key), "owner": who.owner}
            rows = [{**place, "number": n, **vars(line)} for n, line in enumerate(lines)]
            changes.append((insert(_lines), rows))
        try:
            self._write(*changes)
        except IntegrityError:
            known = select(_postings).filter_by(**vars(key))
            posted = self._row(self._seen(known, _postings))
            return "already" if posted and posted.digest == digest else "refused"
        return "posted"

    def lines(self, episode: str) -> list[Line]:
        """Every line of an episode, in the order of its postings."""
        columns = (_lines.c.debit, _lines.c.credit, _lines.c.amount, _lines.c.memo)
        query = self._seen(select(*columns).filter_by(episode=episode), _lines, episode)
        order = (_lines.c.turn, _lines.c.kind, _lines.c.clause, _lines.c.number)
        return [Line(**row._mapping) for row in self._rows(query.order_by(*order))]

    def balances(self, episode: str) -> dict[str, int]:
        """Millionths per account; see `balances_of`."""
        return balances_of(self.lines(episode))


def balances_of(lines: Sequence[Line]) -> dict[str, int]:
    """Millionths per account; they sum to zero over all accounts, the world's included."""
    sums: defaultdict[str, int] = defaultdict(int)
    for line in lines:
        sums[line.debit] -= line.amount
        sums[line.credit] += line.amount
    return dict(sums)

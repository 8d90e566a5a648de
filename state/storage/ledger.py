"""The double-entry ledger: amounts in integer millionths, each posting written once."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError

from shapley_coop.state.storage.engine import prepared, reading

WORLD = "world"
"""The account that pays the rewards."""

POT = "pot"
"""The account that holds a team reward until the settlement."""

TREASURY = "treasury"
"""The account that receives a tax on settlements."""

Verdict = Literal["posted", "already", "refused"]

_metadata = MetaData()
_postings = Table(
    "postings",
    _metadata,
    Column("episode", String(64), primary_key=True),
    Column("kind", String(32), primary_key=True),
    Column("clause", String(32), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("digest", String(64), nullable=False),
)
_lines = Table(
    "ledger_lines",
    _metadata,
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


class Ledger:
    """The postings of all episodes of one database.

    Args:
        url: `sqlite:///…` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._engine = prepared(url, _metadata)
        self._reader = reading(self._engine)

    def post(self, key: Key, lines: Sequence[Line]) -> Verdict:
        """Write one posting in one transaction.

        Returns:
            "posted"; "already" if the identical posting exists; "refused" if a different one
            exists. In the last two cases nothing is written.
        """
        digest = _digest(lines)
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(_postings), {**key.__dict__, "digest": digest})
                self._write(connection, key, lines)
        except IntegrityError:
            return "already" if self._digest_of(key) == digest else "refused"
        return "posted"

    def _write(self, connection: Connection, key: Key, lines: Sequence[Line]) -> None:
        if lines:
            rows = [{**key.__dict__, "number": n, **line.__dict__} for n, line in enumerate(lines)]
            connection.execute(insert(_lines), rows)

    def _digest_of(self, key: Key) -> str | None:
        with self._reader.connect() as connection:
            return connection.execute(
                select(_postings.c.digest).filter_by(**key.__dict__)
            ).scalar_one_or_none()

    def lines(self, episode: str) -> list[Line]:
        """Every line of an episode, in the order of its postings."""
        columns = (_lines.c.debit, _lines.c.credit, _lines.c.amount, _lines.c.memo)
        query = select(*columns).filter_by(episode=episode)
        order = (_lines.c.turn, _lines.c.kind, _lines.c.clause, _lines.c.number)
        with self._reader.connect() as connection:
            return [Line(*row) for row in connection.execute(query.order_by(*order))]

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


def _digest(lines: Sequence[Line]) -> str:
    content = [[line.debit, line.credit, line.amount, line.memo] for line in lines]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()

"""Tables of a database, told once for SQLite and Postgres."""

import re
from dataclasses import dataclass
from functools import cached_property

_OWN_WORDS = {
    True: {"COUNTED": "INTEGER"},
    False: {"COUNTED": "SERIAL", "BLOB": "BYTEA"},
}
"""Whether it is SQLite → our word for a type → the database's."""


@dataclass(frozen=True)
class Table:
    """One table.

    >>> Table("seen", '''
    ...     owner VARCHAR(64) NOT NULL,
    ...     letter VARCHAR(64) NOT NULL,
    ...     PRIMARY KEY (letter)
    ... ''').insert
    'INSERT INTO seen (owner, letter) VALUES (:owner, :letter)'

    Attributes:
        name: its name.
        told: its columns, each on a line, and on the last its primary key; in SQL, where `BLOB` is
            for bytes and `COUNTED` for a whole number that the database counts up.
        indexes: name → `INDEX` or `UNIQUE INDEX`, and the columns.
    """

    name: str
    told: str
    indexes: tuple[tuple[str, str, str], ...] = ()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(re.findall(r"^\s*([a-z_]+) ", self.told, re.MULTILINE))

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The columns of the primary key, in order."""
        (told,) = re.findall(r"PRIMARY KEY \((.*)\)", self.told)
        return tuple(told.split(", "))

    @cached_property
    def insert(self) -> str:
        """The statement that adds a row of all columns but one that the database counts."""
        names = [name for name in self.columns if f"{name} COUNTED" not in self.told]
        values = ", ".join(f":{name}" for name in names)
        return f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({values})"  # noqa: S608

    def created(self, *, sqlite: bool) -> list[str]:
        """The statements that make it, and its indexes, where they are missing."""
        told = self.told
        for ours, theirs in _OWN_WORDS[sqlite].items():
            told = told.replace(ours, theirs)
        return [f"CREATE TABLE IF NOT EXISTS {self.name} ({told})", *self.indexed()]

    def indexed(self) -> list[str]:
        """The statements that make its indexes where they are missing."""
        return [
            f"CREATE {kind} IF NOT EXISTS {name} ON {self.name} ({columns})"
            for kind, name, columns in self.indexes
        ]

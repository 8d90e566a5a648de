"""Plants canaries in everything private, and searches for them in everything that others see."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from shapley_coop.seats.endpoint import KEYS
from tests.graphs.test_privacy import Canary, words
from tests.proofs.hostile import Asked

JOURNAL = ("answer", "mail")
"""The operator's journal: the kinds of facts that are letters and answers."""

REFUSED = "".join(
    f"<{tag}>{{0}}</{tag}>" for tag in ("s", "PROPOSAL", "ACTION", "CLAIM", "REJECT", "ACCEPT")
)
"""An invalid draft, which is refused and must stay private."""


@dataclass
class Planter:
    """Answers letters with canaries in all that is private, and keeps every letter.

    Attributes:
        agents: whose secrets there are.
        told: how many each agent is told.
        breaks: the letter at which a seat fails, with all canaries so far on its lips; 0 is none.
        letters: (agent, letter), as they were shown.
        planted: every canary so far.
    """

    agents: tuple[str, ...]
    told: int = 4
    breaks: int = 0
    letters: list[tuple[str, str]] = field(default_factory=list)
    planted: list[Canary] = field(default_factory=list)
    _refused: set[tuple[str, str]] = field(default_factory=set)

    def keys(self) -> dict[str, str]:
        """A key for every provider, each a canary that belongs to nobody at the table."""
        return {variable: self._plant("nobody", f"key-{variable}") for variable in KEYS.values()}

    def secrets(self, file: Path) -> None:
        """What each agent is told by its user, in a secrets file."""
        file.parent.mkdir(parents=True, exist_ok=True)
        told = {
            agent: words(agent, *(self._plant(agent, f"told-{n}", False) for n in range(self.told)))
            for agent in self.agents
        }
        file.write_text(json.dumps(told))

    def answer(self, asked: Asked) -> str:
        """A sound answer with canaries around it; at first one that is refused."""
        self.letters.append((asked.agent, asked.letter))
        if len(self.letters) == self.breaks:
            raise RuntimeError(f"Incorrect API key: {' '.join(c.word for c in self.planted)}")
        number = len(self.letters)
        if (asked.agent, asked.act) not in self._refused:
            self._refused.add((asked.agent, asked.act))
            return REFUSED.format(self._plant(asked.agent, f"refused-{number}"))
        text = asked.sound
        thought = self._plant(asked.agent, f"thought-{number}")
        if "</CONSIDER>" in text:
            text = text.replace("</CONSIDER>", f" {thought}</CONSIDER>", 1)
        else:
            text = f"<CONSIDER>{thought}</CONSIDER>{text}"
        if asked.act == "act":
            text = text.replace("</s>", f" {self._plant(asked.agent, f'sealed-{number}')}</s>", 1)
        return f"{text} {self._plant(asked.agent, f'aside-{number}')}"

    def _plant(self, owner: str, place: str, word: bool = True) -> str:
        canary = Canary(owner, place)
        self.planted.append(canary)
        return canary.word if word else place


def shown_to_others(planter: Planter) -> list[str]:
    """Canaries that stand in a letter of somebody else."""
    return [
        f"{canary.word} in a letter of {agent}"
        for agent, letter in planter.letters
        for canary in planter.planted
        if canary.owner != agent and canary.word in letter.lower()
    ]


def in_files(home: Path, planter: Planter) -> list[str]:
    """Canaries in any byte of a home but the operator's: the journal and the secrets' files."""
    bare = home.parent / "bare"
    shutil.copytree(home, bare, ignore=shutil.ignore_patterns("secrets"))
    _without_the_operators(bare)
    files = [path for path in bare.rglob("*") if path.is_file()]
    held = {path.name: path.read_bytes().lower() for path in files}
    shutil.rmtree(bare)
    return [
        f"{canary.word} in {name}"
        for name, content in held.items()
        for canary in planter.planted
        if canary.word.encode() in content
    ]


def _without_the_operators(home: Path) -> None:
    """Delete what is the operator's, and leave no trace of it in the file."""
    _rewritten(home / "books.sqlite", f"delete from facts where kind in {JOURNAL}")


def _rewritten(file: Path, *deletions: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        for deletion in deletions:
            database.execute(deletion)
        database.commit()
        database.execute("vacuum")
        database.execute("pragma wal_checkpoint(truncate)")

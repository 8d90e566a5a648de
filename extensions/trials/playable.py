"""Whether a model can play: what it answered to each kind of letter in one run, and what was read.

One run of the whole workflow sends a letter of every kind that its course needs. An answer that
was refused and then mended counts as mended: the retry is part of the protocol.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.seats.records import BESIDE, AnswerKey, Entry


@dataclass
class Kind:
    """What came back to one kind of letter.

    Attributes:
        act: what was asked.
        letters: how many answers there were, each attempt counted.
        usable: how many of these could be used.
        labels: of the faults of the others.
        input_tokens: shown.
        output_tokens: answered.
        example: the last answer's text.
    """

    act: str
    letters: int = 0
    usable: int = 0
    labels: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    example: str = ""

    @property
    def can(self) -> bool:
        """Whether at least one answer of this kind could be used."""
        return self.usable > 0


class Refusals:
    """Watches a run for the answers that were refused (`graphs.running.Watcher`)."""

    def __init__(self) -> None:
        self.found: dict[AnswerKey, str] = {}

    def __call__(self, node: str, written: dict[str, Any]) -> None:
        """Take note of one node's refusals."""
        for agent, draft in (written.get("drafts") or {}).items():
            pointer = draft.get("pointer")
            if pointer and draft.get("label"):
                self.found[agent, pointer["letter"], pointer["attempt"]] = draft["label"]


def kinds(entries: Iterable[Entry], refused: Refusals, agents: Sequence[str]) -> list[Kind]:
    """Return what came back to each kind of letter, in the order in which kinds were first sent.

    Args:
        entries: the journal's.
        refused: which answers could not be used.
        agents: whose seats are looked at.
    """
    found: dict[str, Kind] = {}
    for entry in entries:
        if entry.act in BESIDE or entry.agent not in agents:
            continue
        kind = found.setdefault(entry.act, Kind(entry.act))
        kind.letters += 1
        kind.input_tokens += entry.answer.input_tokens
        kind.output_tokens += entry.answer.output_tokens
        kind.example = entry.answer.text
        if label := refused.found.get((entry.agent, entry.letter, entry.attempt)):
            kind.labels.append(label)
        else:
            kind.usable += 1
    return list(found.values())

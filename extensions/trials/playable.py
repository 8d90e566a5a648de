"""A check whether a model can play: the counts of usable answers to each kind of letter in a run.

One run of the whole workflow sends every kind of letter that the workflow needs. A model passes
if at least one answer of each kind was usable, since retries are part of the protocol.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shapley_coop.seats.records import BESIDE, AnswerKey, Entry


@dataclass
class Kind:
    """The counts of the answers to one kind of letter.

    Attributes:
        act: the kind of letter.
        letters: the number of answered letters; each attempt counts.
        usable: the number of answers that the workflow could use.
        labels: the fault labels of the unusable answers.
        input_tokens: the tokens of the letters.
        output_tokens: the tokens of the answers.
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
        """Whether at least one answer of this kind was usable."""
        return self.usable > 0


class Refusals:
    """A watcher that collects a run's refused answers (`graphs.running.Watcher`)."""

    def __init__(self) -> None:
        self.found: dict[AnswerKey, str] = {}

    def __call__(self, node: str, written: dict[str, Any]) -> None:
        """Note the refusals in the state update that one node wrote."""
        for agent, draft in (written.get("drafts") or {}).items():
            pointer = draft.get("pointer")
            if pointer and draft.get("label"):
                self.found[agent, pointer["letter"], pointer["attempt"]] = draft["label"]


def kinds(entries: Iterable[Entry], refused: Refusals, agents: Sequence[str]) -> list[Kind]:
    """Return the counts for each kind of letter, in the order in which kinds were first sent.

    Args:
        entries: the journal's entries.
        refused: the watcher that saw the run.
        agents: the agents whose answers are counted.
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

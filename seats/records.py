"""Letters and answers as they are kept, and the journal's interface for asking a seat."""

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from typing_extensions import TypedDict  # pydantic, which reads it, asks for this before 3.12

TOOL = "tool"
"""The act of an entry that keeps a tool's result: its model is the tool, its letter the call."""


TASK = "task"
"""The act of an entry that keeps which task an agent elsewhere made of a letter."""

BESIDE = {TOOL, TASK}
"""Acts of entries that keep no answer of a seat."""

AnswerKey = tuple[str, str, int]
"""An agent, the hash of its letter, and the attempt."""

Withheld = Literal["", "refused", "filtered"]
"""The model declined to answer, or a content filter kept its answer back."""


class Pointer(TypedDict):
    """Where an answer waits in the journal, with a commitment to it; it reveals nothing else."""

    letter: str
    attempt: int
    seal: str


@dataclass(frozen=True)
class Answer:
    """What a seat answered."""

    text: str
    cut: bool = False  # the endpoint ended the answer early
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0  # of those in, that the provider had in its cache
    reasoning_tokens: int = 0  # of those out, that nobody is shown
    batched: bool = False  # it came in a provider's batch, at a batch's price
    seconds: float = 0.0
    withheld: Withheld = ""  # why there is no answer, where the endpoint says so


@dataclass(frozen=True)
class Entry:
    """One letter and its answer, as the journal keeps them.

    `facts` are what the letter says, as an object; the public history is under `history`.
    """

    agent: str
    act: str
    model: str
    letter: str
    letter_text: str
    attempt: int
    answer: Answer
    nonce: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def pointer(self) -> Pointer:
        """Return the commitment: SHA-256 of a random nonce and the text."""
        sealed = hashlib.sha256(f"{self.nonce}\n{self.answer.text}".encode()).hexdigest()
        return {"letter": self.letter, "attempt": self.attempt, "seal": sealed}


class Asked(NamedTuple):
    """Which answer is meant.

    Attributes:
        agent: who was asked.
        letter: the name of the letter.
        attempt: the number of the try.
        model: who answered; empty for any.
    """

    agent: str
    letter: str
    attempt: int
    model: str = ""


@dataclass(frozen=True)
class Mail:
    """The letter that waits at a person's seat."""

    agent: str
    act: str
    letter: str
    letter_text: str
    attempt: int
    since: float = field(default_factory=time.time)  # seconds since the epoch
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the letter says, as an object


def letter_hash(text: str) -> str:
    """Return the name of a letter: the SHA-256 of what the seat was shown."""
    return hashlib.sha256(text.encode()).hexdigest()


def nonce() -> str:
    """Return a fresh secret, so that a short answer cannot be guessed from its seal."""
    return secrets.token_hex(16)


class Journal(Protocol):
    """Where letters and answers are kept, as asking a seat needs it; `state.storage.journal`."""

    def find(
        self, episode: str, agent: str, letter: str, attempt: int, model: str = ""
    ) -> Entry | None:
        """Return the answer already given to this letter, if any, by that model if one is named."""

    def deliver(self, episode: str, mail: Mail) -> Mail:
        """Leave a letter at a person's seat, once."""

    async def keep(self, episode: str, entry: Entry) -> Entry:
        """Keep an answer; the first one kept for a letter and attempt is the one that counts."""

"""The journal's records of letters and answers, and the methods that asking a seat needs."""

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from typing_extensions import TypedDict  # pydantic needs this TypedDict before Python 3.12

TOOL = "tool"
"""The act of an entry with a tool's result; `model` is the tool and `letter` is the call."""


TASK = "task"
"""The act of an entry with the task that a remote agent created for a letter."""

BESIDE = {TOOL, TASK}
"""The acts of entries that hold no answer of a seat."""

PASS = ""
"""The journal's text for a person who gives no answer; an empty text is no message."""

CHOSEN = "PASS"
"""The label of a person's choice to give no answer."""

IGNORE = {"type": "ignore"}
"""The reply by which a person gives no answer; also recorded when a person's time is up."""

AnswerKey = tuple[str, str, int]
"""An agent, the hash of its letter, and the attempt."""

Withheld = Literal["", "refused", "filtered"]
"""The reason for no answer: the model refused, or a content filter withheld its answer."""


class Pointer(TypedDict):
    """The address of an answer in the journal and a commitment to its text, without the text."""

    letter: str
    attempt: int
    seal: str


@dataclass(frozen=True)
class Answer:
    """A seat's answer, with its cost in tokens and seconds."""

    text: str
    cut: bool = False  # whether the endpoint ended the answer early
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0  # part of input_tokens: served from the provider's cache
    reasoning_tokens: int = 0  # part of output_tokens: hidden reasoning
    batched: bool = False  # answered in a provider's batch, at the batch's price
    seconds: float = 0.0
    usd: float = 0.0  # the price that a remote agent reports; 0 if it reports none
    withheld: Withheld = ""  # why there is no answer, if the model or a filter refused it


@dataclass(frozen=True)
class Entry:
    """The journal's record of one letter and its answer.

    `facts` is the content of the letter as an object; the public history is under `history`.
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
        """Return the answer's pointer; its seal is the SHA-256 of the nonce and the text."""
        sealed = hashlib.sha256(f"{self.nonce}\n{self.answer.text}".encode()).hexdigest()
        return {"letter": self.letter, "attempt": self.attempt, "seal": sealed}


class JournalKey(NamedTuple):
    """The key of an answer in the journal.

    Attributes:
        agent: the agent that received the letter.
        letter: the letter's name, a hash.
        attempt: the number of the attempt.
        model: the model that answered; "" stands for any model.
    """

    agent: str
    letter: str
    attempt: int
    model: str = ""


@dataclass(frozen=True)
class Mail:
    """A letter that waits at a person's seat."""

    agent: str
    act: str
    letter: str
    letter_text: str
    attempt: int
    since: float = field(default_factory=time.time)  # seconds since the epoch
    facts: Mapping[str, Any] = field(default_factory=dict)  # the letter's content as an object


def letter_hash(text: str) -> str:
    """Return the name of a letter: the SHA-256 of the text that the seat was shown."""
    return hashlib.sha256(text.encode()).hexdigest()


def nonce() -> str:
    """Return a random secret to seal with an answer, so that short ones cannot be guessed."""
    return secrets.token_hex(16)


class Journal(Protocol):
    """The methods of the journal (`state.storage.journal`) that asking a seat needs."""

    def find(
        self, episode: str, agent: str, letter: str, attempt: int, model: str = ""
    ) -> Entry | None:
        """Return the kept answer to this letter and attempt, or None; `model` "" means any."""

    def deliver(self, episode: str, mail: Mail) -> Mail:
        """Leave a letter at a person's seat; a second call does not add the letter again."""

    async def keep(self, episode: str, entry: Entry) -> Entry:
        """Store an answer, and return the first answer stored for this letter and attempt."""


def overdue(waiting: Mapping[str, Any], now: float) -> bool:
    """Return whether the time that a person has for a reply is up."""
    until = waiting.get("deadline")
    return until is not None and until <= now

"""The reader of the published log of a software company, and of the negotiation over the reward.

The log is one JSON object whose keys are role names, repeated for every step. It is read as pairs:
a parser that stores only the last of equal keys would lose most entries. Each entry is a sentence
about a role's work. The negotiation is a list of lists of sentences; the last one is the decision.

The log has no commits, no contents of files and no authors of lines, and this reader invents none.
Each count is read from a sentence of the log, which is stored beside the count.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.extensions.company.artefacts import ROLES
from shapley_coop.files import text_of
from shapley_coop.games.params import GameError

NAMES = {
    "chief executive officer": "CEO",
    "chief product officer": "CPO",
    "chief technology officer": "CTO",
    "code reviewer": "Reviewer",
    **{role.lower(): role for role in ROLES},
}
"""The log's names of roles, in lower case → our names."""

_N = r"(?<!\d)(\d{1,9})"
"""A number of bounded length, so that matching a long text of digits stays linear."""

_DONE = (
    ("fixes", rf"{_N} (?:critical )?issues? (?:fixed|resolved)"),
    ("decisions", rf"{_N} (decision (?:made|confirmed)|language chosen|technology stack decision)"),
    ("decisions", rf"{_N} (project authorization|project scope confirmed)"),
    (
        "documents",
        rf"{_N} (\w+\.md file|requirement verification|validation checks?|core components)",
    ),
    ("code", rf"{_N} (?:total )?lines of (?:\w+ )?code"),
    ("code", rf"\({_N} lines (?:across|modified)"),
)
"""Pairs: a kind of artefact, and a pattern for sentences that state a count of this kind."""

_SAID = re.compile(
    r"^(?P<by>[\w ]+?) said in negotiation turn (?P<round>\d+):\s*(?P<text>.*)", re.S
)
_BEGINS = re.compile(
    r"proposed distribution|fair percentage|i propose|final decision|shapley value principles"
    r"|measurable contributions and role importance",
    re.I,
)
_SHARE = re.compile(
    r"(?P<who>" + "|".join(sorted(map(re.escape, NAMES), key=len, reverse=True)) + r")\b"
    r"(?P<between>[^%\n]{0,80}?)(?P<percent>\d{1,3}(?:\.\d+)?)\s*%",
    re.I,
)
_WHOLE = 100
MOST_BEGUN = 50
"""The number of a message's last announcements that are searched for a split in percent."""


@dataclass(frozen=True)
class Claimed:
    """One count of a role's work, and the log's sentence that states it."""

    kind: str
    count: int
    sentence: str


class Message(NamedTuple):
    """A message of the negotiation; `split` is its proposal in percent, None if unreadable."""

    by: str
    round: int
    text: str
    split: dict[str, Fraction] | None


class RecordedCompany(NamedTuple):
    """What a published log and its negotiation say about a software company.

    Attributes:
        task: the task of the company.
        entries: all entries in order: the role (or another speaker), and its text.
        evidence: role → the stated counts of its work; the largest of repeated statements.
        messages: the negotiation, in order.
        rewards: role → percent in the final decision; empty if no decision can be read.
        missing: remarks on facts that the log lacks or that could not be read from it.
    """

    task: str
    entries: list[tuple[str, str]]
    evidence: dict[str, list[Claimed]]
    messages: list[Message]
    rewards: dict[str, Fraction]
    missing: list[str]

    def artefacts(self) -> dict[str, dict[str, Fraction]]:
        """Return role → kind → count, by the statements in the log."""
        counts: dict[str, dict[str, Fraction]] = {}
        for role, claims in self.evidence.items():
            counts[role] = dict.fromkeys(("code", "decisions", "documents", "fixes"), Fraction(0))
            for one in claims:
                counts[role][one.kind] += one.count
        return counts


def import_company_log(
    log: str | Path | Mapping[str, Any], negotiation: str | Path | Sequence[Any] | None = None
) -> RecordedCompany:
    """Read a published log and its negotiation.

    Args:
        log: a file, or its content. It may also be a negotiation (a list of lists of sentences);
            then nothing is known about the roles' work.
        negotiation: a file, or its content; by default the file `…-negotiation.json` beside a log
            `…-log.json`, if it exists.

    Raises:
        GameError: a file cannot be read, or has another format; the message is one line.
    """
    missing = [
        "the log holds no commits, no contents of files, and no authors of single lines",
        "its counts restate running totals: of equal statements the largest is taken",
    ]
    content: Any = log if isinstance(log, Mapping) else _json(log)
    if _is_negotiation(content) and negotiation is None:
        lack = "no log of the work is given: what each role made is not known"
        return _recorded([], _messages(content), [lack])
    if not isinstance(content, Mapping):
        raise GameError(f"{log}: is not a company log: give an object of roles and their work")
    if isinstance(log, Mapping):
        missing.append("it was given as an object, which keeps only the last of equal keys")
    elif negotiation is None:
        negotiation = negotiation_beside(log)
    pairs = content.pairs if isinstance(content, _Object) else content.items()
    entries = [
        (
            NAMES.get(key.lower(), key),
            text if isinstance(text, str) else json.dumps(text, ensure_ascii=False),
        )
        for key, text in pairs
    ]
    return _recorded(entries, _messages(negotiation) if negotiation is not None else [], missing)


def negotiation_beside(log: str | Path) -> Path | None:
    """Return the file `…-negotiation.json` beside a file `…-log.json`, or None."""
    beside = Path(str(log).removesuffix("-log.json") + "-negotiation.json")
    return beside if beside.is_file() and beside != Path(log) else None


def _recorded(
    entries: list[tuple[str, str]], said: list[Message], missing: list[str]
) -> RecordedCompany:
    """Return the company of these entries and messages, with remarks on missing facts."""
    rewards = said[-1].split or {} if said and not said[-1].round else {}
    if not rewards:
        missing.append("no final decision can be read: there are no rewards")
    unread = sum(one.split is None for one in said)
    if unread:
        missing.append(f"{unread} of {len(said)} messages propose no split that sums to 100 %")
    return RecordedCompany(
        task=next((text for who, text in entries if who == "Task Description"), ""),
        entries=[(who, text) for who, text in entries if who != "Task Description"],
        evidence={role: _evidence(t for who, t in entries if who == role) for role in ROLES},
        messages=said,
        rewards=rewards,
        missing=missing,
    )


def _evidence(sentences: Iterable[str]) -> list[Claimed]:
    """Return the largest count of each thing made, so that a repeated sentence adds nothing."""
    best: dict[tuple[str, str], Claimed] = {}
    for sentence in sentences:
        for kind, pattern in _DONE:
            for match in re.finditer(pattern, sentence):
                what = (match.group(2) if match.lastindex == 2 else kind).rstrip("s")
                one = Claimed(kind, int(match.group(1)), sentence)
                key = (kind, what if kind in ("decisions", "documents") else kind)
                if key not in best or best[key].count < one.count:
                    best[key] = one
    return list(best.values())


def _is_negotiation(content: Any) -> bool:
    """Return whether the content is a non-empty list of lists of texts."""
    return bool(isinstance(content, list) and content) and all(
        isinstance(said, list) and all(isinstance(one, str) for one in said) for said in content
    )


def _messages(negotiation: str | Path | Sequence[Any]) -> list[Message]:
    given = negotiation
    content = _json(given) if isinstance(given, str | Path) else given
    if not _is_negotiation(list(content) if isinstance(content, tuple) else content):
        raise GameError("the negotiation is not a list of lists of messages")
    return [_message(one) for said in content for one in said]


def _message(text: str) -> Message:
    said = _SAID.match(text)
    if said is None:
        return Message("", 0, text, _split(text))
    by = NAMES.get(said["by"].strip().lower(), said["by"].strip())
    return Message(by, int(said["round"]), said["text"], _split(said["text"]))


def _split(text: str) -> dict[str, Fraction] | None:
    """Return the last split that a message announces, as role → percent; None if it has none.

    Percentages that do not sum to 100 are not a split.
    """
    begins = [match.end() for match in _BEGINS.finditer(text)]
    for start in [*reversed(begins[-MOST_BEGUN:]), 0]:
        found: dict[str, Fraction] = {}
        for match in _SHARE.finditer(text, start):
            found.setdefault(NAMES[match["who"].lower()], Fraction(match["percent"]))
        if sum(found.values()) == _WHOLE:
            return {role: found[role] for role in ROLES if role in found}
    return None


class _Object(dict[str, Any]):
    """A JSON object that keeps all pairs, including those of repeated keys."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def _json(path: str | Path) -> Any:
    try:
        text = text_of(path)
        return json.loads(text, object_pairs_hook=_Object)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise GameError(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from None

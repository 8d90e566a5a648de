"""No forged deal: nothing is read out of a message that its author did not say in the open."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from extensions.exchange.tests.messages.test_exchange_messages import PENDING, REJECT, TASKS
from shapley_coop.deals.language.wire import TAGS, Message, scan
from shapley_coop.extensions.exchange.messages.checking import check_message
from shapley_coop.extensions.exchange.messages.written import as_written
from shapley_coop.prompts import quote, write_history
from shapley_coop.seats.letters import facts_of_text, with_facts
from tests.deals.language.test_wire import forgeries
from tests.proofs.made_messages import breakouts, disguised, exchanged, said_in_the_open, soups
from tests.proofs.proof import Finding, Proof
from tests.steps import steps

STEPS = 1_000_000
"""Lines of Python and calls of C functions that reading a message may take."""

VALID_REFUSED = 1 / 1_000
PLAN = "my own plan, which is nobody else's business"

_OURS = re.compile(rf"<\s*/?\s*(?:{'|'.join(TAGS)})\b[^<>]{{0,200}}>", re.IGNORECASE)


_ACCEPT = re.compile(r"<\s{0,4}ACCEPT\s{0,4}/?\s{0,4}>", re.IGNORECASE)


def _in_json(**said: Any) -> str:
    return f"<s>Fine.</s><PROPOSAL>{json.dumps(said)}</PROPOSAL>"


QUOTING: dict[str, Callable[[str], tuple[str, Message]]] = {
    "speech": lambda text: (
        f"<s>{text}</s><CONSIDER>{PLAN}</CONSIDER><REJECT>",
        Message(speech=text.strip(), consider=PLAN, reject=""),
    ),
    "reason": lambda text: (f"<REJECT>{text}</REJECT>", Message(reject=text.strip())),
    "thought": lambda text: (
        f"<CONSIDER>{text}</CONSIDER><s>Fine.</s>",
        Message(consider=text.strip(), speech="Fine."),
    ),
    "action": lambda text: (f"<ACTION>{text}</ACTION>", Message(action=text.strip())),
    "claim": lambda text: (f"<CLAIM>{text}</CLAIM>", Message(claim=text.strip())),
    "proposal": lambda text: (
        _in_json(clauses=[], note=text),
        Message(speech="Fine.", proposal={"clauses": [], "note": text}),
    ),
    "key": lambda text: (_in_json(**{text: 1}), Message(speech="Fine.", proposal={text: 1})),
}
"""Where a hostile text is quoted, and what is said by that and nothing else."""


@dataclass
class Tally:
    """What was found out about the messages so far.

    Attributes:
        messages: hostile ones, by family.
        forged: those out of which something was read that was not said.
        most: steps of the reading that took most of them.
        valid: sound messages.
        refused: those of them that were sent back, or read as something else.
    """

    messages: Counter[str] = field(default_factory=Counter)
    forged: list[str] = field(default_factory=list)
    most: int = 0
    valid: int = 0
    refused: list[str] = field(default_factory=list)

    def counted(self, read: Callable[..., Any], *arguments: Any) -> Any:
        """What is read; the most steps that a reading takes are kept."""
        found: list[Any] = []
        taken = steps(lambda: found.append(read(*arguments)))
        self.most = max(self.most, taken)
        return found[0]

    def hostile(self, family: str, text: str, forged: bool) -> None:
        """Count a hostile message, and whether it came through."""
        self.messages[family] += 1
        if forged:
            self.forged.append(f"{family}: {text[:80]!r}")

    def sound(self, text: str, read: bool) -> None:
        """Count a sound message, and whether it was read as it was meant."""
        self.valid += 1
        if not read:
            self.refused.append(repr(text[:80]))

    # One message each

    def malformed(self, drawn: tuple[str, set[str]]) -> None:
        """Wrong by construction: nothing of it may be read, here or in an exchange."""
        text, _ = drawn
        accepted = isinstance(self.counted(scan, text), Message)
        for asked in (None, PENDING):
            accepted |= self.counted(check_message, text, TASKS, "Bob", asked).label is None
        self.hostile("malformed", text, accepted)

    def quoted(self, drawn: tuple[str, str]) -> None:
        """Whatever is quoted is refused, or is words and nothing more, wherever it is delivered."""
        words, place = drawn
        text, meant = QUOTING[place](words)
        found = self.counted(scan, text)
        forged = isinstance(found, Message) and found != meant
        forged |= PLAN in self.counted(as_written, text)
        if isinstance(found, Message):
            forged |= not _arrives(words)
        self.hostile(f"in a {place}", text, forged)

    def soup(self, text: str) -> None:
        """What was read holds no tag of ours, nor does what was left over."""
        found = self.counted(scan, text)
        forged = False
        if isinstance(found, Message):
            said = [found.speech, found.accept, found.reject, found.claim]
            forged = any(_OURS.search(each or "") for each in said)
            forged |= found.accept is not None and not _ACCEPT.search(text)
        self.hostile("in any order", text, forged)

    def disguise(self, text: str) -> None:
        """A look-alike of a name or a description is refused."""
        verdict = self.counted(check_message, f"{REJECT}{text}", TASKS, "Bob", PENDING)
        self.hostile("in disguise", text, verdict.label is None)

    def meant(self, drawn: tuple[str, Message]) -> None:
        """A sound message is read as it was meant."""
        text, message = drawn
        self.sound(text, self.counted(scan, text) == message)

    def allocated(self, drawn: tuple[str, dict[str, str] | None, dict[str, str]]) -> None:
        """A valid exchange message is accepted, and accepted again as it is delivered."""
        text, asked, masks = drawn
        first = self.counted(check_message, text, TASKS, "Bob", asked)
        again = self.counted(check_message, as_written(text), TASKS, "Bob", asked)
        self.sound(text, first.label is None and first.masks == again.masks == masks)


def attempt(folder: Path, times: int) -> Finding:
    """Send so many forgeries and, to see that not everything is refused, sound messages."""
    tally, tenth = Tally(), max(1, times // 10)
    places = st.tuples(breakouts, st.sampled_from(sorted(QUOTING)))
    _drawn(forgeries(), 4 * tenth, tally.malformed)
    _drawn(places, 3 * tenth, tally.quoted)
    _drawn(soups, tenth, tally.soup)
    _drawn(disguised(), 2 * tenth, tally.disguise)
    _drawn(said_in_the_open(), tenth, tally.meant)
    _drawn(exchanged(), tenth, tally.allocated)
    part = len(tally.refused) / tally.valid
    kinds = ", ".join(f"{n:,} {family}" for family, n in sorted(tally.messages.items()))
    return Finding(
        tried=f"{tally.messages.total():,} hostile messages ({kinds}), {tally.valid:,} sound ones",
        figure=f"{len(tally.forged)} accepted as what their author did not say, at most "
        f"{tally.most:,} steps each, {100 * part:.2f} % of the sound ones refused"
        f"{'; '.join(['', *tally.forged[:3], *tally.refused[:3]])}",
        held=not tally.forged and tally.most <= STEPS and part <= VALID_REFUSED,
    )


def _drawn(strategy: st.SearchStrategy[Any], times: int, check: Callable[[Any], None]) -> None:
    """Check so many examples, the same ones every time."""
    every = settings(
        max_examples=times,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    every(given(strategy)(check))()


def _arrives(words: str) -> bool:
    """Whether a letter gives back what was said, as data, and its own facts unchanged."""
    line = {"id": "m1", "by": "Bob", "does": "propose", "says": words}
    own = {"you": "Alice", "ask": "answer", "history": [line]}
    told = write_history([line])
    kept = facts_of_text(with_facts(f"# So far\n\n{told}", own)) == own
    whole = f"Bob: {quote(words)}" if words else "Bob"
    return kept and told == whole and json.loads(quote(words)) == words


PROOFS = {
    "wire": Proof(
        promise="No forged deal",
        goal=f"0 accepted, ≤ {STEPS:,} steps each, ≤ 0.1 % of valid ones refused",
        not_promised=(
            "Harmless joiners are removed from messages. Words outside of elements, and the words "
            "of a speech, are not covered."
        ),
        attempt=attempt,
        short=1_000,
        long=100_000,
    )
}

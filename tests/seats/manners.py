"""Thirty ways in which small models spoil the form of a sound answer, each at a stated rate.

`Sloppy` stands between a sound reply and the wire of `StubOpenAI`: what the answer means stays as
it is, and how it is written does not. What happens is drawn from the model's name and the number
of its call alone, so that two versions of the program are sent the same kinds.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.stub_faults import Completion

RATE = 0.1
"""Of the answers to which a kind can happen, the part to which it does; each kind by itself."""

THOUGHT = "I could say <ACCEPT>, or List<int>, or <your answer here>."
"""What a model may think, naming tags and writing what looks like some."""

Clause = dict[str, Any]

_PROPOSAL = re.compile(r"(<PROPOSAL>)(.*?)(</PROPOSAL>)", re.DOTALL)
_ACTION = re.compile(r"<ACTION>([^<\s]+)</ACTION>")
_TAG = re.compile(r"</?(?:s|PROPOSAL|ACCEPT|REJECT|ACTION|CLAIM)>")


@dataclass(frozen=True)
class Manner:
    """One kind of sloppiness; a function that is None, or returns None, does not apply.

    Attributes:
        name: what is odd about the answer.
        clauses: of the clauses of an offer.
        notation: of the text of its JSON; by a schema or a call the whole answer is JSON.
        words: of an answer in tags.
        value: of an action or a claim, by its name in the schema.
        form: of an answer by a schema or a call, as a whole, with the same answer in tags.
        guess: whether it cannot be read without a guess, so that asking back is right.
    """

    name: str
    clauses: Callable[[list[Clause]], Any] | None = None
    notation: Callable[[str], str] | None = None
    words: Callable[[str], str | None] | None = None
    value: Callable[[str, Any], Any] | None = None
    form: Callable[[Completion, str], Completion | None] | None = None
    guess: bool = False


def _amounts(write: Callable[[Any], Any]) -> Callable[[list[Clause]], Any]:
    def spoil(clauses: list[Clause]) -> Any:
        if not any("amount" in clause for clause in clauses):
            return None
        return [{**c, "amount": write(c["amount"])} if "amount" in c else c for c in clauses]

    return spoil


def _renamed(**names: str) -> Callable[[list[Clause]], Any]:
    def spoil(clauses: list[Clause]) -> Any:
        if not any(name in clause for clause in clauses for name in names):
            return None
        return [{names.get(key, key): x for key, x in clause.items()} for clause in clauses]

    return spoil


def _always(clauses: list[Clause]) -> Any:
    open_ = [clause for clause in clauses if clause.get("when") is None]
    return [{**c, "when": c.get("when") or "always"} for c in clauses] if open_ else None


def _swapped(pattern: str, by: str, last: bool = False) -> Callable[[str], str | None]:
    """Write something else in place of what a pattern finds, if it finds it."""

    def spoil(text: str) -> str | None:
        found = list(re.finditer(pattern, text, re.DOTALL))
        if not found or (last and found[-1].end() != len(text.rstrip())):
            return None
        one = found[-1]
        return text[: one.start()] + one.expand(by) + text[one.end() :]

    return spoil


def _value_in_tags(tag: str, write: Callable[[str], str]) -> Callable[[str], str | None]:
    pattern = re.compile(f"<{tag}>([^<]*)</{tag}>")

    def spoil(text: str) -> str | None:
        found = pattern.search(text)
        if not found or " " in found[1].strip():
            return None
        return text[: found.start()] + write(found[1]) + text[found.end() :]

    return spoil


def _in_words(text: str) -> str | None:
    """Yes in words alone."""
    return "I agree to this offer." if "<ACCEPT>" in text and "<PROPOSAL>" not in text else None


def _untagged(text: str) -> str | None:
    """A private plan, and nothing else, without its envelope."""
    whole = re.fullmatch(r"\s*<CONSIDER>(.*)</CONSIDER>\s*", text, re.DOTALL)
    return whole[1] if whole else None


def _thought(text: str) -> str | None:
    return None if "<CONSIDER>" in text else f"<br>\n<CONSIDER>{THOUGHT}</CONSIDER>\n\n{text}"


def _two(text: str) -> str | None:
    return f"{text} or <ACTION>wait</ACTION>?" if _ACTION.search(text) else None


def _percent(claim: str) -> str:
    return f"<CLAIM>about {claim.rstrip('% ')} percent</CLAIM>"


def _other_form(said: Completion, text: str) -> Completion:
    """Tags where a schema or a call was asked for."""
    return Completion(f"Here is my answer.\n\n{text}")


def _other_tool(said: Completion) -> Completion:
    return replace(said, tool_calls=tuple(("respond", told) for _, told in said.tool_calls))


def _fenced(text: str) -> str:
    return f"```json\n{text}\n```"


def _comma(text: str) -> str:
    return f"{text.rstrip()[:-1]},{text.rstrip()[-1]}"


def _single(text: str) -> str:
    return text if "'" in text or '\\"' in text else text.replace('"', "'")


MANNERS = (
    Manner("`$3`", clauses=_amounts(lambda x: f"${x}")),
    Manner("`3 points`", clauses=_amounts(lambda x: f"{x} points")),
    Manner("an extra key", clauses=lambda cs: [{**c, "reason": "It is fair."} for c in cs]),
    Manner("`type` for `kind`", clauses=_renamed(kind="type")),
    Manner("`from` and `to` of a payment", clauses=_renamed(payer="from", payee="to")),
    Manner('`"when": "always"`', clauses=_always),
    Manner(
        "a bare list, or one clause without a list",
        clauses=lambda clauses: clauses[0] if len(clauses) == 1 else None,
        words=_swapped(r'\{"clauses": (\[.*\])\}(?=</PROPOSAL>)', r"\1"),
    ),
    Manner("a comma too many", notation=_comma),
    Manner("single quotes", notation=_single),
    Manner("a comment in the JSON", notation=lambda text: text[:1] + " // mine\n" + text[1:]),
    Manner("the JSON in a fence", notation=_fenced),
    Manner("words around the JSON", notation=lambda text: f"Here it is: {text} I hope it is fair."),
    Manner("words inside <ACCEPT>", words=_swapped(r"<ACCEPT>$", "<ACCEPT>I agree</ACCEPT>")),
    Manner("`<ACCEPT/>`", words=_swapped(r"<ACCEPT>$", "<ACCEPT/>")),
    Manner("yes in words alone", words=_in_words, guess=True),
    Manner("a plan without its tags", words=_untagged),
    Manner(
        "an action in quotes and another case",
        words=_value_in_tags("ACTION", lambda x: f'<ACTION>"{x.upper()}".</ACTION>'),
        value=lambda name, x: f'"{x.upper()}".' if name == "action" else None,
    ),
    Manner("`Action: x`", words=_value_in_tags("ACTION", lambda x: f"\n\n**Action: {x}**")),
    Manner(
        "a call written as words",
        words=_value_in_tags(
            "ACTION", lambda x: json.dumps({"name": "ACTION", "arguments": {"action": x}})
        ),
    ),
    Manner("two actions", words=_two, guess=True),
    Manner(
        "a claim in words",
        words=_value_in_tags("CLAIM", _percent),
        value=lambda name, x: f"about {x} percent" if name == "percent" else None,
    ),
    Manner("tags in lower case", words=lambda text: _TAG.sub(lambda t: t[0].lower(), text)),
    Manner("bold tags", words=_swapped(r"<(ACCEPT|REJECT)>", r"**<\1>**")),
    Manner("`</s>` left out", words=_swapped(r"</s>(?=\s*<)", "\n")),
    Manner("the last tag not closed", words=_swapped(r"</\w+>\s*", "", last=True)),
    Manner(
        "headings and words around",
        words=lambda text: f"## My answer\n\nSure!\n\n{text}\n\n## Why\n\nIt is fair.",
        form=lambda said, _: replace(said, text=f"Sure! Here it is.\n\n{said.text}"),
    ),
    Manner("tags and HTML in private words", words=_thought),
    Manner("a byte order mark and a joiner", words=lambda text: f"\ufeff👩\u200d🌾 {text}"),
    Manner(
        "a thinking block",
        words=lambda text: f"<think>{THOUGHT}</think>\n{text}",
        form=lambda said, _: replace(said, text=f"<think>{THOUGHT}</think>{said.text}"),
    ),
    Manner("another form or tool than was asked for", form=_other_form),
)
"""The thirty, in the order in which they happen to one answer. Of an answer by schema or call the
last is tags in its place, or half of the time a call of a tool that nobody offered."""


class Sloppy:
    """An endpoint's manner: what a sound seat says in tags, in the form asked for, and spoilt.

    Args:
        reply: the seat's answer in tags.
        in_form: puts it into the form that the request asks for.
        manners: the kinds that happen.
        rate: of each kind.

    Attributes:
        seen: how often each kind happened.
        answers: how many answers were given, and `spoilt`, how many of them were spoilt.
    """

    def __init__(
        self,
        reply: Callable[[list[dict[str, Any]], dict[str, Any]], str],
        in_form: Callable[[str, dict[str, Any]], str | Completion] = lambda text, _: text,
        manners: Sequence[Manner] = MANNERS,
        rate: float = RATE,
    ) -> None:
        self.seen: Counter[str] = Counter()
        self.answers = self.spoilt = 0
        self._reply, self._in_form, self._rate = reply, in_form, rate
        self._manners = manners
        self._calls: Counter[str] = Counter()
        self._text = ""

    def say(self, messages: list[dict[str, Any]], request: dict[str, Any]) -> str | Completion:
        """The sound answer: the stub's reply."""
        self._text = self._reply(messages, request)
        return self._in_form(self._text, request)

    def spoil(self, said: Completion, request: Mapping[str, Any]) -> Completion:
        """What is sent in its place: the stub's manner."""
        model = str(request["model"])
        self._calls[model] += 1
        draw = Random(f"{model} {self._calls[model]}")
        # Drawn for all kinds at once: what happens to one answer is the same in every form.
        drawn = [manner for manner in self._manners if draw.random() < self._rate]
        in_form = bool(request.get("tools") or request.get("response_format"))
        before = said
        for manner in drawn:
            spoilt = self._formed(manner, said, draw) if in_form else _tagged(manner, said)
            if spoilt is not None and spoilt != said:
                self.seen[manner.name] += 1
                said = spoilt
        self.answers += 1
        self.spoilt += said != before
        return said

    def _formed(self, manner: Manner, said: Completion, draw: Random) -> Completion | None:
        """A kind in an answer by a schema, or by a call."""
        if manner.form is _other_form and said.tool_calls and draw.random() < 0.5:
            return _other_tool(said)
        if manner.form is not None:
            return manner.form(said, self._text)
        if said.tool_calls:
            ((tool, arguments),) = said.tool_calls
            spoilt = _json(manner, arguments)
            return None if spoilt is None else replace(said, tool_calls=((tool, spoilt),))
        spoilt = _json(manner, said.text)
        return None if spoilt is None else replace(said, text=spoilt)


def _tagged(manner: Manner, said: Completion) -> Completion | None:
    """A kind in an answer in tags."""
    if manner.words is not None and (words := manner.words(said.text)) is not None:
        return replace(said, text=words)
    found = _PROPOSAL.search(said.text)
    spoilt = _json(manner, found[2]) if found else None
    if not found or spoilt is None:
        return None
    return replace(said, text=said.text[: found.start(2)] + spoilt + said.text[found.end(2) :])


def _json(manner: Manner, text: str) -> str | None:
    """A kind in JSON: in its notation, in its clauses, or in a value."""
    if manner.notation is not None:
        return manner.notation(text)
    try:
        fields = json.loads(text)
    except ValueError:  # spoilt already
        return None
    if not isinstance(fields, dict):
        return None
    if manner.clauses is not None and fields.get("clauses"):
        clauses = manner.clauses(fields["clauses"]) if isinstance(fields["clauses"], list) else None
        return None if clauses is None else json.dumps({**fields, "clauses": clauses})
    if manner.value is not None:
        values = {name: manner.value(name, x) for name, x in fields.items() if x is not None}
        told = {name: x for name, x in values.items() if x is not None}
        return json.dumps({**fields, **told}) if told else None
    return None

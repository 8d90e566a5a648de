"""The readers of an action or a claim, written inside its tag or as an answer's last line.

>>> legal = ["cooperate", "defect"]
>>> choose(Message(action='"Cooperate".'), legal)
('cooperate', 'read "Cooperate". as cooperate')
>>> choose(Message(outside="I trust Bob.\\n**Action: cooperate**"), legal)
('cooperate', 'read the last line as the action')
>>> choose(Message(outside="I will keep the contract and cooperate."), legal).label
'MPT'
>>> choose(Message(outside="To defect is tempting.\\n```\\nCooperate – it lasts\\n```"), legal)[0]
'cooperate'
>>> choose(Message(outside="Ben is fair.\\nI vote for Ben."), ["Ann", "Ben"])
('Ben', 'read the last line as the action')
>>> choose(Message(action="delegate my move to the mediator"), [*legal, "delegate"])[0]
'delegate'
>>> read_claim(Message(claim="about 12 percent"))
(Fraction(3, 25), 'read about 12 percent as 12 %')
>>> read_claim(Message(claim="1")).feedback
'Is 1 a part (100 %), or 1 %? Write it with its sign: 100% or 1%.'
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.hedges import unfinished, written_lines
from shapley_coop.deals.language.lenient_json import Json, read_json
from shapley_coop.deals.language.meant import find_action, find_meant, unwrap
from shapley_coop.deals.language.reading import ANNOTATIONS
from shapley_coop.deals.language.wire import Message
from shapley_coop.games.actions import told_actions

Choice = tuple[str, str]
"""An action, and the repair made in reading the action, in words; "" if there was none."""

Also = Callable[[str], Sequence[str]]
"""An action → other words for it."""

_LABELLED = re.compile(
    r"[\s*`_#>-]{0,12}(?:(?:my |final |chosen )?(?:action|choice|move|claim|vote|decision)"
    r"[\s*`_]{0,6}[:=]|i vote for\b)(.{1,200})",
    re.IGNORECASE,
)
_NAMES = ("action", "choice", "move", "vote", "decision")
_CARRIERS = ("arguments", "parameters", "input")
_BESIDE = {*_NAMES, *_CARRIERS, *ANNOTATIONS, "thoughts", "speech", "name", "type", "confidence"}
"""The keys of an action written as JSON; any other key could deny or restrict it."""

_MOST_LINES = 200
_LONGEST_NAME = 200


def choose(message: Message, legal: Sequence[str], also: Also | None = None) -> Choice | Fault:
    """Return the action that an answer names, or a fault if the answer names none or several.

    The action's name is read leniently. The argument of an action (`write_code {"path": …}`) is not
    changed. Text in the tag that names no legal action is returned unchanged.

    Args:
        message: the answer.
        legal: the legal actions.
        also: gives the other words by which letters call an action.
    """
    if message.action is not None:
        return _in_tag(message.action, legal, also)
    named = {_find_now(said, legal) for said in _candidates(message.outside, legal)}
    found = {action for action in named if action}
    if len(found) > 1:
        both = " and ".join(sorted(found))
        return Fault("DUP", f"You name {both}: choose one, in one <ACTION>…</ACTION>.")
    if found:
        return found.pop(), "read the last line as the action"
    return Fault(
        "MPT",
        "Your answer has no <ACTION>…</ACTION>: write one, around one of "
        f"{', '.join(told_actions(legal))}.",
    )


def chosen_of(message: Message, choices: Sequence[str], told: Sequence[str] = ()) -> Choice | Fault:
    """Return the action that `choose` reads; it must be in `choices` and have no argument.

    Args:
        message: the answer.
        choices: all actions that the answer may choose.
        told: the actions that the feedback on a fault lists; () for all choices.
    """
    told = told or choices
    found = choose(message, choices)
    if isinstance(found, Fault):
        again = choose(message, told)
        return again if isinstance(again, Fault) else found
    if found[0] in choices:
        return found
    said = " ".join(found[0].split())[:60]
    return Fault("ACTION", f"You chose {said!r}. Choose one of: {', '.join(told)}.")


def read_claim(message: Message) -> tuple[Fraction, str] | Fault:
    """Return the claimed fraction of the total (0 to 1), and the answer's repair in words or ""."""
    said = message.claim
    if said is None:
        above, last = ["", "", *written_lines(message.outside)][-2:]
        found = _LABELLED.fullmatch(last)
        alone = _ALONE.fullmatch(unwrap(last)) and not _ALONE.fullmatch(unwrap(above))
        said = found[1] if found else last if alone else None
    if said is None:
        return Fault("CLAIM", _CLAIM)
    read = _part(said)
    again = [_part(each) for each in _SAID_AGAIN.split(unwrap(said)) if each]
    parts = {None if isinstance(each, Fault) else each[0] for each in again}
    if isinstance(read, Fault) and len(parts) == 1 and (part := parts.pop()) is not None:
        return part, f"read {said.strip()[:40]} as {plain(part * 100)} %"
    return read


_SAID_AGAIN = re.compile(r"[,;]\s{1,3}(?:i\.?e\.?,?\s|or\s|so\s)?|\s?[=()]\s?|\s(?:or|i\.?e\.?)\s")
"""Text between two forms of one part, as in "half, 50 %"."""


def _part(said: str) -> tuple[Fraction, str] | Fault:
    """Return the fraction that a text states, and its repair in words or ""; or a fault."""
    if (part := _IN_WORDS.get(unwrap(said).casefold())) is not None:
        return part, f"read {said.strip()[:40]} as {plain(part * 100)} %"
    if doubtful := _UNDER_PERCENT.fullmatch(unwrap(said)):
        return _one_of(doubtful[1])
    bare = _ABOUT.sub("", _SAYING.sub("", unwrap(said), count=1), count=1)
    words = _TOO_FINE.sub(r"\1", _PERCENT.sub("%", bare).strip())
    number = words.removesuffix("%").strip()
    try:
        part = parse_exact(words)
    except ValueError:
        return Fault("CLAIM", f"{said[:40]!r} is no part: {_CLAIM}")
    if number == words and number == "1":
        return _one_of(number)
    whole = number == words and part > 1
    if whole:
        part /= 100
    if not 0 <= part <= 1:
        return Fault("CLAIM", f"{said[:40]!r} is not from 0 to 100 %: {_CLAIM}")
    as_it_is = words == said.strip() and not whole
    return part, "" if as_it_is else f"read {said.strip()[:40]} as {plain(part * 100)} %"


_ALONE = re.compile(r"\d{1,3}(?:\.\d{1,6})?\s{0,3}(?:%|percent|per cent)", re.I)
"""A percentage that fills a whole line."""

_SAYING = re.compile(
    r"^(?:(?:i|my|p|part|share|claim|say|is|was)(?![\w.])[\s:=]{0,4}){1,6}(?=\S)", re.IGNORECASE
)
"""Words before the number that only introduce the claim, as in "my share is"."""


_IN_WORDS = {
    f"{one}{words}": part
    for words, part in {
        "half": Fraction(1, 2),
        "third": Fraction(1, 3),
        "quarter": Fraction(1, 4),
        "fifth": Fraction(1, 5),
    }.items()
    for one in ("", "a ", "one ")
} | {"nothing": Fraction(0), "two thirds": Fraction(2, 3), "three quarters": Fraction(3, 4)}
"""Parts that are written as words."""


def _one_of(number: str) -> Fault:
    """Return the fault that asks whether a number up to 1 is a fraction or a percentage.

    >>> _one_of("0.55").feedback
    'Is 0.55 a part (55 %), or 0.55 %? Write it with its sign: 55% or 0.55%.'
    """
    whole = plain(parse_exact(number) * 100)
    asked = f"Is {number} a part ({whole} %), or {number} %?"
    return Fault("CLAIM", f"{asked} Write it with its sign: {whole}% or {number}%.")


_UNDER_PERCENT = re.compile(r"percent(?:age)?\s{0,3}[:=]\s{0,3}(1(?:\.0{1,9})?|0?\.\d{1,9})", re.I)
"""A number up to 1 labelled as a percentage; it may mean a fraction instead: 0.5 for 50 %."""

_CLAIM = "state one <CLAIM>…</CLAIM> from 0 to 100 %, as in 40%."
_ABOUT = re.compile(
    r"^(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|~|≈)\s{0,3}", re.I
)
_TOO_FINE = re.compile(r"^(\d{1,3}\.\d{6})\d{1,30}(?=%?$)")
"""A percentage with too many decimals, as in 33.333333333; six decimals are kept."""

_PERCENT = re.compile(r"\s{0,3}(?:percent|per cent|pct|%)$", re.IGNORECASE)


def _find_now(said: str, legal: Sequence[str]) -> str | None:
    """Return the one legal action that a text chooses; None for long texts."""
    return find_action(said, legal, now=True) if len(said) <= _LONGEST_NAME else None


def _in_tag(said: str, legal: Sequence[str], also: Also | None) -> Choice | Fault:
    """Return the action inside the tag; text that cannot be read is returned unchanged."""
    if said in legal:
        return said, ""
    if labelled := _LABELLED.fullmatch(said):
        said = labelled[1]
    action = _find_now(said, legal) or _called_so(said, legal, also) or _same_call(said, legal)
    if action := action or _in_other_words(said, legal, also):
        return action, f"read {said.strip()[:40]} as {action}"
    name, carried = (*said.strip().split(maxsplit=1), "")[:2] if said.strip() else ("", "")
    if carried:
        label = find_meant(name.rstrip(":"), [one for one in legal if " " not in one])
        twice, behind = (*carried.split(maxsplit=1), "")[:2]
        if label and find_meant(twice.rstrip(":"), [label]):
            name, carried = f"{name} {twice}", behind
        if label and carried.startswith(("{", "```")):
            return f"{label} {carried}", "" if label == name else f"read {name[:40]} as {label}"
    return said, ""


_QUOTING = re.compile(r"[\"'“”‘’`*]|\.(?=\s*(?:[,)]|$))|\(\s*\)|[\s_]+")
"""Parts ignored in comparing calls: quotation marks, blanks, full stops ending a value, ()."""

_KEY = re.compile(r"(?<=[(,])\w{1,60}=")
"""The name of an argument, which a call may leave out."""


def _same_call(said: str, legal: Sequence[str]) -> str | None:
    """Return the one legal action equal to a text except for marks, blanks and arguments' names.

    >>> calls = ["apply_for_job(job=Cook)", "note(content=Buy milk.)", "order_taxi"]
    >>> _same_call("apply for job (Cook)", calls), _same_call('note(content="Buy milk")', calls)
    ('apply_for_job(job=Cook)', 'note(content=Buy milk.)')
    >>> _same_call("order_taxi()", calls), _same_call("apply for job (Nurse)", calls)
    ('order_taxi', None)
    """

    def bare(call: str) -> str:
        return _KEY.sub("", _QUOTING.sub("", call)).casefold()

    found = [one for one in legal if bare(one) == bare(said)]
    return found[0] if len(found) == 1 else None


def _in_other_words(said: str, legal: Sequence[str], also: Also | None) -> str | None:
    """Return the one legal action that letters also call so.

    >>> words = {"order_taxi": ["Order a taxi."], "print_document": ["Print the handouts."]}
    >>> _in_other_words("order a taxi", list(words), words.get)
    'order_taxi'
    """
    if also is None:
        return None
    found = {one for one in legal if _same_call(said, also(one))}
    return found.pop() if len(found) == 1 else None


def _called_so(said: str, legal: Sequence[str], also: Also | None = None) -> str | None:
    """Return the only legal call that an agent means by its action and words of its arguments.

    All words must be words of this call, or of what letters call it.

    >>> calls = ["note(text=Buy Milk, to=me)", "apply(job=Cook)", "apply(job=Baker)", "wait"]
    >>> _called_so("note()", calls), _called_so("apply", calls), _called_so("wait", calls)
    ('note(text=Buy Milk, to=me)', None, None)
    >>> _called_so("note (buy the milk)", calls), _called_so("note (buy bread)", calls)
    ('note(text=Buy Milk, to=me)', None)
    >>> _called_so("apply job baker", calls), _called_so("do not apply, baker", calls)
    ('apply(job=Baker)', None)
    """
    fronts = {one: one.partition("(")[0] for one in legal if "(" in one}
    front, _, inside = said.partition("(")
    name = find_meant(front, {*fronts.values()})
    words, found = _words_of(inside if name else said) - {"a", "an", "the"}, []
    for call, title in fronts.items():
        named = title == name if name else _words_of(title) <= words
        if named and words <= _words_of(" ".join([call, *(also(call) if also else ())])):
            found.append(call)
    return found[0] if len(found) == 1 else None


def _words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def _candidates(outside: str, legal: Sequence[str]) -> Iterator[str]:
    """Yield texts of an untagged answer that may name its action: certain lines, or a tool call.

    These are labelled lines and the last two lines; the choice is unclear if the two disagree.
    """
    lines = written_lines(outside)[-_MOST_LINES:]
    labelled = [found[1] for line in lines if (found := _LABELLED.fullmatch(line))]
    listed = bool(lines and _BULLET.match(lines[-1]))
    ends = [_BULLET.sub("", line, count=1) if listed else line for line in lines[-2:]]
    alone = lines and not unfinished("".join(lines[-2:-1])) and _find_now(ends[-1], legal)
    if alone or (lines and _LABELLED.fullmatch(lines[-1])):
        yield from (*labelled, *ends)
    words = outside.strip()
    begin = words.find("{")
    call = read_json(words, begin) if begin >= 0 else ""
    if isinstance(call, Json) and not words[call.end :].strip(" `\r\n"):
        yield from _actions_called(call.value)


_BULLET = re.compile(r"\s*[-*>#]\s+")


def _actions_called(call: Any, deep: int = 0) -> Iterator[str]:
    """Yield the actions in a tool call written as text: {"arguments": {"action": …}}."""
    if not isinstance(call, dict) or deep > 2 or call.keys() - _BESIDE:
        return
    for key in _NAMES:
        if isinstance(call.get(key), str):
            yield call[key]
    for key in _CARRIERS:
        yield from _actions_called(call.get(key), deep + 1)

"""The reader of an action, written inside its tag or as an answer's last line.

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
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.hedges import unfinished, written_lines
from shapley_coop.deals.language.lenient_json import Json, read_json
from shapley_coop.deals.language.meant import Also, find_action, find_meant, unwrap
from shapley_coop.deals.language.reading import ANNOTATIONS
from shapley_coop.deals.language.wire import Message
from shapley_coop.games.actions import told_actions

Choice = tuple[str, str]
"""An action, and the repair made in reading the action, in words; "" if there was none."""

LABELLED = re.compile(
    r"[\s*`_#>-]{0,12}(?:(?:my |final |chosen )?(?:action|choice|move|claim|vote|decision)"
    r"[\s*`_]{0,6}[:=]|i vote for\b)(.{1,200})",
    re.IGNORECASE,
)
"""A line that is labelled as the choice, as in "Action: wait"."""

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
    named = {_find_now(said, legal, also) for said in _candidates(message.outside, legal, also)}
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


def chosen_of(
    message: Message, choices: Sequence[str], told: Sequence[str] = (), also: Also | None = None
) -> Choice | Fault:
    """Return the action that `choose` reads; it must be in `choices` and have no argument.

    Args:
        message: the answer.
        choices: all actions that the answer may choose.
        told: the actions that the feedback on a fault lists; () for all choices.
        also: gives the other words by which letters call an action.
    """
    told = told or choices
    found = choose(message, choices, also)
    if isinstance(found, Fault):
        again = choose(message, told)
        return again if isinstance(again, Fault) else found
    if found[0] in choices:
        return found
    said = " ".join(found[0].split())[:60]
    return Fault("ACTION", f"You chose {said!r}. Choose one of: {', '.join(told)}.")


def _find_now(said: str, legal: Sequence[str], also: Also | None) -> str | None:
    """Return the one legal action that a text chooses; None for long texts."""
    return find_action(said, legal, True, also) if len(said) <= _LONGEST_NAME else None


def _in_tag(said: str, legal: Sequence[str], also: Also | None) -> Choice | Fault:
    """Return the action inside the tag; text that cannot be read is returned unchanged."""
    if said in legal:
        return said, ""
    if fenced := _FENCED.fullmatch(said):
        said = fenced[1]
    if labelled := LABELLED.fullmatch(said):
        said = labelled[1]
    action = (
        _find_now(said, legal, also)
        or _called_so(said, legal, also)
        or _same_call(said, legal, also)
    )
    if action := action or _keeping(unwrap(said).casefold(), legal):
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


_FENCED = re.compile(r"\s*```\w{0,20}\n((?:(?!```).)*)```\s*", re.DOTALL)
"""A whole text within one code fence."""

_QUOTING = re.compile(r"[\"'“”‘’`*]|\.(?=\s*(?:[,)]|$))|\(\s*\)|[\s_]+")
"""Parts ignored in comparing calls: quotation marks, blanks, full stops ending a value, ()."""

_KEY = re.compile(r"(?<=[(,])\w{1,60}=")
"""The name of an argument, which a call may leave out."""


def _same_call(said: str, legal: Sequence[str], also: Also | None = None) -> str | None:
    """Return the one legal action, or one with other words, equal to a text except for marks.

    Marks include blanks and arguments' names.

    >>> calls = ["apply_for_job(job=Cook)", "note(content=Buy milk.)", "order_taxi"]
    >>> _same_call("apply for job (Cook)", calls), _same_call('note(content="Buy milk")', calls)
    ('apply_for_job(job=Cook)', 'note(content=Buy milk.)')
    >>> _same_call("order_taxi()", calls), _same_call("apply for job (Nurse)", calls)
    ('order_taxi', None)
    """

    def bare(call: str) -> str:
        return _KEY.sub("", _QUOTING.sub("", call)).casefold()

    words = {one: [one, *(also(one) if also else ())] for one in legal}
    found = [one for one, told in words.items() if bare(said) in map(bare, told)]
    return found[0] if len(found) == 1 else None


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
    lead = said.casefold().split(maxsplit=1)[:1]
    fronts = {one: one.partition("(")[0] for one in legal if "(" in one}
    front, _, inside = said.partition("(")
    name = find_meant(front, {*fronts.values()})
    words, found = _words_of(inside if name else said) - {"a", "an", "the"}, []
    for call, title in fronts.items():
        told = also(call) if also else ()
        begins = any(one.casefold().split(maxsplit=1)[:1] == lead for one in told)
        named = title == name if name else begins or _words_of(title) <= words
        if named and words <= _words_of(" ".join([call, *told])):
            found.append(call)
    return found[0] if len(found) == 1 else None


def _keeping(said: str, legal: Sequence[str]) -> str | None:
    """Return the action that a text means by what another action would give: "keep my wood".

    >>> legal = ["keep", "give 1 wood to Bob"]
    >>> _keeping("keep my wood", legal), _keeping("keep the promise", legal)
    ('keep', None)
    """
    found = re.fullmatch(r"(?:i (?:will )?)?(\w+) (?:all )?(?:my|the) (\w+)", said)
    if found is None or found[1] not in legal:
        return None
    goods = _words_of(" ".join(one for one in legal if " " in one)) - {*legal}
    return found[1] if found[2] in goods else None


def _words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def _candidates(outside: str, legal: Sequence[str], also: Also | None) -> Iterator[str]:
    """Yield texts of an untagged answer that may name its action: certain lines, or a tool call.

    These are labelled lines and the last two lines; the choice is unclear if the two disagree.
    """
    lines = written_lines(outside)[-_MOST_LINES:]
    labelled = [found[1] for line in lines if (found := LABELLED.fullmatch(line))]
    listed = bool(lines and _BULLET.match(lines[-1]))
    ends = [_BULLET.sub("", line, count=1) if listed else line for line in lines[-2:]]
    alone = lines and not unfinished("".join(lines[-2:-1])) and _find_now(ends[-1], legal, also)
    if alone or (lines and LABELLED.fullmatch(lines[-1])):
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

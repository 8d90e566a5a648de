"""The parser of clauses in plain English: it reads only the sentences that `Deal.text` writes.

>>> acts = {"Ann": ["give", "keep"], "Ben": ["give", "keep"]}
>>> terms = Terms(agents=["Ann", "Ben"], actions=acts, turns=3)
>>> said = "I propose: Ann does give at every turn. Ben pays Ann 0.5, once, at turn 3."
>>> print(read_words(said, terms).text())
c1. Ann does give at every turn.
c2. Ben pays Ann 0.5, once, at turn 3.
>>> read_words("Ann does give at every turn. Ben will be kind.", terms).feedback
'No clause says what the words say of Ben.'
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import ValidationError

from shapley_coop.deals.language.deal import MAX_CLAUSES, Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.deals.written.document import find_mentions
from shapley_coop.games.actions import actions_of_all

_AMOUNT = r"\d+(?:\.\d+)?(?:/\d+)?"
_ENDS = re.compile(r"Of the contract that stands, (c\d{1,4}) ends\.")
_AGREED = re.compile(
    r"\W*(?:(?:well|great|thanks|thank you|yes|ok|okay|alright|all right|sure)\W+)*"
    r"(?:i(?:['’](?:d|ll|m))? (?:\w+ ){0,2}?(?:agree|accept|approve|consent|sign)"
    r"|we (?:all |both )?(?:agree|accept)(?! that| to| on)"
    r"|(?:yes|ok|okay|agreed|accepted|approved|deal|it'?s a deal|(?:we|you) have a deal|fine"
    r"|sure|done|signed|very well|alright|all right|that works|sounds (?:good|fair|fine)))\b",
    re.IGNORECASE,
)
_YET = re.compile(
    r"\b(?:but|yet|however|instead|unless|except|provided|if|rather|not|cannot|never|propose|"
    r"suggest|counter\w*|change|add)\b|n['’]t\b",
    re.IGNORECASE,
)
_Read = tuple[Any, int]
"""A parsed value, and the index after it in the text."""


def read_words(text: str, terms: Terms) -> Deal | Fault:
    """Return the deal that a text proposes in the sentences of `Deal.text`, or a fault (WORDS).

    Words around the clauses are ignored. If such words name a party, an action or a number, the
    result is a fault. Cost: linear in the text.
    """
    drops = _ENDS.findall(text)
    text = _ENDS.sub(" ", text)
    reader, clauses, rest, at = _Reader(terms), list[Any](), "", 0
    while at < len(text):
        begins = at == 0 or not text[at - 1].isalnum()
        found = reader.clause(text, at) if begins else None
        if found:
            clause, at = found
            clauses.append(clause)
        else:
            rest, at = rest + text[at], at + 1
    if unread := find_mentions(rest, terms):
        told = ", ".join(dict.fromkeys(unread))
        return Fault("WORDS", f"No clause says what the words say of {told}.")
    if not clauses:
        return Fault("WORDS", "The words hold no clause.")
    if len(clauses) > MAX_CLAUSES:
        return Fault("WORDS", f"The words hold {len(clauses)} clauses: at most {MAX_CLAUSES}.")
    try:
        return Deal.model_validate({"clauses": clauses, "drops": drops})
    except ValidationError:
        return Fault("WORDS", "A number or a name in the words is none that a clause can hold.")


def agrees(text: str) -> bool:
    """Return whether a text agrees to the current offer without a condition or a counter-offer.

    In doubt the result is True: the agent is then asked again, and can still disagree.
    """
    first, *more = re.split(r"[.!;\n]", text)
    said = _AGREED.match(first) or any(_AGREED.fullmatch(sentence) for sentence in more)
    return bool(said) and not _YET.search(text)


class _Reader:
    """A parser with patterns of the sentences that `deals.language` writes."""

    def __init__(self, terms: Terms) -> None:
        who = _one_of(terms.agents)
        what = _one_of(actions_of_all(terms.actions))
        bound = _one_of([*terms.agents, EVERYONE])
        self._duty = re.compile(rf"({bound}) (does|must not do) ({what}) ")
        self._never = re.compile(rf"({bound}) must never do ({what})\.")
        self._pay = re.compile(
            rf"({who}) pays ({who}) ({_AMOUNT}(?: %(?= of))?)"
            r"( of what \1 earns| for each turn|, once)(?:,? |(?=\.))"
        )
        self._to_others = re.compile(
            rf"({who}) pays ({_AMOUNT}(?: %(?= of))?)( of what \1 earns)?, split evenly among all "
            r"others,?(?(3)|( for each turn| once))(?:,? |(?=\.))"
        )
        self._of_others = re.compile(
            rf"All others pay ({who}) ({_AMOUNT}), split evenly among them,"
            r"( for each turn| once)(?:,? |(?=\.))"
        )
        goods = _one_of(terms.goods) if terms.goods else r"(?!)"
        self._give = re.compile(rf"({who}) gives ({who}) (\d+) ({goods}), once(?:,? |(?=\.))")
        self._norm = re.compile(
            r"At the end the total is split by the norm (\w+), computed from the record\."
        )
        part = rf"{who} {_AMOUNT}(?: %)?"
        self._split = re.compile(rf"At the end the total is split: ({part}(?:, {part})*)\.")
        self._part = re.compile(rf"({who}) ({_AMOUNT}(?: %)?)")
        self._atoms = _atoms(who, what)

    def clause(self, text: str, at: int) -> _Read | None:
        """Return the clause that begins at `at` as JSON, with its end; None if there is none."""
        if found := self._duty.match(text, at):
            kind = "do" if found[2] == "does" else "forbid"
            duty = {"kind": kind, "agent": found[1], "action": found[3]}
            return self._ended(duty, text, found.end())
        if found := self._never.match(text, at):
            return {"kind": "forbid", "agent": found[1], "action": found[2]}, found.end()
        if found := self._pay.match(text, at):
            payment = _payment(found[1], found[2], found[3], found[4])
            return self._ended(payment, text, found.end())
        if found := self._to_others.match(text, at):
            payment = _payment(found[1], OTHERS, found[2], found[3] or found[4])
            return self._ended(payment, text, found.end())
        if found := self._of_others.match(text, at):
            payment = _payment(OTHERS, found[1], found[2], found[3])
            return self._ended(payment, text, found.end())
        if found := self._give.match(text, at):
            names = ("giver", "receiver", "quantity", "good")
            return self._ended(
                {"kind": "give", **dict(zip(names, found.groups(), strict=True))}, text, found.end()
            )
        if found := self._norm.match(text, at):
            return {"kind": "share", "norm": found[1]}, found.end()
        if found := self._split.match(text, at):
            return {"kind": "share", "fractions": dict(self._part.findall(found[1]))}, found.end()
        return None

    def _ended(self, clause: dict[str, Any], text: str, at: int) -> _Read | None:
        """Return the clause with the condition after it, if any; None if no full stop ends it."""
        when, end = self._when(text, at) or ("always", at)
        return ({**clause, "when": when}, end + 1) if text.startswith(".", end) else None

    def _when(self, text: str, at: int) -> _Read | None:
        if text.startswith("except ", at):
            inner = self._when(text, at + len("except "))
            return inner and ({"not": inner[0]}, inner[1])
        if text.startswith("(", at):
            return self._several(text, at + 1)
        for pattern, make in self._atoms:
            if found := pattern.match(text, at):
                return make(*found.groups()), found.end()
        return None

    def _several(self, text: str, at: int) -> _Read | None:
        """Read conditions joined by `and`, or joined by `or`, after an opening parenthesis."""
        parts, how = list[Any](), ""
        while part := self._when(text, at):
            parts.append(part[0])
            joined = re.compile(how or " and | or ").match(text, part[1])
            if not joined:
                kind = "any" if how == " or " else "all"
                closed = text.startswith(")", part[1])
                return ({kind: parts}, part[1] + 1) if closed else None
            how, at = joined.group(), joined.end()
        return None


def _payment(payer: str, payee: str, amount: str, often: str) -> dict[str, str]:
    basis = {"once": "once", "for each turn": "turn"}.get(often.strip(", "), "reward")
    return {"kind": "pay", "payer": payer, "payee": payee, "amount": amount, "basis": basis}


def _atoms(who: str, what: str) -> list[tuple[re.Pattern[str], Callable[..., Any]]]:
    """Return each atomic condition's pattern, and a function from the pattern's groups to JSON."""
    words: list[tuple[str, Callable[..., Any]]] = [
        (
            r"at turn (\d+) and every (\d+) turns after it",
            lambda first, step: {"every": int(step), "start": int(first)},
        ),
        (
            r"from turn (\d+) to turn (\d+)",
            lambda first, last: {"turns": [int(first), int(last)]},
        ),
        (r"from turn (\d+)", lambda first: {"every": 1, "start": int(first)}),
        (r"at turns (\d+(?: to \d+)?(?:, \d+(?: to \d+)?)* and \d+(?: to \d+)?)", _turns),
        (r"at turn (\d+)", lambda only: {"turns": [int(only), int(only)]}),
        (r"at every turn", lambda: "always"),
        (
            rf"(?:while|if) ({who})(?:'s latest action is| does) ({what})",
            lambda agent, action: {"last": {"agent": agent, "action": action}},
        ),
        (
            rf"(?:once|after) ({who}) has done ({what}) (once|\d+(?= times))(?: times)? or more",
            lambda agent, action, times: {
                "count": {"agent": agent, "action": action},
                "at_least": 1 if times == "once" else int(times),
            },
        ),
        (
            rf"(?:once|after) (the rewards of all|({who})'s rewards) sum to (-?{_AMOUNT}) or more",
            lambda _, agent, least: {"earned": agent or EVERYONE, "at_least": least},
        ),
    ]
    return [(re.compile(pattern), make) for pattern, make in words]


def _turns(said: str) -> dict[str, Any]:
    """Return listed turns as an `any` of ranges."""
    ends = [re.findall(r"\d+", part) for part in re.split(r", | and ", said)]
    return {"any": [{"turns": [int(span[0]), int(span[-1])]} for span in ends]}


def _one_of(names: Iterable[str]) -> str:
    """Return a pattern that matches any of the names, trying the longest first."""
    longest_first = sorted(names, key=len, reverse=True)
    return "(?:" + "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first) + ")"

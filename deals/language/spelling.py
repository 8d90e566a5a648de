"""The readers of the parts of a clause as agents write them: names, amounts, `per`, conditions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language.condition_form import ranges_of
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.lenient_json import MAX_DEPTH
from shapley_coop.deals.language.meant import find_action, find_meant, unwrap
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import EVERYONE, MAX_PARTS, MAX_TURN
from shapley_coop.games.actions import actions_of_all

_ALL = (EVERYONE, "everybody", "all", "each", "all of us", "each of us")
_NUMBERS = int | float | str | Fraction | Decimal
_PER = ("once", "turn", "reward")
_CONDITIONS = ("turn", "turns", "from", "every", "last", "count", "earned", "all", "any", "not")
_ALWAYS = ("always", "every turn", "at every turn", "")
_UNITS = r"points?|pts?|coins?|units?|credits?"
_MONEY = r"[$€£¥]|dollars?|euros?|[A-Za-z]{3}"
_AMOUNT = re.compile(
    rf"(?:(?P<before>{_MONEY})\s?)?(?P<number>[-+]?\d+(?:\.\d+)?(?:/\d+)?)\s?"
    rf"(?:(?P<percent>%|percent)|{_UNITS}|(?P<after>{_MONEY}))?",
    re.IGNORECASE,
)
_CODES = {"€": "EUR", "EURO": "EUR", "$": "USD", "DOLLAR": "USD", "£": "GBP", "¥": "JPY"}


@dataclass
class Notes:
    """The repairs and faults found while reading a proposal, in words.

    Attributes:
        repairs: the repairs made in reading the proposal.
        faults: what is wrong with parts that could not be read.
        place: the part being read, named at the start of each fault: "clause 2".
        currency: the currency of amounts; "" for points of the game.
    """

    repairs: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    place: str = ""
    currency: str = ""

    def at(self, place: str) -> "Notes":
        """Return notes for another part of a proposal, sharing the lists of repairs and faults."""
        return replace(self, place=place)

    def wrong(self, key: str, why: str) -> None:
        """Add a fault of the field `key`, or of the whole part if `key` is ""."""
        where = ", ".join(part for part in (self.place, f"`{key}`" if key else "") if part)
        self.faults.append(f"{where}: {why}" if where else why)

    def repaired(self, what: str) -> None:
        """Add a repair."""
        self.repairs.append(f"{self.place}: {what}" if self.place else what)


def show(value: Any) -> str:
    """Return the `repr` of a value for feedback, cut at 40 characters."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


_EVERYBODY_ELSE = {"everybody else", "everyone else", "all others", "the others", "all the others"}


def read_name(
    given: Mapping[str, Any], key: str, notes: Notes, terms: Terms | None, of: str = ""
) -> str:
    """Return the name under `key`: an agent, an action of the agent `of`, or "others" in a payment.

    An unknown name is returned unchanged, because the rules of the bargaining refuse such names.
    """
    said = given.get(key)
    if not isinstance(said, str) or not said.strip():
        what = "is missing" if said is None else f"is {show(said)}"
        notes.wrong(key, f"it {what}: write a name")
        return ""
    if terms is None:
        return said
    known = _actions(terms, of) if key == "action" else list(terms.agents)
    if key in ("payer", "payee"):
        known = [*known, OTHERS]
    everybody_else = unwrap(said).casefold() in _EVERYBODY_ELSE and OTHERS in known
    if key == "action":
        found = find_action(said, known, also=terms.also_called)
    else:
        found = OTHERS if everybody_else else find_meant(said, known)
    if found is None or found == said:
        return said
    notes.repaired(f"read {said[:40]} as {found}")
    return found


def good(given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> str:
    """Return the name of a good. The rules of the bargaining refuse unknown names later."""
    known = replace(terms, agents=terms.goods) if terms else None
    return read_name(given, "good", notes, known)


def quantity(given: Mapping[str, Any], notes: Notes) -> int:
    """Return the quantity of a good."""
    return _number(given.get("quantity"), "quantity", notes)


def read_bound_agent(given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> str:
    """Return the agent that a duty binds, or "everyone"."""
    said = given.get("agent")
    if not isinstance(said, str) or unwrap(said).casefold() not in _ALL:
        return read_name(given, "agent", notes, terms)
    if terms and said in terms.agents:
        return said
    if said != EVERYONE:
        notes.repaired(f"read {said[:40]} as {EVERYONE}")
    return EVERYONE


def _actions(terms: Terms, of: str) -> Sequence[str]:
    """Return the actions of an agent; for "everyone" the actions of all agents."""
    if of != EVERYONE:
        return terms.actions.get(of, [])
    return actions_of_all(terms.actions)


def per(given: Mapping[str, Any], notes: Notes) -> str:
    """Return the basis of a payment: once, turn or reward. Agents may write `per` or `basis`."""
    said = [given[key] for key in ("per", "basis") if given.get(key) is not None]
    words = {one.strip().lower() if isinstance(one, str) else show(one) for one in said}
    if len(words) > 1 or not words <= set(_PER):
        notes.wrong("per", f"it is {', '.join(sorted(words))}: write one of once, turn, reward")
        return "once"
    return next(iter(words), "once")


def amount(said: Any, key: str, notes: Notes, fraction: bool) -> str:
    """Return a number as text, without a currency or a unit around it.

    A percentage is accepted only if `fraction` is true, because 3 % is not 3.
    """
    example = '"1/3"' if key == "fractions" else "3"
    if said is None or isinstance(said, bool) or not isinstance(said, _NUMBERS):
        what = "it is missing" if said is None else f"{show(said)} is no number"
        notes.wrong(key, f'{what}: write one, as in "{key}": {example}')
        return "0"
    text = unwrap(said) if isinstance(said, str) else str(said)
    found = _AMOUNT.fullmatch(text)
    if found and found["percent"] and not fraction:
        part = ", or `per` reward" if key == "amount" else ""
        notes.wrong(key, f"{show(said)} of what? Write a number{part}")
        return "0"
    if found and (money := found["before"] or found["after"]) and _another(money, notes.currency):
        notes.wrong(key, f"{show(said)} is in another unit: write the number{_in(notes.currency)}")
        return "0"
    read = text if found is None else found["number"] + ("%" if found["percent"] else "")
    try:
        parse_exact(read)
    except ValueError as error:
        why = f"{show(said)} is no number" if found is None else str(error).partition(":")[0]
        notes.wrong(key, f'{why}: write one, as in "{key}": {example}')
        return "0"
    if isinstance(said, str) and read.replace("%", "") != said.strip().rstrip("% "):
        notes.repaired(f"read {said.strip()[:40]} as {read}")
    return read


def part(fraction: Fraction) -> str:
    """Return a fraction as text: as a percentage if two decimals are exact, else like "1/3"."""
    percent = fraction * 100
    return f"{plain(percent)} %" if (percent * 100).denominator == 1 else str(fraction)


def _another(money: str, currency: str) -> bool:
    """Return whether a unit differs from `currency` or, if that is "", is a code like EUR."""
    if not currency:
        return len(money) == len("EUR") and money.isalpha()
    said = money.upper().removesuffix("S")
    return currency.upper() not in (said, _CODES.get(said))


def _in(currency: str) -> str:
    return f", in {currency}" if currency else " alone"


def condition(said: Any, notes: Notes, terms: Terms | None, deep: int = 0) -> Any:
    """Return a condition as records write it; add faults to `notes`."""
    if deep > MAX_DEPTH:
        notes.wrong("when", "it is nested too deeply: write it flat")
        return "always"
    if said is None or said is True or (isinstance(said, str) and said.strip().lower() in _ALWAYS):
        return "always"
    if not isinstance(said, Mapping):
        notes.wrong("when", f"{show(said)} is no condition: write {_EXAMPLES}")
        return "always"
    kinds = [key for key in _CONDITIONS if key in said] or ["from"] * ("to" in said)
    if len(kinds) != 1:
        many = "holds several conditions: join them by all or any" if kinds else "is no condition"
        notes.wrong("when", f"{show(dict(said))} {many}: write {_EXAMPLES}")
        return "always"
    (kind,) = kinds
    _no_more(said, kind, notes)
    if kind in ("turn", "turns", "from"):
        return _turns(said, kind, notes)
    if kind == "every":
        every = _number(said[kind], kind, notes)
        return {"every": every, "start": _number(said.get("start", 1), "start", notes)}
    if kind in ("last", "count"):
        return _event(said, kind, notes, terms)
    if kind == "earned":
        who = said[kind]
        agent = who if who == "everyone" else read_name({"earned": who}, "earned", notes, terms)
        return {"earned": agent, "at_least": amount(said.get("at_least"), "at_least", notes, False)}
    if kind == "not":
        return {"not": condition(said[kind], notes, terms, deep + 1)}
    parts = said[kind]
    if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_PARTS:
        notes.wrong(kind, f"list 1 to {MAX_PARTS} conditions")
        return "always"
    return {kind: [condition(part, notes, terms, deep + 1) for part in parts]}


_TURNS = '{"turn": 2}, {"turns": [1, 4]} or {"from": 2, "to": 4}'
_EXAMPLES = '{"last": {"agent": …, "action": …}}, {"turn": 2}, {"from": 2, "to": 4} or "always"'
_BESIDE = {"from": {"to"}, "every": {"start"}, "count": {"at_least"}, "earned": {"at_least"}}


def _no_more(said: Mapping[str, Any], kind: str, notes: Notes) -> None:
    """Add a fault for every key that does not belong to the kind of condition."""
    for key in said:
        if key != kind and key not in _BESIDE.get(kind, set()):
            notes.wrong("when", f"`{str(key)[:40]}` does not belong beside `{kind}`")


def _turns(said: Mapping[str, Any], kind: str, notes: Notes) -> Any:
    """Return turns as ranges, given a single turn, a list of turns, or `from` and `to`."""
    if kind == "from":
        if "to" not in said:
            return {"every": 1, "start": _number(said["from"], "from", notes)}
        first = _number(said.get("from", 1), "from", notes)
        return {"turns": [first, _number(said["to"], "to", notes)]}
    turns = said[kind]
    if isinstance(turns, Mapping) and turns.keys() == {"from", "to"}:
        return _turns(turns, "from", notes)
    numbers = turns if isinstance(turns, list) else [turns]
    if not numbers or not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        notes.wrong(kind, f"{show(turns)} names no turns: write {_TURNS}")
        return "always"
    ranges = [{"turns": list(span)} for span in ranges_of(numbers)]
    if len(ranges) > MAX_PARTS:
        notes.wrong(kind, f"it names {len(numbers)} turns: at most {MAX_PARTS}, or from and to")
    return ranges[0] if len(ranges) == 1 else {"any": ranges[:MAX_PARTS]}


def _event(said: Mapping[str, Any], kind: str, notes: Notes, terms: Terms | None) -> Any:
    """Return a `last` or `count` condition as records write it."""
    event = said[kind]
    if not isinstance(event, Mapping) or event.keys() != {"agent", "action"}:
        notes.wrong(kind, 'write {"agent": …, "action": …}')
        return "always"
    agent = read_name(event, "agent", notes, terms)
    read: dict[str, Any] = {kind: {"agent": agent}}
    read[kind]["action"] = read_name(event, "action", notes, terms, of=agent)
    if kind == "count":
        read["at_least"] = _number(said.get("at_least"), "at_least", notes)
    return read


_WHOLE = re.compile(rf"(\d{{1,{len(str(MAX_TURN)) - 1}}})(?:\.0{{1,9}})?(?: (?:units?|pieces?))?")


def _number(said: Any, key: str, notes: Notes) -> int:
    """Return a whole number of turns, times or units, or 1 after adding a fault to `notes`."""
    if isinstance(said, str) and (found := _WHOLE.fullmatch(said.strip())):
        said = int(found[1])
    if isinstance(said, bool) or not isinstance(said, int):
        what = "it is missing" if said is None else f"{show(said)} is no whole number"
        notes.wrong(key, f'{what}: write one, as in "{key}": 2')
        return 1
    return said

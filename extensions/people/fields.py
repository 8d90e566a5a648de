"""The form for an answer at a terminal, which asks for each field, with numbered choices.

If a person types a line with a tag at any field, the line begins a message that replaces the form.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

from shapley_coop.cli.console import note
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_proposal
from shapley_coop.extensions.people.typed import (
    Mistyped,
    read_amount,
    read_number,
    read_part,
    read_parts,
    read_percent,
)
from shapley_coop.prompts.talk import at_turns

Known = Mapping[str, Any]

ASKED = {"action", "content", "decision", "clauses", "allocation", "percent", "speech"}
LEFT_OUT = {"thoughts", "notes", "offer", "drops"}
"""The fields that the terminal asks for, and those that only a message with tags can fill here."""

MOST_LISTED = 50
"""The most actions that the terminal lists with numbers."""

KINDS = {
    "do": {"agent": "Who", "action": "Does what"},
    "forbid": {"agent": "Who", "action": "Must not do what"},
    "pay": {"payer": "Who pays", "payee": "Who is paid", "per": "How often", "amount": "How much"},
    "give": {"giver": "Who gives", "receiver": "To whom", "good": "What", "quantity": "How many"},
    "share": {"norm": "How the total is split"},
}
"""Kind of clause → the question for each of its fields."""
NAMES = {
    "thoughts": "Your thoughts",
    "action": "Your action",
    "content": "What it carries",
    "decision": "What you do",
    "percent": "What part was your doing",
    "speech": "What you say to all",
}
"""Field → its name for a person."""
PARTS = "by fixed parts"
SIGNS = {"+": "it helps them", "-": "it harms them", "0": "it changes nothing for them"}
_TAG = re.compile(r"</?[A-Za-z]")


class Edit(StrEnum):
    """What a person can do with the clauses so far, besides adding one."""

    NO_MORE = "no more clauses"
    LESS = "leave one out"
    ANEW = "begin anew"


class Message(Exception):
    """The person typed a whole message instead of a field."""


def can_ask(form: Known) -> bool:
    """Return whether the terminal can ask for all fields of this form that an answer needs."""
    return set(form["fields"]) - LEFT_OUT <= ASKED and len(form.get("legal", ())) <= MOST_LISTED


def ask_fields(act: str, form: Known, clauses: list[Known]) -> dict[str, Any]:
    """Return the fields that a person fills in at this terminal.

    Args:
        act: the name of the question.
        form: the fields and their choices, from `extensions.people.form.form_of`.
        clauses: the clauses so far, changed in place; a counter-offer begins with the offer's.

    Raises:
        EOFError: the input has ended.
        Message: the person typed a whole message in place of a field.
    """
    fields, filled = form["fields"], dict[str, Any]()
    if set(fields) <= LEFT_OUT:
        return {"thoughts": _thoughts(act, form["unit"])}
    if "legal" in form:
        filled["action"] = _choose(NAMES["action"], form["legal"], form["labels"])
        filled["content"] = _text(NAMES["content"]) if form["carries"] else None
    if decisions := form.get("decisions"):
        only = next(iter(decisions)) if len(decisions) == 1 else ""
        filled["decision"] = only or _choose(NAMES["decision"], list(decisions), decisions)
    if "deal" in form and filled.get("decision") in ("offer", "counter"):
        if filled["decision"] == "counter" and not clauses:
            clauses += form.get("offer", {}).get("clauses", ())
        _edit(clauses, form["deal"] | {key: form[key] for key in ("labels", "unit")})
        filled["clauses"] = clauses
    if (trade := form.get("trade")) and not trade["final"] and filled.get("decision") != "accept":
        filled["allocation"] = _allocation(trade)
    if "percent" in fields:
        filled["percent"] = _until_valid(f"{NAMES['percent']}, from 0 to 100 %", read_percent)
    if "speech" in fields:
        alone = filled.get("decision") == "words"
        filled["speech"] = _text("Your proposal in words" if alone else NAMES["speech"])
    return filled


def yes_or_again() -> bool:
    """Return True if the person sends the answer, False to fill in the fields again.

    Raises:
        EOFError: the person sends nothing.
    """
    while True:
        note("Send it? Enter: yes; a: all fields again; n: no, the letter waits")
        match (typed := _line()).lower():
            case "" | "y" | "yes":
                return True
            case "a" | "again":
                return False
            case "n" | "no":
                raise EOFError
        note(f"“{typed}” is not understood.")


def read_message() -> str:
    """Return the lines that a person types, up to an empty line.

    Raises:
        EOFError: the input has ended, so no person is there.
    """
    while not (first := sys.stdin.readline()).strip():
        if not first:
            raise EOFError
    return (first + _rest()).strip()


def _rest() -> str:
    """Return the typed lines up to an empty line or the end of the input."""
    lines = []
    while (line := sys.stdin.readline()).strip():
        lines.append(line)
    return "".join(lines)


def _line() -> str:
    """Return the next line without line break; raise `Message` if the line begins a message."""
    if not (line := sys.stdin.readline()):
        raise EOFError
    if _TAG.search(line):
        raise Message((line + _rest()).strip())
    return line.strip()


def _until_valid(asked: str, read: Callable[[str], str], menu: Sequence[str] = ()) -> str:
    """Return the value of the first line that `read` accepts; ask again after any other line."""
    while True:
        for line in (*menu, f"{asked}:"):
            note(line)
        try:
            if typed := _line():
                return read(typed)
        except ValueError as wrong:
            note(str(wrong))


def _choose(asked: str, options: Sequence[str], labels: Known | None = None) -> str:
    """Return the option whose number or name a person types."""

    def read(typed: str) -> str:
        if typed in options and not typed.isdecimal():
            return typed
        if not (typed.isdecimal() and 1 <= int(typed) <= len(options)):
            raise ValueError(f"{typed!r} is not a choice: type a number from 1 to {len(options)}")
        return options[int(typed) - 1]

    said = [(labels or {}).get(one, one) for one in options]
    return _until_valid(asked, read, [f"  {n}  {one}" for n, one in enumerate(said, start=1)])


def _whole(typed: str) -> str:
    if not typed.isdecimal():
        raise ValueError(f"“{typed}” is no whole number: write one, as in 2.")
    return typed


def _text(asked: str) -> str | None:
    """Return the line that a person types, or None if the line is empty."""
    note(f"{asked} (Enter: nothing):")
    return _line() or None


def _thoughts(act: str, unit: str) -> str:
    note("Your thoughts, which nobody else reads (an empty line ends them):")
    thoughts = _line()
    thoughts = f"{thoughts}\n{_rest()}" if thoughts else ""
    if act != "reason":
        return thoughts
    money = partial(read_amount, unit=unit)
    payoff = _until_valid(
        f"What all of you together could earn in the whole game{_in(unit)}", money
    )
    sign = _choose("What your plan does to the others", list(SIGNS), SIGNS)
    price = _until_valid(
        f"What you should be paid{_in(unit)}; with a minus, what you should pay", money
    )
    return f"{thoughts}\nCollective payoff: {payoff}\nExternality: {sign}\nPrice: {price}".strip()


def _in(unit: str) -> str:
    return f", in {unit or 'points'}"


def _edit(clauses: list[Known], known: Known) -> None:
    """Let a person add clauses, each of a kind in `KINDS`, and leave clauses out."""
    kinds = [kind for kind in known["kinds"] if kind in KINDS]
    while True:
        told = _words(clauses, known["turns"])
        for line in told:
            note(f"  {line}")
        more = [Edit.LESS, Edit.ANEW] if clauses else []
        match _choose("A clause", [*kinds, Edit.NO_MORE, *more], known["kinds"]):
            case Edit.NO_MORE:
                return
            case Edit.ANEW:
                clauses.clear()
            case Edit.LESS:
                ids = [line.partition(".")[0] for line in told]
                clauses.pop(ids.index(_choose("Which", ids, dict(zip(ids, told, strict=True)))))
            case kind:
                clauses.append(_clause(kind, known))


def _words(clauses: Sequence[Known], turns: int) -> list[str]:
    """Return clauses in words, one line each; clauses that cannot be read, unchanged."""
    found = read_proposal({"clauses": clauses})
    if isinstance(found, Fault):
        parts = [clause.get("fractions", clause) for clause in clauses]
        return [f"c{n}. {clause}" for n, clause in enumerate(parts, start=1)]
    return at_turns(found.deal.text(), turns).splitlines()


def _clause(kind: str, known: Known) -> dict[str, Any]:
    """Return a clause that a person fills in."""
    clause: dict[str, Any] = {"kind": kind}
    for field, asked in KINDS[kind].items():
        clause |= _field(field, asked, clause, known)
    if kind != "share" and known["turns"] > 1 and (turn := _text("Only at turn")):
        clause["when"] = {"turn": int(turn) if turn.isdecimal() else turn}
    return clause


def _field(name: str, asked: str, clause: Known, known: Known) -> dict[str, Any]:
    match name:
        case "action":
            return {name: _choose(asked, known["actions"][clause["agent"]], known["labels"])}
        case "amount":
            much = (
                read_part if clause["per"] == "reward" else partial(read_amount, unit=known["unit"])
            )
            unit = "" if clause["per"] == "reward" else _in(known["unit"])
            return {name: _until_valid(f"{asked}{unit}", much)}
        case "quantity":
            return {name: int(_until_valid(asked, _whole))}
        case "per":
            ways = [one for one in known["per"] if one != "turn" or known["turns"] > 1]
            return {name: _choose(asked, ways, known["per"])}
        case "good":
            return {name: _choose(asked, known["goods"], known["labels"])}
        case "norm":
            if (norm := _choose(asked, [*known["norms"], PARTS])) != PARTS:
                return {name: norm}
            return {"fractions": _fractions(known["agents"], known)}
    payer = clause.get("payer", clause.get("giver"))  # nobody pays or gives to itself
    return {name: _choose(asked, [agent for agent in known["agents"] if agent != payer])}


def _fractions(agents: Sequence[str], known: Known) -> dict[str, Any]:
    """Ask a person for a split's parts until they sum to the whole; return the parts."""
    if known.get("amounts"):  # the question checks the amounts' sum
        money = _in(known["unit"])
        return {agent: _until_valid(f"{agent}'s part{money}", read_number) for agent in agents}
    while True:
        try:
            return read_parts(
                {agent: _until_valid(f"{agent}'s part", read_part) for agent in agents}
            )
        except Mistyped as wrong:
            note(str(wrong))


def _allocation(trade: Known) -> list[dict[str, Any]]:
    """Return the allocation that a person types: each agent with its tasks."""
    agents, holder = trade["agents"], dict[str, str]()
    for task in trade["tasks"]:
        asked = f"Who does “{task['name']}”, now {task['held']}'s"
        holder[task["says"]] = _choose(asked, agents)
    return [{"agent": a, "tasks": [t for t, by in holder.items() if by == a]} for a in agents]

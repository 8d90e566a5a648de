"""The terminal's form: the fields of an answer, asked one by one, with their choices numbered.

A line with a tag, at any field, begins a whole message in place of the form.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.cli.console import note

Known = Mapping[str, Any]

ASKED = {"action", "content", "decision", "clauses", "allocation", "percent", "speech"}
"""The fields that the terminal asks for."""
LEFT_OUT = {"thoughts", "notes", "offer", "drops"}
"""The fields that only a message with tags can fill here."""
MOST_LISTED = 50
"""The most actions that the terminal lists with numbers."""
NO_MORE, ALWAYS, PARTS = "no more clauses", "Enter: always", "by fixed parts"
_TAG = re.compile(r"</?[A-Za-z]")


class Message(Exception):
    """The person typed a whole message instead of a field."""


def can_ask(form: Known) -> bool:
    """Return whether the terminal can ask for all fields that decide this answer."""
    return set(form["fields"]) - LEFT_OUT <= ASKED and len(form.get("legal", ())) <= MOST_LISTED


def ask_fields(act: str, form: Known) -> dict[str, Any]:
    """Return the fields that a person fills in at this terminal.

    Args:
        act: the name of the question.
        form: the choices (`serve.seats.form.form_of`).

    Raises:
        EOFError: the input has ended.
        Message: the person typed a message.
    """
    fields, filled = form["fields"], dict[str, Any]()
    if set(fields) <= LEFT_OUT:
        return {"thoughts": _thoughts(act)}
    if "legal" in form:
        filled["action"] = choose("Your action", form["legal"])
        filled["content"] = read_text("What it carries") if form["carries"] else None
    if decisions := form.get("decisions"):
        filled["decision"] = choose("What you do", list(decisions), decisions)
    if "deal" in form and filled.get("decision") in ("offer", "counter"):
        filled["clauses"] = _clauses(form["deal"])
    if "trade" in form and filled.get("decision") != "accept":
        filled["allocation"] = _allocation(form["trade"])
    if "percent" in fields:
        filled["percent"] = _number("What part was your doing, in per cent, from 0 to 100")
    if "speech" in fields:
        filled["speech"] = read_text("What you say to all")
    return filled


def choose(asked: str, options: Sequence[str], labels: Mapping[str, str] | None = None) -> str:
    """Return the option whose number, or name, a person types."""
    note(f"{asked}:")
    for number, one in enumerate(options, start=1):
        note(f"  {number}  {(labels or {}).get(one, one)}")
    return _until_valid(lambda typed: _chosen(typed, options))


def _chosen(typed: str, options: Sequence[str]) -> str:
    if typed in options and not typed.isdecimal():
        return typed
    if not (typed.isdecimal() and 1 <= int(typed) <= len(options)):
        raise ValueError(f"{typed!r} is no choice: type a number from 1 to {len(options)}")
    return options[int(typed) - 1]


def read_text(asked: str) -> str | None:
    """Return a line that a person may leave empty."""
    note(f"{asked} (Enter: nothing):")
    return _line() or None


def _number(asked: str) -> str:
    note(f"{asked}:")
    return _until_valid(_checked)


def _checked(typed: str) -> str:
    exact(typed, "this")
    return typed


def _until_valid(read: Callable[[str], str]) -> str:
    """Return the value of the first line that `read` takes; after each other line, say why."""
    while True:
        if not (typed := _line()):
            continue
        try:
            return read(typed)
        except ValueError as wrong:
            note(str(wrong))


def _line() -> str:
    """Return the next line without its end.

    Raises:
        EOFError: the input has ended, so no person is there.
        Message: the line has a tag.
    """
    if not (line := sys.stdin.readline()):
        raise EOFError
    if _TAG.search(line):
        raise Message(line + _rest())
    return line.strip()


def read_message() -> str:
    """Return the lines that a person types, up to an empty line.

    Raises:
        EOFError: the input has ended, so no person is there.
    """
    while not (first := sys.stdin.readline()).strip():
        if not first:
            raise EOFError
    return first + _rest()


def _rest() -> str:
    """Return the typed lines up to an empty line or the end of the input."""
    lines: list[str] = []
    while (line := sys.stdin.readline()).strip():
        lines.append(line)
    return "".join(lines).rstrip()


def _thoughts(act: str) -> str:
    note("Your thoughts, which nobody else reads (an empty line ends them):")
    thoughts = [_line(), _rest()]
    if act == "reason":
        thoughts.append(f"Collective payoff: {_number('What all of you together could earn')}")
        sign = choose("What your plan does to the others", list(SIGNS), SIGNS)
        thoughts.append(f"Externality: {sign}")
        thoughts.append(f"Price: {_number('What you should be paid (with a minus: should pay)')}")
    return "\n".join(filter(None, thoughts))


def _clauses(known: Known) -> list[dict[str, Any]]:
    """Return clauses of the kinds that have a form here, one after the other."""
    clauses: list[dict[str, Any]] = []
    kinds = [kind for kind in known["kinds"] if kind in CLAUSES]
    while (kind := choose("A clause", [*kinds, NO_MORE], NAMES)) != NO_MORE:
        clause = {"kind": kind, **CLAUSES[kind](known)}
        if kind != "share" and known["turns"] > 1:
            note(f"At which turn ({ALWAYS}):")
            if turn := _line():
                clause["when"] = {"turn": int(turn) if turn.isdecimal() else turn}
        clauses.append(clause)
    return clauses


def _duty(known: Known) -> dict[str, Any]:
    agent = choose("Who", known["agents"])
    return {"agent": agent, "action": choose("Does what", known["actions"][agent])}


def _payment(known: Known) -> dict[str, Any]:
    payer, payee = choose("Who pays", known["agents"]), choose("Who is paid", known["agents"])
    amount, per = _number("Amount"), choose("How often", list(PER), PER)
    return {"payer": payer, "payee": payee, "amount": amount, "per": per}


def _gift(known: Known) -> dict[str, Any]:
    giver, receiver = choose("Who gives", known["agents"]), choose("Who receives", known["agents"])
    good = choose("What", known["goods"])
    number = _number("How many")
    quantity = int(number) if number.isdecimal() else number
    return {"giver": giver, "receiver": receiver, "good": good, "quantity": quantity}


def _split(known: Known) -> dict[str, Any]:
    norm = choose("How the total is split", [*known["norms"], PARTS])
    if norm != PARTS:
        return {"norm": norm}
    return {"fractions": {agent: _number(f"{agent}'s part, as 1/2") for agent in known["agents"]}}


def _allocation(trade: Known) -> list[dict[str, Any]]:
    """Return who would have which tasks."""
    agents = trade["agents"]
    holder = {
        one["says"]: choose(f"Who does “{one['says']}”, now {one['held']}'s", agents)
        for one in trade["tasks"]
    }
    return [{"agent": a, "tasks": [t for t, by in holder.items() if by == a]} for a in agents]


SIGNS = {"+": "it helps them", "-": "it harms them", "0": "it changes nothing for them"}
PER = {"once": "once", "turn": "for each turn", "reward": "as a part (0 to 1) of its rewards"}
CLAUSES: Mapping[str, Callable[[Known], dict[str, Any]]] = {
    "do": _duty,
    "forbid": _duty,
    "pay": _payment,
    "give": _gift,
    "share": _split,
}
NAMES = {"do": "somebody does", "forbid": "somebody does not do", "pay": "somebody pays"}
NAMES |= {"give": "somebody gives goods", "share": "the total is split"}

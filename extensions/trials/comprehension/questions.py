"""The questions that can be asked about a letter, with the right answers from the letter's facts.

Each question also has a function `read`, which finds the answer in the letter's words. If the
result of `read` differs from the truth, the letter's words do not say what its facts say.

>>> facts = {"you": "Bob", "ask": "act", "turn": 3, "duties": [], "procedure": {"turns": 10}}
>>> [one.kind for one in questions(facts)]
['what is mine', 'what is asked', 'the turn']
>>> [one.right("it is turn 3") for one in questions(facts)]
[False, False, True]
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import parse_exact
from shapley_coop.seats.asked import find_question

Facts = Mapping[str, Any]
Reader = Callable[[str], str | None]

TOLERANCE = Fraction(1, 100)
"""The largest error of a right amount: letters show four decimals, readers may round to two."""

_NUMBER = re.compile(r"[-−–]?\d+(?:\.\d+)?(?:/\d+)?")
_NO_NUMBER = re.compile(r"(?<=\d),(?=\d{3}\b)|[*`$€]")


@dataclass(frozen=True)
class Question:
    """One question about one letter.

    `truth` is the right answer, from the letter's facts; `read` finds the answer in its words.
    """

    kind: str
    text: str
    truth: str
    read: Reader

    def right(self, answer: str) -> bool:
        """Return whether an answer is right: its last number if `truth` is one, else its words."""
        if not _NUMBER.fullmatch(self.truth):
            return _names(answer) == _names(self.truth)
        found = _NUMBER.findall(_NO_NUMBER.sub("", answer))
        if not found:
            return False
        try:
            said_number = parse_exact(found[-1].replace("−", "-").replace("–", "-"))
        except ValueError:
            return False
        return abs(said_number - Fraction(self.truth)) <= TOLERANCE


def _names(said: str) -> list[str]:
    """Return the names in an answer, without marks, in any order.

    >>> _names("`door` and **lever**."), _names("Lever, door")
    (['door', 'lever'], ['door', 'lever'])
    """
    parts = re.split(r",| and ", said.casefold())
    return sorted({" ".join(part.strip(" .`*\"'<>/").split()) for part in parts})


def questions(facts: Facts) -> list[Question]:
    """Return all questions about a letter with these facts.

    Args:
        facts: the letter's facts (`Entry.facts`).
    """
    return [one for part in _PARTS for one in part(facts)]


def _asked(facts: Facts) -> Iterator[Question]:
    """Yield the questions for every letter: to whom it is written, and what it asks for."""
    read = _found(r"You are \*\*(.+?)\*\*", last=True)
    text = "Which player is this letter to? Give the name."
    yield Question("what is mine", text, facts["you"], read)
    question = find_question(facts["ask"])
    if question is None:
        return
    answer = question.answer.narrowed(facts) or question.answer
    told = {name for how in answer.written().values() for name in _TAG.findall(how.told())}
    if not facts.get("offer") and not facts.get("pending"):
        told.discard("ACCEPT")
    text = "Which of the tags ACCEPT, ACTION, CLAIM, PROPOSAL can be in your answer? Or none?"
    yield Question("what is asked", text, ", ".join(sorted(told)) or "none", _tags_taught)
    legal = facts.get("legal")
    if (
        isinstance(legal, list)
        and "action" in answer.model_fields
        and not any(re.search(r",| and ", one) for one in legal)
    ):
        text = "Which actions or names can you choose from? List all, with commas."
        read = _found(r"around one of:\s+((?:[^\n]|\n(?=- ))+?)\.?(?:\n\n|$)", last=True)
        yield Question("what is legal", text, ", ".join(legal), _listed(read))


_TAG = re.compile(r"<(ACCEPT|ACTION|CLAIM|PROPOSAL)\b")


def _tags_taught(letter: str) -> str:
    """Return the tags named below a letter's last heading, which says how to answer."""
    return ", ".join(sorted(set(_TAG.findall(letter.rpartition("\n# ")[2])))) or "none"


def _listed(read: Reader) -> Reader:
    """Return a function that finds a list of names, on one line or with one name per line."""

    def names(letter: str) -> str | None:
        found = read(letter)
        return found and re.sub(r"\s*(?:^|\n)- ", ", ", found).strip(", ")

    return names


def _payoffs(facts: Facts) -> Iterator[Question]:
    """Yield questions about the payoffs under the offer, which decide whether to accept."""
    me, offer = facts["you"], facts.get("offer", {})
    rows = (offer.get("outlook") or {}).get("rows", [])
    one_without = [row["if"] for row in rows].count("no deal") == 1
    for row in rows:
        payoffs = {agent: paid["mean"] for agent, paid in row["payoffs"].items()}
        who, asked = row.get("who"), list[tuple[str, str, str, str]]()
        if row["if"] == "all keep it":
            text = f"{_YOUR_END} if everybody keeps the offer?"
            asked.append(("if all keep it", text, me, "all keep the deal"))
        elif who == me:
            text = f"{_YOUR_END} if you break the offer and the others keep it?"
            asked.append(("if you break it", text, me, "you sign and break it"))
            for other in [agent for agent in payoffs if agent != me][:1]:
                text = f"What does {other} end up with if you break the offer, the others keep it?"
                asked.append(("another's, if you break it", text, other, "you sign and break it"))
        elif who:
            text = f"{_YOUR_END} if {who} breaks the offer, the others keep it?"
            asked.append(("if another breaks it", text, me, f"{who} signs and breaks it"))
        elif row["if"] == "no deal" and one_without and not facts.get("contract"):
            text = f"{_YOUR_END}, or can be sure of, without a deal?"
            asked.append(("without a deal", text, me, "no deal"))
        for kind, text, agent, begins in asked:
            yield Question(kind, text, payoffs[agent], _row(begins, agent))


_YOUR_END = "What do you yourself end up with"
_ANSWERS = ("answer", "answer_split", "contract_answer")
"""The acts of letters that ask for an answer to one offer, where several offers come in turn."""


def _terms(facts: Facts) -> Iterator[Question]:
    """Yield questions about the offer's terms and the bargaining rounds that are left."""
    offer = facts.get("offer", {})
    if "revision" not in offer or facts["ask"] not in _ANSWERS:
        return
    text = "Which number has the offer that you are asked to answer?"
    read = _found(r"answer .*?'s (?:offer|draft|proposal) (\d+)")
    yield Question("number of the offer", text, str(offer["revision"]), read)
    left = facts["rounds"] - facts["round"]
    text = "How many more rounds can there be after this one?"
    yield Question("rounds left", text, str(left), _difference(r"round (\d+) of (\d+)"))
    clauses = enumerate(offer.get("clauses", []), start=1)
    payments = [(n, c) for n, c in clauses if c["kind"] == "pay"]
    for number, clause in payments[:1]:
        text = f"By clause {number} of the offer, who pays? Give the name."
        read = _found(rf"(?:^|\n)(?:- c)?{number}\. (\S+) pays ", last=True)
        yield Question("who pays", text, clause["payer"], read)
        if "/" not in str(clause["amount"]) and clause.get("basis", "once") != "reward":
            text = f"By clause {number} of the offer, how much is paid at a time?"
            read = _found(rf"(?:^|\n)(?:- c)?{number}\. \S+ pays \S+ ([\d.]+\d|\d)", last=True)
            yield Question("what a clause pays", text, str(clause["amount"]), read)


def _turns(facts: Facts) -> Iterator[Question]:
    """Yield questions about the turn, the required action and the rewards so far."""
    me = facts["you"]
    if facts["ask"] != "act":
        return
    if (facts.get("turns") or facts["procedure"]["turns"]) > 1:
        read = _found(r"# Your move: turn (\d+)", last=True)
        yield Question("the turn", "Which turn is it?", str(facts["turn"]), read)
    owed = [duty["action"] for duty in facts.get("duties", []) if not duty["forbidden"]]
    if len(owed) == 1:
        text = "Which action does the deal ask of you now? Give its name."
        read = _found(r"\*\*The deal asks you for: (.*?)\.\*\*", last=True)
        yield Question("what the deal asks", text, owed[0], read)
    earned = facts.get("earned_so_far", {})
    if any(Fraction(x) for x in earned.values()):
        text = "What are your own rewards so far?"
        told = r"Own rewards so far(?:, before the deal's payments)?"
        name = rf"(?:(?:\S+ and )*{re.escape(me)}(?: and \S+)*|others|all)"  # me, or my group
        read = _found(rf"{told}: (?:.*?, )??{name} (\S+?)[,.](?:\s|$)")
        yield Question("own rewards so far", text, earned[me], read)


def _money(facts: Facts) -> Iterator[Question]:
    """Yield questions about the bargaining over the split: payoffs, changes and values."""
    me, offer = facts["you"], facts.get("offer", {})
    if "payoffs" in offer and facts["ask"] in _ANSWERS:
        text = f"{_YOUR_END} if all accept the proposal?"
        yield Question("as proposed", text, offer["payoffs"][me], _cell(me, "as proposed"))
        text = "By how much does the proposal change what you end up with? Give 0 for not at all."
        yield Question("change", text, offer["change"][me], _cell(me, "change"))
    if "own_rewards" in facts and "split" in facts["ask"]:
        text = f"{_YOUR_END} if nothing more is agreed on?"
        read = _cell(me, "as signed", "as earned")
        yield Question("without another split", text, facts["as_signed"][me], read)
    if computed := facts.get("computed"):
        text = f"What is your value by the norm {computed['norm']}?"
        yield Question("value", text, computed["values"][me], _cell(me, "value ("))


def _trade(facts: Facts) -> Iterator[Question]:
    worth = (facts.get("pending") or {}).get("your_utility")
    if facts["ask"] == "exchange" and worth is not None:
        text = "What is your part of the pending proposal worth to you?"
        read = _found(r"Your part is worth (\S+) to you", last=True)
        yield Question("worth of a trade", text, str(Fraction(str(worth))), read)


_PARTS = (_asked, _payoffs, _terms, _turns, _money, _trade)


def _found(pattern: str, last: bool = False) -> Reader:
    """Return a function that finds the first, or last, match of a pattern in a letter's words."""

    def read(letter: str) -> str | None:
        found = re.findall(pattern, letter)
        return found[-1 if last else 0] if found else None

    return read


def _difference(pattern: str) -> Reader:
    def read(letter: str) -> str | None:
        found = re.findall(pattern, letter)
        return str(int(found[-1][1]) - int(found[-1][0])) if found else None

    return read


def _row(begins: str, agent: str) -> Reader:
    """Return a function that finds an agent's payoff in a letter's table of the offer's payoffs."""

    def read(letter: str) -> str | None:
        rows = [_cells(line) for line in letter.split("\n") if line.startswith("|")]
        heads = [row for row in rows if row[0].endswith("if …")]
        found = [row for row in rows if row[0].startswith(begins)]
        if not heads or not found:
            return None
        at = next((n for n, x in enumerate(heads[-1]) if x in (agent, f"you ({agent})")), None)
        return None if at is None else found[-1][at].partition(" (")[0]

    return read


def _cell(agent: str, *columns: str) -> Reader:
    """Return a function that finds an agent's amount in a letter's table about the split."""

    def read(letter: str) -> str | None:
        rows = [_cells(line) for line in letter.split("\n") if line.startswith("|")]
        heads = [row for row in rows if "own rewards" in row]
        mine = [row for row in rows if row[0] == agent]
        at = [n for n, name in enumerate(heads[-1] if heads else []) if name.startswith(columns)]
        return mine[-1][at[0]] if at and mine else None

    return read


def _cells(line: str) -> list[str]:
    """Return the cells in a line of a Markdown table; the first cell can be empty."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]

"""The parts of a letter: an agent's view of the table, in plain words for a model.

Static text comes first, then text that only grows, and then the text of this request, so that
a provider's prefix cache covers as much as possible. Programs read the same facts as an object
(`Letter.facts`) instead of the words.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop import extension
from shapley_coop.many import MANY
from shapley_coop.prompts.computed import amount
from shapley_coop.prompts.course import bargained_again, course_words, from_here
from shapley_coop.prompts.crowds import together
from shapley_coop.prompts.render import render
from shapley_coop.prompts.request import Words, contract_lines, variables
from shapley_coop.prompts.words import describe, few, plain

Facts = Mapping[str, Any]

LONGEST_NOTES = 600
"""The most characters of an agent's notes in a letter that asks for an action."""


def write_rules(
    template: str,
    rules: str,
    known: Facts,
    *,
    instructions: str = "",
    guidance: bool = False,
    outsider: bool = False,
) -> str:
    """Return a letter's system part, which is equal for all agents with the same kind of question.

    All letters of a run have the same beginning; only letters for bargaining add the clauses that
    can be offered.

    Args:
        template: `table`, or a question's own template of the system part.
        rules: the game's rules, in Markdown.
        known: the facts `agents`, `procedure`, `bargains`, `over` (whether play is over), and for
            bargaining `kinds`, `norms`, `compares_with` and `most`, each agent's largest reward.
        instructions: the run owner's instructions to all agents.
        guidance: whether agents are asked to consider the other agents' utilities.
        outsider: whether the reader is a judge or a summariser, not a party.
    """
    course = from_here(known["procedure"], known.get("over", False), known.get("bargains", False))
    going_on = _going_on(course)
    procedure = render("procedure", **going_on, **course_words(course))
    whole = render(
        template,
        rules=rules.strip(),
        procedure=procedure.strip(),
        language=_language(known, going_on),
        agents=known.get("agents", []),
        steps=known["procedure"]["steps"],
        rounds=course["rounds"],
        instructions=instructions,
        guidance=guidance,
        outsider=outsider,
    )
    return whole.strip() + "\n"


def _going_on(course: Facts) -> dict[str, Any]:
    """Return what the procedure and the language of clauses say about the further course."""
    return {
        "turns": course["turns"],
        "renegotiate": bargained_again(course.get("renegotiate", "never")),
        "payments": course.get("payments", True),
    }


def _language(known: Facts, going_on: Facts) -> str:
    """Return the text that explains how to write clauses; "" if no clause can be offered."""
    if not (kinds := known.get("kinds")):
        return ""
    number, most = len(known.get("agents", [])), known.get("most", {})
    return render(
        "language",
        kinds=kinds,
        taught=known.get("taught", []),
        norms=" or ".join(f'"{norm}"' for norm in known.get("norms", [])),
        compares_with=known.get("compares_with", ""),
        most=most and together({a: amount(max(Fraction(x), Fraction(0))) for a, x in most.items()}),
        several=number > 2,
        many=number > MANY,
        **going_on,
    ).strip()


def write_request(
    view: Facts,
    history: str,
    *,
    secret: str = "",
    utilities: Facts | None = None,
    words: Sequence[Words] = (),
    outsider: bool = False,
) -> str:
    """Return the part of a letter for one agent and one request.

    Args:
        view: the agent's view of the table (`state.view.agent_view`).
        history: the public history in words (`write_history`).
        secret: the private words that the user whom the agent represents wrote to it.
        utilities: the private facts of the game for this agent.
        words: the functions that return the additional variables of this question's template.
        outsider: whether the reader is a judge or a summariser, not a party.
    """
    given = variables(view, words)
    private = "\n\n".join(filter(None, [secret, _utilities(utilities or {})]))
    notes = view.get("notes", "")[: LONGEST_NOTES if view["ask"] == "act" else None]
    return render(
        "letter",
        persona=render(
            "persona",
            you=view["you"],
            private=private,
            notes=_paragraphs(notes),
            outsider=outsider,
            represents=few(view["represents"]) if "represents" in view else None,
        ),
        history=history,
        contract=_in_force(view.get("contract") or {}, view["procedure"]["turns"]),
        ask=render(view["ask"], **given).strip(),
    )


def _in_force(contract: Facts, turns: int) -> str:
    """Return the clauses in force; add a note if they make the program transfer goods."""
    told = [contract_lines(contract, turns), _of_others(contract)]
    if any(clause["kind"] == "give" for clause in contract.get("clauses", [])):
        told.append(_HANDED_OVER)
    if due := contract.get("due"):
        told.append(f"Still due from clauses that ended: {'; '.join(map(_due_words, due))}.")
    return "\n\n".join(filter(None, told))


def _due_words(due: Facts) -> str:
    return f"{due['payer']} pays {due['payee']} {amount(due['amount'])} ({due['clause']})"


def _of_others(contract: Facts) -> str:
    """Return the note on the clauses omitted from a large contract, with any market prices.

    >>> _of_others({"others": 248, "hash": "0dfb"})
    '248 further clauses bind others, not you (hash of the whole deal: 0dfb).'
    """
    if not contract.get("others"):
        return ""
    told = f"{contract['others']} further clauses bind others, not you (hash of the whole deal: "
    told += f"{contract['hash'][:12]})."
    prices = contract.get("prices", {}).items()
    traded = [f"{one['volume']} {plain(good)} for {one['price']} each" for good, one in prices]
    return f"{told} At the market's prices, in all: {', '.join(traded)}." if traded else told


_HANDED_OVER = "The program hands these goods over: nobody has to do it."


def write_retry(
    label: str,
    feedback: str,
    read: Sequence[str] = (),
    attempt: int = 0,
    tries: int = 0,
    heard: bool = True,
) -> str:
    """Return the message that follows a refused answer in the conversation with its author.

    Args:
        label: the fault's label.
        feedback: all faults in words; if there are several, each is a line that begins with "- ".
        read: the parts of the answer that have no fault, in words.
        attempt: the number of the next try; if 0, the number is left out.
        tries: the number of all tries; if 0, the number is left out.
        heard: whether the answer's speech is delivered even if the last try cannot be used.
    """
    faults = [fault.strip().removeprefix("- ") for fault in feedback.split("\n- ")]
    return render(
        "retry",
        label=label,
        faults=faults,
        read=read,
        attempt=attempt,
        tries=tries,
        last=0 < tries <= attempt,
        heard=heard,
    )


def _utilities(facts: Facts) -> str:
    """Return the game's private facts for one agent in words; all utilities share one line."""
    lines = []
    for key, value in facts.items():
        if key in extension.offered("private"):
            lines.append(extension.load("private", key)(value))
        elif key in _OWN:
            if units := _told_once(key, value, facts):
                lines.append(_OWN[key].format(_with_steps(units)))
        else:
            lines.append(describe({key: value}).removeprefix("- "))
    return (" " if facts.keys() <= _OWN.keys() else "\n\n").join(lines)


def _told_once(key: str, value: Any, facts: Facts) -> Any:
    """Return a fact's value; omit goods in `worth_to_you` that are in `options_worth_to_you`."""
    if key != "worth_to_you":
        return value
    return {good: x for good, x in value.items() if good not in facts.get(_BY_OPTION, ())}


_BY_OPTION = "options_worth_to_you"
_OWN = {
    "worth_to_you": "one unit is worth to you: {}.",
    _BY_OPTION: "what is agreed is worth to you: {}.",
    "you_can_pay_at_most": "You can pay {} at most, in all.",
    "you_have_without_a_deal": "Without a deal you end with {}.",
}
"""A private fact of a market → its sentence."""


def _by_option(worth: Mapping[str, Any]) -> str:
    return ", ".join(f"{option} → {plain(x)}" for option, x in worth.items())


def _with_steps(worths: Any) -> str:
    """Return the values of goods in words; a list has a value for each unit: first, second, …."""
    if not isinstance(worths, Mapping):
        return plain(worths)
    if all(isinstance(x, Mapping) for x in worths.values()):
        return "; ".join(f"{issue} ({_by_option(worth)})" for issue, worth in worths.items())
    each = {
        good: " then ".join(map(str, x)) + " then 0" if isinstance(x, list) else x
        for good, x in worths.items()
    }
    return plain(each)


def _paragraphs(notes: str) -> str:
    """Return an agent's notes, quoted so that no line looks like a line of the program."""
    lines = [line.strip() for line in notes.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else "".join(f"\n> {line}" for line in lines)

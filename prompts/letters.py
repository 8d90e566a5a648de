"""The one writer of letters: what an agent sees, put into plain words for a model.

Static text comes first, then what only grows, and last what holds for this request alone, so that
a provider's prefix cache covers as much as possible. Programs get the same facts as an object
(`Letter.facts`) and read none of this.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.many import MANY
from shapley_coop.prompts.course import bargained_again, course_words, from_here
from shapley_coop.prompts.render import render
from shapley_coop.prompts.request import Words, contract_lines, variables
from shapley_coop.prompts.talk import in_words
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
    """Return the system part: the same for all who are asked for the same kind of thing.

    It begins alike in all letters of a run; only letters of a bargaining go on with what can be
    offered.

    Args:
        template: `table`, or `exchange_table` for the talk over tasks.
        rules: the game's rules, in Markdown.
        known: `agents`, `procedure`, whether it `bargains` or play is `over`, and of a bargaining
            `kinds`, `norms`, `compares_with`.
        instructions: what the run's owner asks of all agents.
        guidance: whether agents are asked to weigh the others' utilities.
        outsider: whether it is for one who is no party.
    """
    course = from_here(known["procedure"], known.get("over", False), known.get("bargains", False))
    going_on = {
        "turns": course["turns"],
        "renegotiate": bargained_again(course.get("renegotiate", "never")),
        "payments": course.get("payments", True),
    }
    procedure = render("procedure", **going_on, **course_words(course))
    whole = render(
        template,
        rules=rules.strip(),
        procedure=procedure.strip(),
        language=_language(known, going_on),
        agents=known.get("agents", []),
        plans="consider" in known["procedure"]["steps"],
        rounds=course["rounds"],
        instructions=instructions,
        guidance=guidance,
        outsider=outsider,
    )
    return whole.strip() + "\n"


def _language(known: Facts, going_on: Facts) -> str:
    """Return how clauses are written; empty where none can be offered."""
    if not (kinds := known.get("kinds")):
        return ""
    number = len(known.get("agents", []))
    return render(
        "language",
        kinds=kinds,
        taught=known.get("taught", []),
        norms=" or ".join(f'"{norm}"' for norm in known.get("norms", [])),
        compares_with=known.get("compares_with", ""),
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
    """Return the part for one agent, now.

    Args:
        view: what the agent sees (`state.view.agent_view`).
        history: what happened in public (`write_history`).
        secret: what its user told it alone.
        utilities: what the game tells it alone.
        words: the variables that the template of what is asked has beside those of all.
        outsider: whether the reader is no party.
    """
    given = variables(view, words)
    private = "\n\n".join(filter(None, [secret, _utilities(utilities or {})]))
    notes = view.get("notes", "")
    if view["ask"] == "act":
        notes = "" if given.get("asked") else notes[:LONGEST_NOTES]
    return render(
        "letter",
        persona=render(
            "persona",
            you=view["you"],
            private=private,
            notes=_paragraphs(notes),
            outsider=outsider,
            represents=few(view.get("represents", [])),
        ),
        history=history,
        contract=_in_force(view.get("contract") or {}, view["procedure"]["turns"]),
        ask=render(view["ask"], **given).strip(),
    )


def _in_force(contract: Facts, turns: int) -> str:
    """Return the clauses in force; where goods change hands, that nobody has to do it by hand."""
    told = [contract_lines(contract, turns), _of_others(contract)]
    if any(clause["kind"] == "give" for clause in contract.get("clauses", [])):
        told.append(_HANDED_OVER)
    return "\n\n".join(filter(None, told))


def _of_others(contract: Facts) -> str:
    """Of a large contract, which is told in part: what is left out, and at what prices it trades.

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


_HANDED_OVER = (
    "The program hands these goods over, before what is given by hand in the same turn: nobody has "
    "to do it."
)


def write_retry(
    label: str,
    feedback: str,
    read: Sequence[str] = (),
    attempt: int = 0,
    tries: int = 0,
    heard: bool = True,
) -> str:
    """Return what follows a refused answer in the conversation with its author.

    Args:
        label: of the fault.
        feedback: all that was wrong, in words; several faults begin a line each with "- ".
        read: what was read soundly, in words.
        attempt: the number of the try that follows; 0 leaves it out.
        tries: how many there are; 0 leaves it out.
        heard: whether what it says to all is delivered even if the last try cannot be used.
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


def write_history(events: Sequence[Facts], turns: int = 0) -> str:
    """Return what happened in public: the same for all who are asked at the same time.

    Args:
        events: as `state.history` gives them.
        turns: how many the game has.
    """
    return in_words(events, turns)


def _utilities(facts: Facts) -> str:
    """Return what the game tells one agent alone; numbers by mask on one line."""
    lines = []
    for key, value in facts.items():
        if key == "utilities":
            worths = ", ".join(f"{mask} {x:.3g}" for mask, x in value.items())
            lines.append(f"What each set of tasks is worth to you, by mask: {worths}.")
        elif key == "values":
            lines.append(f"{_SUM}: {', '.join(f'{task} {x:.3g}' for task, x in value.items())}.")
        elif key in _OWN:
            if units := _told_once(key, value, facts):
                lines.append(_OWN[key].format(_with_steps(units)))
        else:
            lines.append(describe({key: value}).removeprefix("- "))
    return (" " if facts.keys() <= _OWN.keys() else "\n\n").join(lines)


def _told_once(key: str, value: Any, facts: Facts) -> Any:
    """Return what a fact tells; worths by count are left out where they are told by option."""
    if key != "worth_to_you":
        return value
    return {good: x for good, x in value.items() if good not in facts.get(_BY_OPTION, ())}


_BY_OPTION = "options_worth_to_you"
_SUM = "What each task is worth to you, a set being worth the sum"
_OWN = {
    "worth_to_you": "one unit is worth to you: {}.",
    _BY_OPTION: "what is agreed is worth to you: {}.",
    "you_can_pay_at_most": "You can pay {} at most, in all.",
    "you_have_without_a_deal": "Without a deal you end with {}.",
}
"""A fact that a market tells one agent alone → its sentence."""


def _by_option(worth: Mapping[str, Any]) -> str:
    return ", ".join(f"{option} → {plain(x)}" for option, x in worth.items())


def _with_steps(worths: Any) -> str:
    """Amounts by good; a list has the worth of the first unit, of the second, and so on."""
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
    """Return an agent's own notes, quoted so that no line can pass for the program's."""
    lines = [line.strip() for line in notes.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else "".join(f"\n> {line}" for line in lines)

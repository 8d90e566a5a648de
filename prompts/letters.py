"""The one writer of letters: what an agent sees, put into plain words for a model.

Static text comes first, what only grows next, what holds for this moment alone last, so that a
provider's prefix cache finds as much as there can be. Programs get the same facts as an object
(`Letter.facts`) and read none of this.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shapley_coop.prompts.course import bargained_again, course_words, from_here
from shapley_coop.prompts.crowds import MANY
from shapley_coop.prompts.render import render
from shapley_coop.prompts.request import contract_lines, variables
from shapley_coop.prompts.talk import in_words
from shapley_coop.prompts.words import few, told

Facts = Mapping[str, Any]

LONGEST_NOTES = 600
"""Of notes in the letter of a turn, in characters."""


def write_rules(
    template: str,
    rules: str,
    known: Facts,
    *,
    instructions: str = "",
    guidance: bool = False,
    outsider: bool = False,
) -> str:
    """The system part: the same for all who are asked for the same kind of thing.

    Its beginning is the same in all letters of a run; what can be offered comes behind it, in
    letters of a bargaining alone.

    Args:
        template: `table`, or `exchange_table` for the talk over tasks.
        rules: the game's rules, in Markdown.
        known: `agents`, `procedure`, and of a bargaining `kinds`, `norms`, `compares_with`.
        instructions: what the run's owner asks of all agents.
        guidance: whether agents are asked to weigh the others' utilities.
        outsider: whether it is for one who is no party.
    """
    course = from_here(known["procedure"], known.get("over", False), bool(known.get("kinds")))
    going_on = {
        "turns": course["turns"],
        "renegotiate": bargained_again(course.get("renegotiate", "never")),
        "payments": course.get("payments", True),
    }
    language = ""
    if kinds := known.get("kinds"):
        language = render(
            "language",
            kinds=kinds,
            norms=" or ".join(f'"{norm}"' for norm in known.get("norms", [])),
            compares_with=known.get("compares_with", ""),
            several=len(known.get("agents", [])) > 2,
            many=len(known.get("agents", [])) > MANY,
            **going_on,
        ).strip()
    whole = render(
        template,
        rules=rules.strip(),
        procedure=render("procedure", **going_on, **course_words(course)).strip(),
        language=language,
        agents=known.get("agents", []),
        rounds=course["rounds"],
        instructions=instructions,
        guidance=guidance,
        outsider=outsider,
    )
    return whole.strip() + "\n"


def write_request(
    view: Facts,
    history: str,
    *,
    secret: str = "",
    utilities: Facts | None = None,
    sections: Sequence[str] = (),
    outsider: bool = False,
) -> str:
    """The part for one agent, now.

    Args:
        view: what the agent sees (`state.view.agent_view`).
        history: what happened in public (`write_history`).
        secret: what its user told it alone.
        utilities: what the game tells it alone.
        sections: of a written contract.
        outsider: whether the reader is no party.
    """
    asked = [duty["action"] for duty in view.get("duties", []) if not duty["forbidden"]]
    private = "\n\n".join(filter(None, [secret, _utilities(utilities or {})]))
    notes = view.get("notes", "")
    if view["ask"] == "act":
        notes = "" if asked else notes[:LONGEST_NOTES]
    contract = view.get("contract") or {}
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
        contract=contract_lines(contract, view["procedure"]["turns"]),
        ask=render(view["ask"], **variables(view, sections)).strip(),
    )


def write_retry(
    label: str, feedback: str, read: Sequence[str] = (), attempt: int = 0, tries: int = 0
) -> str:
    """What follows a refused answer in the conversation with its author.

    Args:
        label: of the fault.
        feedback: all that was wrong, in words; several faults begin a line each with "- ".
        read: what was read soundly, in words.
        attempt: the number of the try that follows; 0 leaves it out.
        tries: how many there are; 0 leaves it out.
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
    )


def write_history(events: Iterable[Facts], turns: int = 0) -> str:
    """What happened in public: the same for all who are asked at the same time.

    Args:
        events: as `state.history` gives them.
        turns: how many the game has.
    """
    return in_words(events, turns)


def _utilities(facts: Facts) -> str:
    """What the game tells one agent alone; numbers by mask on one line."""
    lines = []
    for key, value in facts.items():
        if key == "utilities":
            worths = ", ".join(f"{mask} {x:.3g}" for mask, x in value.items())
            lines.append(f"What each set of tasks is worth to you, by mask: {worths}.")
        else:
            lines.append(told({key: value}).removeprefix("- "))
    return "\n\n".join(lines)


def _paragraphs(notes: str) -> str:
    """An agent's own notes: its words, on lines that cannot be taken for ours."""
    lines = [line.strip() for line in notes.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else "".join(f"\n> {line}" for line in lines)

"""The one writer of letters: what an agent sees, put into plain words for a model.

Static text comes first, what only grows next, what holds for this moment alone last, so that a
provider's prefix cache finds as much as there can be. Programs get the same facts as an object
(`Letter.facts`) and read none of this.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shapley_coop.prompts.computed import amount, money, outlook
from shapley_coop.prompts.render import compact_json, render
from shapley_coop.prompts.talk import at_turns, clauses, in_words
from shapley_coop.prompts.words import plain, quoted, told

Facts = Mapping[str, Any]

AFTER_PLAY = ("claim", "propose_split", "answer_split")
LONGEST_NOTES = 600
"""Of notes in the letter of a turn, in characters."""

KEEP_NOTES = "\n`<NOTES>…</NOTES>` beside it replaces your notes (private, at most 600 characters)."
_AGAIN = {
    "never": "",
    "on_breach": "After a breach of the deal",
    "on_shock": "After an event that the game calls a shock",
}
_OTHERWISE = {
    "signed": "everybody ends as signed",
    "norm": "the split by the norm {norm} is paid",
    "final_offer": "each one's last proposal counts: the one nearest to the norm {norm} is paid",
}


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
    course = _from_here(known["procedure"], known.get("over", False), bool(known.get("kinds")))
    going_on = {
        "turns": course["turns"],
        "renegotiate": _again(course.get("renegotiate", "never")),
        "payments": course.get("payments", True),
    }
    language = ""
    if kinds := known.get("kinds"):
        language = render(
            "language",
            kinds=kinds,
            norms=" or ".join(f'"{norm}"' for norm in known.get("norms", [])),
            compares_with=known.get("compares_with", ""),
            **going_on,
        ).strip()
    whole = render(
        template,
        rules=rules.strip(),
        procedure=render("procedure", **going_on, **_course(course)).strip(),
        language=language,
        agents=known.get("agents", []),
        instructions=instructions,
        guidance=guidance,
        outsider=outsider,
    )
    return whole.strip() + "\n"


def _from_here(course: Facts, over: bool, bargains: bool) -> Facts:
    """The course of the run without what is behind: letters of a turn tell what follows play."""
    if bargains and not over:
        return course
    kept = [step for step in course["steps"] if step in AFTER_PLAY]
    return {**course, "steps": kept, **({"renegotiate": "never"} if over else {})}


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
        ),
        history=history,
        contract=_contract(contract, view["procedure"]["turns"]),
        ask=render(view["ask"], **_variables(view, sections)).strip(),
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


def _otherwise(course: Facts, signed: bool = True) -> str:
    """What holds if the last bargaining ends without agreement."""
    disagreement = course.get("disagreement", "signed")
    if disagreement == "signed" and not signed:
        return "everybody keeps what it has earned"
    return _OTHERWISE[disagreement].format(norm=course.get("norm", ""))


def _course(course: Facts) -> dict[str, Any]:
    return {
        "steps": course["steps"],
        "rounds": course["rounds"],
        "enforcement": course.get("enforcement", ""),
        "deposit": course.get("deposit", ""),
        "computed": course.get("computed", False),
        "otherwise": _otherwise(course, course.get("bargains", True)),
        "budget": course["budget"],
    }


def _again(when: str) -> str:
    """When a contract is bargained over again."""
    if when in _AGAIN:
        return _AGAIN[when]
    turns = when.removeprefix("every ")
    return "After every turn" if turns == "1" else f"After every {turns} turns"


def _variables(view: Facts, sections: Sequence[str]) -> dict[str, Any]:
    """What the templates of requests may name."""
    last_round = "rounds" in view and view["round"] >= view["rounds"]
    contract = bool(view.get("contract"))
    return {
        "round": view.get("round"),
        "rounds": view.get("rounds"),
        "last_round": last_round,
        "others": "All others",
        "payments": view.get("payments", True),
        "contract": contract,
        "no_contract": quoted(view["no_contract"]) if view.get("no_contract") else "",
        "without": "the deal in force stays" if contract else "you play without a deal",
        "tries": view.get("tries"),
        "keep_notes": KEEP_NOTES,
        "standing": _standing(view),
        "outlook": outlook(view),
        "parties": ", ".join(view.get("parties", [])),
        "sections": sections,
        "guidance": view.get("guidance", False),
        **_offer(view),
        **_turn(view),
        **_split(view, contract),
        **_trade(view),
    }


def _offer(view: Facts) -> dict[str, Any]:
    """The offer to be answered; its words only where the history does not tell them."""
    offer = view.get("offer", {})
    turns = view["procedure"]["turns"]
    text = clauses(offer.get("in_words", ""), turns)
    return {
        "offer_by": plain(offer.get("by", "")),
        "number": offer.get("revision"),
        "offer_by_id": _contract(offer),
        "offer_words": text if offer and not offer.get("told") else "",
        "offer_json": compact_json(offer["wire"]) if "wire" in offer else "",
        "drafted": bool(offer.get("clauses")),
    }


def _turn(view: Facts) -> dict[str, Any]:
    """A turn of the game: what the deal asks for, and what can be done."""
    duties = view.get("duties", [])
    asked = [plain(duty["action"]) for duty in duties if not duty["forbidden"]]
    forbidden = [plain(duty["action"]) for duty in duties if duty["forbidden"]]
    return {
        "turn": view.get("turn"),
        "turns": view.get("turns", view["procedure"]["turns"]),
        "asked": ", ".join(asked),
        "forbidden": ", ".join(forbidden),
        "earned": _earned(tuple(view.get("earned_so_far", {}).items())),
        "breaches": _breaches(view),
        "legal": _legal(view.get("legal", [])),
    }


@lru_cache(maxsize=64)  # all agents of a wave are told the same
def _earned(sums: tuple[tuple[str, str], ...]) -> str:
    """What each has earned so far; empty before anybody has."""
    earned = {agent: amount(x) for agent, x in sums}
    return plain(earned) if any(float(x) for x in earned.values()) else ""


def _breaches(view: Facts) -> str:
    if not view.get("contract") or not view.get("earned_so_far"):
        return ""
    found = [
        f"{plain(b['agent'])} {b['clause']} at turn {b['turn']}" for b in view.get("breaches", [])
    ]
    return f"Breaches of the deal: {', '.join(found)}." if found else "Everybody kept the deal."


def _legal(actions: Sequence[str]) -> str:
    if sum(map(len, actions)) > 80 or any("," in action for action in actions):
        return "\n\n" + "\n".join(f"- {action}" for action in actions)
    return f"{', '.join(actions)}."


def _standing(view: Facts) -> str:
    """Where the game is, without what the letter says anyway."""
    position = {k: x for k, x in view.get("position", {}).items() if k != "turn"}
    return _told(json.dumps(position)) if position else ""


@lru_cache(maxsize=64)  # where agents see the same of a position, it is put into words once
def _told(facts: str) -> str:
    return told(json.loads(facts))


def _split(view: Facts, contract: bool) -> dict[str, Any]:
    """The last bargaining: what there is to divide, and what an answer would change."""
    me, offer = view["you"], view.get("offer", {})
    change = "change" in offer
    return {
        "money": money(view) if "own_rewards" in view else "",
        "standing_now": "as signed" if contract else "as earned",
        "signed": amount(view["as_signed"][me]) if change else "",
        "proposed": amount(offer["payoffs"][me]) if change else "",
        "change": amount(offer["change"][me], signed=True) if change else "",
        "direction": _direction(view),
        "without_agreement": _otherwise(view["procedure"], contract),
        "stays": "the signed deal stays" if contract else "what each has earned stays",
    }


def _direction(view: Facts) -> str:
    """The paper's "I need to {ask|pay} reward": the computed payoff against what was signed."""
    computed = view.get("computed")
    if not computed or "as_signed" not in view:
        return ""
    me = view["you"]
    gap = Fraction(computed["payoffs"][me]) - Fraction(view["as_signed"][me])
    now = "as signed" if view.get("contract") else "as earned"
    if not gap:
        return f"The split by {computed['norm']} gives you what you have {now}. "
    more = f"{amount(abs(gap))} {'more' if gap > 0 else 'less'}"
    return f"The split by {computed['norm']} would give you {more} than you have {now}. "


def _trade(view: Facts) -> dict[str, Any]:
    """The talk over tasks."""
    pending = view.get("pending") or {}
    worth = pending.get("your_utility")
    yours = f"Your part is worth {worth:.3g} to you." if worth is not None else ""
    turns = view.get("turns", 0)
    return {
        "pending_by": plain(pending.get("by", "")),
        "pending": yours,
        "last_turn": "turn" in view and "turns" in view and view["turn"] >= turns,
    }


def _contract(contract: Facts, turns: int = 0) -> str:
    """The clauses in force, by the ids under which breaches and amendments cite them."""
    lines = at_turns(contract.get("in_words", ""), turns).split("\n")
    return "\n".join(f"- {line}" for line in lines if line)


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

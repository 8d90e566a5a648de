"""The course of a run in letters: the steps after play, and the outcome without agreement."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.prompts.render import render

Facts = Mapping[str, Any]

AFTER_PLAY = ("claim", "propose_split")
"""The questions after the last turn that the procedure's template names."""

_AGAIN = {
    "never": "",
    "on_breach": "After a breach of the deal",
}
_OTHERWISE = {
    "signed": "everybody ends as signed",
    "norm": "the split by the norm {norm} is paid",
}


def from_here(course: Facts, over: bool, bargains: bool) -> Facts:
    """Return the steps of the run that remain; letters for actions list only steps after play."""
    if bargains and not over:
        return course
    kept = [step for step in course["steps"] if step in AFTER_PLAY]
    rest = {key: value for key, value in course.items() if key != "course"}
    return {**rest, "steps": kept, **({"renegotiate": "never"} if over else {})}


def otherwise(course: Facts, signed: bool = True) -> str:
    """Return in words how a run ends if its last bargaining ends without agreement."""
    disagreement = course.get("disagreement", "signed")
    if disagreement == "signed" and not signed:
        return "everybody keeps what it has earned"
    return _OTHERWISE[disagreement].format(norm=course.get("norm", ""))


def course_words(course: Facts) -> dict[str, Any]:
    """Return the variables of the procedure's template."""
    return {
        "steps": course["steps"],
        "rounds": course["rounds"],
        "enforcement": course.get("enforcement", ""),
        "deposit": course.get("deposit", ""),
        "computed": course.get("computed", False),
        "otherwise": otherwise(course, course.get("bargains", True)),
        "budget": course["budget"],
        "course": _of_its_own(course),
    }


def _of_its_own(course: Facts) -> str:
    """Return an extension's text on how agents agree; "" if no extension defines it."""
    if not (own := course.get("course")):
        return ""
    return render(f"{own['of']}_course", rounds=course["rounds"], **own["words"]).strip()


def bargained_again(when: str) -> str:
    """Return in words when agents bargain over the contract again."""
    if when in _AGAIN:
        return _AGAIN[when]
    turns = when.removeprefix("every ")
    return "After every turn" if turns == "1" else f"After every {turns} turns"

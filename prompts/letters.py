"""The one writer of letters: what an agent sees, put into words for a model.

Static text comes first, what only grows next, what holds for this moment alone last, so that a
provider's prefix cache finds as much as there can be.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.prompts.render import fenced, fenced_lines, render

_OWN = "the facts that follow."
_UTILITIES = "what each set of tasks is worth to you, by mask."


def write_rules(
    template: str,
    rules: str,
    facts: Mapping[str, Any],
    instructions: str,
    guidance: bool = False,
    deals: bool = True,
    payments: bool = True,
) -> str:
    """The system part: the same for every agent, in every letter of a run.

    Args:
        template: `table`, or `exchange_table` for the talk over tasks.
        rules: the game's rules, in Markdown.
        facts: the same rules as JSON.
        instructions: what the run's owner asks of all agents.
        guidance: whether agents are asked to weigh the others' utilities.
        deals: whether agents can make deals.
        payments: whether deals admit payments and splits.
    """
    return render(
        template,
        rules=rules,
        facts=fenced(facts),
        agents=facts.get("agents", []),
        instructions=instructions,
        guidance=guidance,
        deals=deals,
        payments=payments,
    )


def write_request(
    view: Mapping[str, Any],
    history: str,
    *,
    persona: str = "persona",
    secret: str = "",
    utilities: Mapping[str, Any] | None = None,
    sections: Sequence[str] = (),
) -> str:
    """The part for one agent, now.

    Args:
        view: what the agent sees (`state.view.agent_view`).
        history: what happened in public (`write_history`).
        persona: the template that says who the agent is.
        secret: what its user told it alone.
        utilities: what the game tells it alone.
        sections: of a written contract.
    """
    told = [secret] if secret else []
    if utilities:
        trading = "turns" in view
        # A fence has to begin its line.
        told += [_UTILITIES if trading else _OWN, fenced(utilities)]
    return render(
        "letter",
        persona=render(persona, you=view["you"], private="\n\n".join(told)),
        history=history,
        ask=render(view["ask"], **_variables(view, sections)).strip(),
        facts=fenced(view),
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


def write_history(lines: Iterable[Mapping[str, Any]]) -> str:
    """What happened in public: the same for all who are asked at the same time."""
    return fenced_lines(lines)


def _variables(view: Mapping[str, Any], sections: Sequence[str]) -> dict[str, Any]:
    """What the templates of requests may name."""
    return {
        "priced": "reasoning" in view,
        "last_round": "rounds" in view and view["round"] >= view["rounds"],
        "contract": view.get("contract"),
        "duties": "duties" in view,
        "no_contract": view.get("no_contract"),
        "computed": view.get("computed"),
        "direction": _direction(view),
        "without_agreement": view.get("without_agreement", "as_signed holds"),
        **_change(view),
        "turn": view.get("turn"),
        "turns": view.get("turns"),
        "pending": view.get("pending"),
        "guidance": view.get("guidance", False),
        "compares_with": view.get("norms") and view.get("compares_with"),
        "sections": sections,
        "drafted": bool(view.get("offer", {}).get("clauses")),
    }


def _change(view: Mapping[str, Any]) -> dict[str, str]:
    """As signed, as proposed, and the change for the reader of the letter."""
    me, offer = view["you"], view.get("offer", {})
    if "change" not in offer:
        return {"signed": "", "proposed": "", "change": ""}
    return {
        "signed": view["as_signed"][me],
        "proposed": offer["payoffs"][me],
        "change": f"{float(Fraction(offer['change'][me])):+g}",
    }


def _direction(view: Mapping[str, Any]) -> str:
    """The paper's "I need to {ask|pay} reward": the computed payoff against what was signed."""
    computed = view.get("computed")
    if not computed or "as_signed" not in view:
        return ""
    gap = Fraction(computed["payoffs"][view["you"]]) - Fraction(view["as_signed"][view["you"]])
    if not gap:
        return "would neither gain nor lose"
    return f"would {'gain' if gap > 0 else 'lose'} {float(abs(gap)):g}"

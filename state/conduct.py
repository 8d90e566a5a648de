"""The conduct of each agent in a record: the turns of its actions, breaches and passes.

The command line, the viewer and the evaluators show the conduct next to each agent's payoff.

>>> record = [{"turn": 1, "actions": {"Ann": "give"}, "rewards": {},
...            "effects": [{"effect": "pass", "agent": "Ben", "label": "ACTION"}]},
...           {"turn": 2, "actions": {"Ann": "give", "Ben": "keep"}, "rewards": {}}]
>>> found = conduct(["Ann", "Ben"], record, [{"agent": "Ben", "clause": "c2", "turn": 2}])
>>> did({"give": 2}), did({"keep": 1}, found["Ben"]["actions"])
('give ×2', 'keep ×1 (turn 2)')
>>> unanswered_words(found["Ben"]["passes"])
'1 pass because no answer could be used (turn 1: ACTION)'
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

from shapley_coop.games import Turn
from shapley_coop.seats.records import CHOSEN
from shapley_coop.state.budget import SPENT_UP

Why = Literal["chosen", "budget", "unusable"]

MOST_NAMED = 4
"""The most distinct actions that `did` lists; `did` gives only the number of all others."""

LONGEST = 44
"""The most characters of an action's name; longer names are cut."""


class Pass(TypedDict):
    """A turn in which an agent was asked to act and took no action."""

    turn: int
    why: Why  # the agent chose to pass, its budget was used up, or its answers were unusable
    label: str  # the label of the fault in the agent's last answer, or the pass's own label


class Conduct(TypedDict):
    """One agent's actions, breaches and passes in a run."""

    actions: dict[str, list[int]]  # action → the turns in which the agent took it, in order
    breaches: list[int]  # the turn of each breach, repeated if it broke several clauses
    passes: list[Pass]


def conduct(
    agents: Sequence[str], record: Sequence[Turn], breaches: Iterable[Mapping[str, Any]]
) -> dict[str, Conduct]:
    """Return agent → its conduct.

    Args:
        agents: the agents, in order.
        record: the turns that were played.
        breaches: the breaches listed in a settlement, each with `agent` and `turn`.
    """
    found: dict[str, Conduct] = {a: {"actions": {}, "breaches": [], "passes": []} for a in agents}
    for turn in record:
        for agent, action in turn["actions"].items():
            found[agent]["actions"].setdefault(action, []).append(turn["turn"])
        for effect in turn.get("effects", []):
            if effect.get("effect") == "pass" and effect.get("agent") in found:
                found[effect["agent"]]["passes"].append(_pass(turn["turn"], effect["label"]))
    for breach in breaches:
        found[breach["agent"]]["breaches"].append(breach["turn"])
    return found


def _pass(turn: int, label: str) -> Pass:
    why: Why = "chosen" if label == CHOSEN else "budget" if label == SPENT_UP else "unusable"
    return {"turn": turn, "why": why, "label": label}


def state_conduct(
    agents: Sequence[str], record: Sequence[Turn], breaches: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return agent → its conduct with counts, for results; see `conduct` for the arguments."""
    return {agent: in_counts(one) for agent, one in conduct(agents, record, breaches).items()}


def in_counts(one: Conduct) -> dict[str, Any]:
    """Return one agent's conduct with counts of actions and breaches in place of turns."""
    counts = {action: len(turns) for action, turns in one["actions"].items()}
    return {"actions": counts, "breaches": len(one["breaches"]), "passes": one["passes"]}


def did(counts: Mapping[str, int], when: Mapping[str, Sequence[int]] | None = None) -> str:
    """Return actions with counts in words, most frequent first, with turns if `when` is given."""
    often = sorted(counts.items(), key=lambda each: -each[1])
    shown = often if len(often) <= MOST_NAMED else often[: MOST_NAMED - 1]
    told = [
        f"{_short(action)} ×{count}" + (f" ({in_turns(when[action])})" if when else "")
        for action, count in shown
    ]
    if rest := often[len(shown) :]:
        told.append(f"{len(rest)} other actions ×{sum(count for _, count in rest)}")
    return ", ".join(told) or "nothing"


def _short(action: str) -> str:
    return action if len(action) <= LONGEST else f"{action[: LONGEST - 1]}…"


def unanswered_words(passes: Iterable[Pass]) -> str:
    """Return in words the passes that unusable answers caused, or "" if there are none.

    Passes lower an agent's value, so readers see these words next to the value.
    """
    lost = [each for each in passes if each["why"] == "unusable"]
    if not lost:
        return ""
    by_label: dict[str, list[int]] = {}
    for each in lost:
        by_label.setdefault(each["label"], []).append(each["turn"])
    told = "; ".join(f"{in_turns(turns)}: {label}" for label, turns in by_label.items())
    count = "1 pass" if len(lost) == 1 else f"{len(lost)} passes"
    return f"{count} because no answer could be used ({told})"


def in_turns(turns: Sequence[int]) -> str:
    """Return sorted turn numbers in words: `turn 3`, `turns 1–4, 7`."""
    spans: list[list[int]] = []
    for turn in turns:
        if spans and turn == spans[-1][-1] + 1:
            spans[-1][1:] = [turn]
        elif not spans or turn != spans[-1][-1]:
            spans.append([turn])
    told = ", ".join("–".join(map(str, span)) for span in spans)
    return f"turn{'s' if len(turns) > 1 else ''} {told}"

"""The letters to a pair's agents: their tasks, the reader's utilities, and the pair's talk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.domain.told import worths
from shapley_coop.extensions.exchange.domain.words import atoms_of, facts_of, task_line
from shapley_coop.extensions.exchange.letter import by_mask
from shapley_coop.extensions.exchange.messages.allocation import shape
from shapley_coop.extensions.exchange.pairs.meetings import (
    ends_of,
    meetings_of,
    pairs_game,
    talk_of_pair,
)
from shapley_coop.extensions.exchange.talk import trade_talk
from shapley_coop.prompts import fill
from shapley_coop.prompts.words import plain
from shapley_coop.state.telling import Lines
from shapley_coop.state.turn import TurnContext

Facts = Mapping[str, Any]

_MOST_TALKS = 3
"""The most talks of an agent whose ends its letters about work tell."""

_TEMPLATE = (Path(__file__).parent / "tasks.md").read_text(encoding="utf-8")


def shown(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return a pair's tasks, an agent's utilities of the tasks, and the state of the talk."""
    talk = talk_of_pair(turn, agent)
    return {
        **facts_of(talk.tasks),
        **worths(talk.game.scenario, agent, talk.tasks),
        "meeting": meetings_of(turn.evaluated)[agent]["number"],
        **trade_talk(talk, turn.table["round"], agent),
    }


def heard(turn: TurnContext, agent: str) -> Lines:
    """Return the messages of an agent's own pair."""
    return talk_of_pair(turn, agent).history()


def nothing_heard(turn: TurnContext, agent: str) -> Lines:
    """Return no lines of history: for the work after the meetings agents need no history."""
    return []


def ended(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return how an agent's latest talks ended, its tasks, and what these are worth to it."""
    evaluated = turn.evaluated
    game, holds = pairs_game(evaluated), evaluated.table["position"]["holds"]
    own = game.tasks.among({agent: from_bits(holds[agent], game.tasks.n)})
    held = {"atoms": atoms_of(own), **worths(game.scenario, agent, own)}
    return {"talks": ends_of(evaluated).get(agent, [])[-_MOST_TALKS:], "held": held}


def ended_in_words(view: Facts) -> dict[str, str]:
    """Return the template variable on how the reader's latest talks ended, and on its tasks."""
    lines = [
        f"- Meeting {end['meeting']}, with {plain(end['partner'])}: {_end(end)}."
        for end in view["talks"]
    ]
    talks = ["How your talks ended:", "", *lines, ""] if lines else []
    held, legal = view["held"], view["legal"]
    done = ["" if atom["action"] in legal else " (done)" for atom in held["atoms"]]
    tasks = [f"- {line}{end}" for line, end in zip(_lines(held), done, strict=True)]
    own = ["Your tasks, in the order of the masks that name sets of them:", "", *tasks, ""]
    return {"brought": "\n".join([*talks, *own, _worths(held)]).rstrip()}


def _lines(view: Facts) -> list[str]:
    """Return a line for each task: its mask, action and words, and what it alone is worth."""
    atoms, values = view["atoms"], view.get("values", {})
    worth = {says: f" (worth {value:.3g} to you)" for says, value in values.items()}
    bits = [f"{1 << k:0{len(atoms)}b}" for k in reversed(range(len(atoms)))]
    pairs = zip(bits, atoms, strict=True)
    return [f"{task_line(mask, atom)}{worth.get(atom['says'], '')}" for mask, atom in pairs]


def _worths(view: Facts) -> str:
    """Return what each set of tasks is worth to the reader; "" if utilities are additive."""
    return by_mask(view["utilities"]) if view.get("utilities") else ""


def _end(end: Facts) -> str:
    if not end["agreed"]:
        return "no agreement, so both kept what they had"
    if not end["gave"] and not end["got"]:
        return "no trade, as both accepted what they had"
    gave, got = ("; ".join(end[key]) or "nothing" for key in ("gave", "got"))
    return f"agreed; you gave {gave}, and got {got}"


def in_words(view: Facts) -> dict[str, str]:
    """Return template variables on the reader's partner and on the tasks that the pair holds."""
    me, initial = view["you"], view["initial"]
    other = plain(next(agent for agent in view["agents"] if agent != me))
    held = []
    for at, line in enumerate(_lines(view)):
        who = next(agent for agent, own in initial.items() if own[at] == "1")
        held.append(f"{line} ({'yours' if who == me else plain(who)})")
    named = view["registry"].items()
    written = [f"{mask}: {text}" for mask, text in named if not _composed(view, mask)]
    return {
        "proposal": f"`{shape(view['agents'])}`",
        "with_whom": f" with {other}, in meeting {view['meeting']}",
        "tasks": fill(_TEMPLATE, held=held, worths=_worths(view), written=written).rstrip(),
        "kept": "both keep what they have",
    }


def _composed(view: Facts, mask: str) -> bool:
    """Return whether a set's description is only its tasks' words joined together."""
    says = [atom["says"] for atom, bit in zip(view["atoms"], mask, strict=True) if bit == "1"]
    return bool(view["registry"][mask] == f"{'; '.join(says)}.")

"""The letters to a pair's agents: their tasks, the reader's utilities, and the pair's talk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shapley_coop.extensions.institutions.pairs.meetings import ends_of, meetings_of, talk_of_pair
from shapley_coop.games.exchange.told import worths
from shapley_coop.games.exchange.words import facts_of
from shapley_coop.prompts import fill
from shapley_coop.prompts.words import plain
from shapley_coop.state.exchange import trade_history, trade_talk
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
    return trade_history(talk_of_pair(turn, agent))


def nothing_heard(turn: TurnContext, agent: str) -> Lines:
    """Return no line of history, because agents need none for the work after meetings."""
    return []


def ended(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the ends of an agent's own latest talks."""
    return {"talks": ends_of(turn.evaluated).get(agent, [])[-_MOST_TALKS:]}


def ended_in_words(view: Facts) -> dict[str, str]:
    """Return the variable with a line on the end of each of the reader's latest talks."""
    lines = [
        f"- Meeting {end['meeting']}, with {plain(end['partner'])}: {_end(end)}."
        for end in view["talks"]
    ]
    return {"brought": "\n".join(["How your talks ended:", "", *lines]) if lines else ""}


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
    bits = [f"{1 << k:0{len(view['atoms'])}b}" for k in reversed(range(len(view["atoms"])))]
    held, values = [], view.get("values", {})
    for mask, atom in zip(bits, view["atoms"], strict=True):
        who = next(a for a, own in initial.items() if int(own, 2) & int(mask, 2))
        worth = f", worth {values[atom['says']]:.3g} to you" if values else ""
        held.append(f"{mask}: {atom['says']} ({'yours' if who == me else plain(who)}{worth})")
    worths = ", ".join(f"{mask} {x:.3g}" for mask, x in view.get("utilities", {}).items())
    own = f"What each set of tasks is worth to you (utility), by mask: {worths}." if worths else ""
    named = view["registry"].items()
    written = [f"{mask}: {text}" for mask, text in named if not _composed(view, mask)]
    return {
        "with_whom": f" with {other}, in meeting {view['meeting']}",
        "tasks": fill(_TEMPLATE, held=held, worths=own, written=written).rstrip(),
        "kept": "both keep what they have",
    }


def _composed(view: Facts, mask: str) -> bool:
    """Return whether a set's description is only its tasks' words joined together."""
    says = [atom["says"] for atom, bit in zip(view["atoms"], mask, strict=True) if bit == "1"]
    return bool(view["registry"][mask] == f"{'; '.join(says)}.")

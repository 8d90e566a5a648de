"""The conversion of a letter about an encounter with one partner, for embedded agents.

A letter becomes a two-agent game of its reader and the present partner. All past actions of the
partner count, even actions against other agents. So a strategy that answers the partner's last
action works by reputation (image scoring: Nowak and Sigmund, Nature 393, 1998).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.games import Turn


def in_encounter(
    facts: dict[str, Any], record: Sequence[Turn]
) -> tuple[dict[str, Any], list[Turn]]:
    """Return facts and record of the present encounter only; both unchanged if there is none.

    Args:
        facts: the letter's facts.
        record: the turns played by all agents.
    """
    partner, cells = (facts.get("position") or {}).get("partner"), facts.get("encounter")
    if facts.get("contract") or not (partner and cells):
        return facts, list(record)
    pair = (str(facts["you"]), str(partner))
    pays = {(cell["own"], cell["other"]): cell["pays"] for cell in cells}
    plays = [dict(zip(pair, did, strict=True)) for did in pays]
    payoffs = [
        {
            "play": play,
            "pays": {me: pays[play[me], play[other]] for me, other in (pair, pair[::-1])},
        }
        for play in plays
    ]
    seen: list[Any] = [
        {**turn, "actions": _of(pair, turn["actions"]), "rewards": _of(pair, turn["rewards"])}
        for turn in record
    ]
    own = {
        "game": "",
        "agents": list(pair),
        "actions": _of(pair, facts["actions"]),
        "payoffs": payoffs,
    }
    return {**facts, **own}, seen


def _of(pair: tuple[str, str], told: Mapping[str, Any]) -> dict[str, Any]:
    return {agent: told[agent] for agent in pair if agent in told}

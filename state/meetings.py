"""Agents who meet in pairs to trade tasks: who meets whom, whose turn it is, who said what."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from shapley_coop.games.dice import dice
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.own_tables import Meeting, Pending, pairs_of
from shapley_coop.state.table import AgentOutput, PublicMessage, Table

TOPIC = "meeting"
"""The name of what is said in pairs."""

PUTS = ("propose", "reject")
"""What puts a proposal."""

EVALUATED = 8
"""Evaluated tables of which it is kept who meets whom."""


def drawn(agents: Sequence[str], seed: int, number: int, began: int) -> list[Meeting]:
    """Return all agents in pairs, by lot; of an odd number one is left over.

    Args:
        agents: all of them.
        seed: of the lot.
        number: of the meeting, from 1.
        began: the round of talk in which the pairs begin.
    """
    order = [agents[int(i)] for i in dice(seed, 0, f"meeting/{number}").permutation(len(agents))]
    return [
        {"agents": [one, other], "number": number, "began": began, "status": "talking"}
        for one, other in zip(order[::2], order[1::2], strict=False)
    ]


def speaker_of(meeting: Meeting, table: Table) -> str:
    """Return whose turn it is in a pair."""
    return _at(meeting, table["round"])


def _at(meeting: Meeting, now: int) -> str:
    return meeting["agents"][(now - meeting["began"]) % 2]


def after(meeting: Meeting, now: int, turns: int, said: AgentOutput | PublicMessage) -> Meeting:
    """Return a pair after the message of whose turn it is.

    It parts when one of the two passes, and after its last turn.

    Args:
        meeting: the pair as it was.
        now: the round of talk.
        turns: how many a talk has.
        said: the message.
    """
    act, standing, speaker = said["act"], meeting.get("pending"), _at(meeting, now)
    if act == "accept" and standing:
        both: Pending = {**standing, "accepted": sorted(meeting["agents"])}
        return {**meeting, "status": "agreed", "pending": both}
    if act not in PUTS:
        return {**meeting, "status": "apart"}
    put: Pending = {"by": speaker, "turn": now, "wrote": said["text"], "accepted": [speaker]}
    last = now - meeting["began"] + 1 >= turns
    return {**meeting, "status": "apart" if last else "talking", "pending": put}


def speakers(evaluated: EvaluatedTable) -> list[str]:
    """Whoever's turn it is, of all pairs that still talk."""
    table = evaluated.table
    talking = [one for one in pairs_of(table) if one["status"] == "talking"]
    return [speaker_of(one, table) for one in talking]


@lru_cache(maxsize=EVALUATED)
def meetings_of(evaluated: EvaluatedTable) -> Mapping[str, Meeting]:
    """Agent → the pair that it is in."""
    met = pairs_of(evaluated.table)
    return {agent: meeting for meeting in met for agent in meeting["agents"]}


@lru_cache(maxsize=EVALUATED)
def heard_by(evaluated: EvaluatedTable) -> Mapping[str, list[PublicMessage]]:
    """Agent → what was said in the pair that it is in."""
    met, found = meetings_of(evaluated), dict[str, list[PublicMessage]]()
    for said in evaluated.table.get("talk", []):
        meeting = met.get(said["by"])
        if meeting and said["round"] >= meeting["began"]:
            for agent in meeting["agents"]:
                found.setdefault(agent, []).append(said)
    return found

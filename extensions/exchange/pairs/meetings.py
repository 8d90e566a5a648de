"""Meetings of pairs to trade tasks: the pairs, the speakers, and the messages."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from shapley_coop.deals.language.clauses import Give
from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.exchange.domain.scenario import Masks, Tasks
from shapley_coop.extensions.exchange.messages.lines import masks_in
from shapley_coop.extensions.exchange.pairs.game import ExchangeInPairs
from shapley_coop.extensions.exchange.talk import Pending, Talk
from shapley_coop.games.dice import dice
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import AgentOutput, PublicMessage, Table
from shapley_coop.state.turn import TurnContext

TOPIC = "meeting"
"""The topic of the talk in pairs."""

PUTS = ("propose", "reject")
"""The acts that put a proposal on the table."""

EVALUATED = 8
"""The number of run states whose pairs are cached."""


class Meeting(TypedDict):
    """A pair of agents that meet to trade tasks, and the state of their talk."""

    agents: list[str]  # the first agent speaks first
    number: int  # the number of the meeting of all agents, from 1
    began: int  # the round of talk in which the pair begins
    status: Literal["talking", "agreed", "apart"]
    pending: NotRequired[Pending]  # the latest proposal
    number_put: NotRequired[int]  # the latest proposal's number


class End(TypedDict):
    """How one agent's talk with a partner ended."""

    meeting: int
    partner: str
    agreed: bool
    gave: list[str]  # the tasks that changed hands by the accepted proposal
    got: list[str]


class MeetingsTable(Table, total=False):
    """The table of a run in which agents meet in pairs."""

    meetings: list[Meeting]
    """The pairs of the latest meeting. Written by `open`, `pair` and `deliver`."""


def pairs_of(table: Table) -> list[Meeting]:
    """Return the pairs of the latest meeting."""
    return cast(MeetingsTable, table).get("meetings", [])


def pairs_game(evaluated: EvaluatedTable) -> ExchangeInPairs:
    """Return the game of this run."""
    game = evaluated.game
    assert isinstance(game, ExchangeInPairs), "the workflow plays no other"
    return game


def drawn(agents: Sequence[str], seed: int, number: int, began: int) -> list[Meeting]:
    """Return all agents in pairs drawn by lot; of an odd number, one agent has no pair.

    Args:
        agents: all agents.
        seed: the seed of the lot.
        number: the number of the meeting, from 1.
        began: the round of talk in which the pairs begin.
    """
    order = [agents[int(i)] for i in dice(seed, 0, f"meeting/{number}").permutation(len(agents))]
    return [
        {"agents": [one, other], "number": number, "began": began, "status": "talking"}
        for one, other in zip(order[::2], order[1::2], strict=False)
    ]


def speaker_of(meeting: Meeting, table: Table) -> str:
    """Return the agent of a pair whose turn it is to speak."""
    return _at(meeting, table["round"])


def _at(meeting: Meeting, now: int) -> str:
    return meeting["agents"][(now - meeting["began"]) % 2]


def after(meeting: Meeting, now: int, turns: int, said: AgentOutput | PublicMessage) -> Meeting:
    """Return the state of a pair's meeting after its speaker's message.

    The pair stops if the speaker passes, and after the last turn of talk.

    Args:
        meeting: the pair before the message.
        now: the round of talk.
        turns: the number of turns of a talk.
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
    """Return the agents whose turn it is, in all pairs that still talk."""
    table = evaluated.table
    talking = [one for one in pairs_of(table) if one["status"] == "talking"]
    return [speaker_of(one, table) for one in talking]


@lru_cache(maxsize=EVALUATED)
def meetings_of(evaluated: EvaluatedTable) -> Mapping[str, Meeting]:
    """Return agent → its pair."""
    met = pairs_of(evaluated.table)
    return {agent: meeting for meeting in met for agent in meeting["agents"]}


@lru_cache(maxsize=EVALUATED)
def heard_by(evaluated: EvaluatedTable) -> Mapping[str, list[PublicMessage]]:
    """Return agent → the messages of its pair."""
    met, found = meetings_of(evaluated), dict[str, list[PublicMessage]]()
    for said in evaluated.table.get("talk", []):
        meeting = met.get(said["by"])
        if meeting and said["round"] >= meeting["began"]:
            for agent in meeting["agents"]:
                found.setdefault(agent, []).append(said)
    return found


@lru_cache(maxsize=EVALUATED)
def ends_of(evaluated: EvaluatedTable) -> Mapping[str, list[End]]:
    """Return agent → how its talks ended, oldest first."""
    last, offers = dict[tuple[str, int], PublicMessage](), dict[int, PublicMessage]()
    for said in evaluated.table.get("talk", []):
        offers |= {said["puts"]: said} if "puts" in said else {}
        last |= {(agent, said["meeting"]): said for agent in (said["by"], said["to"])}
    found = dict[str, list[End]]()
    for (agent, number), said in last.items():
        agreed = said["act"] == "accept"
        moved = Deal.of(offers[said["about"]]["deal"]).clauses if agreed else ()
        gifts = [clause for clause in moved if isinstance(clause, Give)]
        end = End(
            meeting=number,
            partner=said["to"] if said["by"] == agent else said["by"],
            agreed=agreed,
            gave=[gift.good for gift in gifts if gift.giver == agent],
            got=[gift.good for gift in gifts if gift.receiver == agent],
        )
        found.setdefault(agent, []).append(end)
    return found


def talk_of_pair(turn: TurnContext, agent: str) -> Talk:
    """Return the talk of an agent and its partner, over the tasks that the two hold."""
    evaluated = turn.evaluated
    game, meeting = pairs_game(evaluated), meetings_of(evaluated)[agent]
    held = evaluated.table["position"]["holds"]
    tasks = _between(game, tuple((a, held[a]) for a in meeting["agents"]))
    said = heard_by(evaluated).get(agent, [])
    return Talk(game, tasks, said, meeting["began"] - 1, meeting.get("pending"))


def traded(game: ExchangeInPairs, met: Sequence[Meeting], holds: Masks) -> Masks:
    """Return agent → the mask of its tasks, after the trades of the pairs that agreed.

    Args:
        game: the exchange.
        met: the meetings of all pairs, also of pairs without a trade.
        holds: agent → the mask of its tasks before the trades.
    """
    found = dict(holds)
    for meeting in met:
        standing = meeting.get("pending")
        if meeting["status"] != "agreed" or standing is None:
            continue
        tasks = _between(game, tuple((a, game.tasks.bits(holds[a])) for a in meeting["agents"]))
        masks = masks_in(tasks, standing["by"], standing["wrote"])
        assert masks is not None, "what was accepted had been validated"
        found |= {a: game.tasks.within(tasks, int(bits, 2)) for a, bits in masks.items()}
    return found


@lru_cache(maxsize=4096)
def _between(game: ExchangeInPairs, holds: tuple[tuple[str, str], ...]) -> Tasks:
    """Return the tasks of two agents as a separate exchange."""
    return game.tasks.among({agent: int(bits, 2) for agent, bits in holds})

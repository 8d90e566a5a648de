"""The public history for letters: a line for each event, and a summary of the oldest events.

All agents share the history. Letters list every event until there are twice as many events as the
setting `recall`. Then, and again after every `recall` new events, a summary replaces all but the
latest `recall` events. Between two summaries the history only grows at its end, so a provider's
prefix cache stays valid. A summary that changed with every event would void the cache.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact, plain
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.wire import Message, said_in
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.games import Game, Turn
from shapley_coop.remembered import by_identity
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import PublicMessage
from shapley_coop.state.turn import TurnContext

Line = dict[str, Any]

_MOST_LINES = 4096
"""The most lines in the cache of events' lines, which every later letter repeats."""


def history(turn: TurnContext) -> list[Line]:
    """Return the history for the letters of the current question, oldest line first."""
    own = turn.question.history
    return own(turn) if own else public_history(turn.evaluated)


def public_history(evaluated: EvaluatedTable) -> list[Line]:
    """Return a line for each public message and turn, in order, after a summary of the oldest."""
    turns = {turn["turn"]: turn for turn in evaluated.record}
    lines: list[Line] = []
    next_turn = 1
    for said in evaluated.table.get("talk", []):
        while next_turn < said["turn"]:
            lines.append(_did(turns[next_turn], evaluated.game))
            next_turn += 1
        lines.append(_message_line(said))
    lines += (_did(turns[n], evaluated.game) for n in range(next_turn, len(turns) + 1))
    return recall_lines(lines, evaluated.config.recall)


def recall_lines(lines: Sequence[Line], recall: int) -> list[Line]:
    """Return the lines with a summary in place of the oldest lines.

    Args:
        lines: one line for each message and turn, in order.
        recall: the number of latest events that always stay lines; 0 keeps all events as lines.
    """
    old = recall * max(0, len(lines) // recall - 1) if recall else 0
    return [summary(lines[:old]), *lines[old:]] if old else list(lines)


def summary(lines: Sequence[Line]) -> Line:
    """Return one line with the number of the given lines, and each agent's acts and rewards."""
    turns = [line for line in lines if "did" in line]
    words: dict[str, Counter[str]] = {}
    for line in lines:
        if "by" in line:
            words.setdefault(line["by"], Counter())[line["does"]] += 1
    told: Line = {"in_sum": len(lines)}
    if turns:
        told["turns"] = [turns[0]["turn"], turns[-1]["turn"]]
        told["done"] = {agent: dict(deeds) for agent, deeds in _deeds(turns).items()}
        told["earned"] = _earnings(turns)
        if pot := sum((exact(turn["pot"]) for turn in turns if "pot" in turn), Fraction(0)):
            told["pot"] = plain(pot)
    if words:
        told["said"] = {agent: dict(acts) for agent, acts in words.items()}
    if effects := Counter(e["effect"] for turn in turns for e in turn.get("effects", [])):
        told["effects"] = dict(effects)
    return told


def _deeds(turns: Sequence[Line]) -> dict[str, Counter[str]]:
    deeds: dict[str, Counter[str]] = {}
    for turn in turns:
        for agent, action in turn["did"].items():
            deeds.setdefault(agent, Counter())[action] += 1
    return deeds


def _earnings(turns: Sequence[Line]) -> dict[str, str]:
    sums: dict[str, Fraction] = {}
    for turn in turns:
        for agent, amount in turn["earned"].items():
            sums[agent] = sums.get(agent, Fraction(0)) + exact(amount)
    return {agent: plain(x) for agent, x in sums.items()}


@by_identity(_MOST_LINES)
def _did(turn: Turn, game: Game) -> Line:
    line: Line = {"turn": turn["turn"], "did": turn["actions"], "earned": turn["rewards"]}
    if happened := game.happened(turn):
        line["happened"] = happened
    if turn.get("pot"):
        line["pot"] = turn["pot"]
    if turn.get("effects"):
        line["effects"] = turn["effects"]
    return line


def _words_in(text: str) -> str:
    """Return a message's words without tags, which messages that are not in clauses have."""
    said = said_in(text) if "<" in text else Message()
    if said == Message():
        return text
    return "\n".join(filter(None, (said.speech, said.accept, said.reject)))


@by_identity(_MOST_LINES)  # cached: every later letter repeats the line of a message
def _message_line(said: PublicMessage) -> Line:
    line: Line = {"id": said["id"], "by": said["by"], "does": said["act"]}
    line |= {"topic": said["topic"], "before_turn": said["turn"]}
    if words := _words_in(said["text"]):
        line["says"] = words
    if "about" in said:
        line["about"] = said["about"]
    if "label" in said:
        line["label"] = said["label"]
    if "puts" in said:
        line["revision"] = said["puts"]
    if "deal" in said:
        count = len(said["deal"]["clauses"])
        small = count <= MOST_TOLD
        line["offers"] = Deal.of(said["deal"]).text() if small else f"{count} clauses"
    if "repairs" in said:
        line["read_as"] = said["repairs"]
    return line

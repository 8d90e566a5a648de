"""The public history in words: messages and a table of turns, which grow only at the end."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shapley_coop.many import MANY
from shapley_coop.prompts.computed import amount
from shapley_coop.prompts.crowds import MOST_COLUMNS, counted_together, fold, together
from shapley_coop.prompts.words import ESCAPES, plain, quote
from shapley_coop.remembered import by_identity

Event = Mapping[str, Any]

NOTHING = "Nothing yet."
NOT_PLAYED = "No turn has been played yet."
"""The history before the first turn, in a letter that lists turns only."""
_DONE = {
    "accept": "accepts{about}",
    "reject": "rejects{about}",
    "leave": "leaves{about}",
    "pass": "makes no offer",
    "claim": "on its own part",
    "propose": "",
    "write": "writes the contract",
}
_AFTER_PLAY = {"split", "judgement"}
"""The topics of talks after the last turn; all other talks come before a turn."""

_PROSE = "prose"
"""The topic of offers in words alone."""

_UNASKED = "without a number: nobody is asked to answer it"
_LINE = re.compile(r"^c(\d+)\. ", re.MULTILINE)
_EVERY_TURN = re.compile(r" at every turn\.$", re.MULTILINE)


def write_history(events: Sequence[Event], turns: int = 0) -> str:
    """Return the public history in words.

    Args:
        events: the events from `state.history`: messages, turns, and summaries of both.
        turns: the number of the game's turns; 0 if unknown.
    """
    parts: list[str] = []
    before: Event = {}
    heading = ""
    wordy: Event = {}  # the open offer, if it has only words and no clauses
    for event in fold(events):
        if "revision" in event:
            parts += [_replaced(wordy)] if wordy and event["does"] == "propose" else []
            wordy = event if event.get("topic") == _PROSE else {}
        last, heading = heading, _heading_line(event) if "topic" in event else ""
        if "did" in event:
            parts.append(_turn(event, first="did" not in before))
        elif "in_sum" in event:
            parts.append(_in_sum(event))
        else:
            parts += [heading] if heading != last else []
            parts.append(_message_line(event, turns))
        before = event
    return "".join(parts).strip("\n") or NOTHING


def _replaced(wordy: Event) -> str:
    who, number = plain(wordy["by"]), wordy["revision"]
    return f"\n({who}'s offer {number} had not everybody's yes, so nobody drafted its clauses.)\n"


def _turn(event: Event, first: bool) -> str:
    agents = list(event["earned"])
    rewards, did = event["earned"], event["did"]
    paid = any(Fraction(str(reward)) for reward in rewards.values())
    done = {}
    for agent in agents:
        reward = f" ({amount(str(rewards[agent]))})" if paid else ""
        acted = did.get(agent, "" if reward else "–")
        done[agent] = f"{acted}{reward}".strip()
    more = [f"{amount(str(event['pot']))} for all"] if event.get("pot") else []
    more += [plain(event["happened"])] if event.get("happened") else []
    wide = len(agents) <= MOST_COLUMNS
    cells = list(map(plain, done.values())) if wide else [together(done)]
    line = _row([str(event["turn"]), *cells, "; ".join(more)])
    if not first:
        return line
    columns = [*map(plain, agents), "what happened (own rewards in brackets)"]
    if not wide:
        columns = ["done (own rewards in brackets)", "what happened"]
    head = _row(["turn", *columns])
    return f"\n{head}{_row(['---'] * (len(columns) + 1))}{line}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |\n"


def _in_sum(event: Event) -> str:
    """Return the words for an event that summarises older events by counts and sums."""
    told = [f"{event['in_sum']} earlier events, in sum"]
    if "turns" in event:
        first, last = event["turns"]
        told.append(f"turns {first} to {last}")
        if many := len(event["done"]) > MANY:
            told.append(f"all together did {_count_words(counted_together(event['done']))}")
        else:
            told += [f"{agent} did {_count_words(deeds)}" for agent, deeds in event["done"].items()]
        rewards = together(event["earned"]) if many else plain(event["earned"])
        told.append(f"rewards: {rewards}")
    if "pot" in event:
        told.append(f"{event['pot']} for all")
    said = event.get("said", {})
    if len(said) > MANY:
        said = {"all together": counted_together(said)}
    speakers: dict[str, list[str]] = {}
    for agent, acts in said.items():
        speakers.setdefault(_count_words(dict(sorted(acts.items()))), []).append(agent)
    told += [f"{', '.join(agents)} said: {words}" for words, agents in speakers.items()]
    if "effects" in event:
        told.append(f"happened: {_count_words(event['effects'])}")
    return f"\n({'; '.join(told)}.)\n"


def _count_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{plain(what)} ×{n}" for what, n in counts.items())


def _heading_line(event: Event) -> str:
    if event["topic"] in _AFTER_PLAY:
        return f"\n**Talk about the {plain(event['topic'])}, after the last turn**\n"
    return f"\n**Talk before turn {event['before_turn']}**\n"


@by_identity(2048)  # cached: every letter repeats all earlier messages
def _message_line(event: Event, turns: int) -> str:
    """Return a message in words: its author, its act and its speech."""
    who, act = plain(event["by"]), str(event["does"])
    about = f" offer {event['about']}" if "about" in event else ""
    did = _DONE.get(act, act).format(about=about)
    if "label" in event and event["label"] not in ("PASS", "BUDGET"):
        did = "gave no answer that could be used"
    elif act == "pass" and "about" in event:
        did = f"does not answer offer {event['about']}"
    elif act == "claim" and not (event.get("says") or event.get("heard")):
        did = "claims its part without a word"
    if event.get("topic") == _PROSE and "revision" in event:
        did = f"makes an offer in words alone (number {event['revision']})"
    elif "proposes" in event or "wrote" in event:
        did = f"{did} and ".removeprefix(" and ") + f"proposes {_tasks(event)}"
    said = ", saying: " if "holds" in event else ": "
    words = f"{said}{quote(event['says'])}" if event.get("says") else ""
    words = f": {event['heard']}" if event.get("heard") else words
    line = f"\n{_at(event)}{who}{f' {did}' if did else ''}{words}\n"
    if event.get("offers") and not did and not words:
        line = ""  # the offer's heading below names the author
    if event.get("offers"):
        number = f"number {event['revision']}" if "revision" in event else _UNASKED
        line += f"\n**{who}'s offer ({number})**{_offered(event, turns)}\n"
    return line


def _offered(event: Event, turns: int) -> str:
    if "below" in event:
        return " – it stands below."
    return f"\n{clauses(event['offers'], turns)}"


def _at(event: Event) -> str:
    return f"Turn {event['turn']}. " if "turn" in event else ""


def _tasks(event: Event) -> str:
    if "holds" in event:
        return "– " + "; ".join(f"{plain(a)}: {quote(told)}" for a, told in event["holds"].items())
    return quote(event["wrote"]) if "wrote" in event else plain(event["proposes"])


@lru_cache(maxsize=128)
def clauses(text: str, turns: int = 0) -> str:
    """Return the clauses of a deal, from its plain words, as a numbered list."""
    return _LINE.sub(r"\1. ", at_turns(text, turns).translate(ESCAPES))


def at_turns(text: str, turns: int) -> str:
    """Return clauses in words, without "at every turn" if the game has one turn."""
    return _EVERY_TURN.sub(".", text) if turns == 1 else text

"""Published records of NegotiationArena, a study of models that trade: read as data.

A folder holds one game, as `game_state.json`:

===========================  ====================================================================
key                          what is read of it
===========================  ====================================================================
class                        the kind of game: BuySellGame, TradingGame, MultiTurnUltimatumGame
players                      `agent_name` and `model` of each
player_initial_resources     what each holds
player_goals                 of a seller what the object cost it, of a buyer what it pays at most
game_state                   a state for each answer: whose `turn`, its `player answer`, and the
                             `newly proposed trade`; at the end a `summary` of what came of it
===========================  ====================================================================

A game ends with the answer ACCEPT, which accepts the trade of the answer before it, with REJECT, or
after its last turn. A trade has two sides, called by the last word of the players' names; a player
who is named otherwise has the side that the other one leaves.

The study: https://github.com/vinid/NegotiationArena. Nothing of it is part of this project.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.extensions.studies.folders import files_below
from shapley_coop.files import read_json

STATE = "game_state.json"
ACCEPT = "ACCEPT"
MONEY = "ZUP"
"""What a buyer of the study pays with."""

SALE, SWAP, DIVISION = "BuySellGame", "TradingGame", "MultiTurnUltimatumGame"
KINDS = {SALE: "sale", SWAP: "swap", DIVISION: "division"}

Trade = tuple[Mapping[str, int], Mapping[str, int]]
"""What the first player gives, and what the second gives: resource → amount."""


Amounts = Mapping[str, Fraction]
"""Resource → amount, without those of zero; a change may be negative."""


@dataclass(frozen=True)
class Answer:
    """One answer of a player.

    Attributes:
        player: its index.
        says: ACCEPT, REJECT, or anything else for going on.
        trade: what it proposes; None for nothing.
    """

    player: int
    says: str
    trade: Trade | None = None


@dataclass(frozen=True)
class Summary:
    """What came of a game, as the study tells it.

    Attributes:
        answer: the last one.
        trade: the one that stood when it was given; None for none.
        start: what each held at first.
        end: what each holds at last.
        outcome: of a sale, what each gained, in money; of a swap, what each got or lost; of a
            division, what the first holds and what the second got.
    """

    answer: str
    trade: Trade | None
    start: tuple[Amounts, ...]
    end: tuple[Amounts, ...]
    outcome: tuple[Amounts, ...]


@dataclass(frozen=True)
class Recorded:
    """One recorded game.

    Attributes:
        where: its file.
        kind: sale, swap or division.
        players: their names.
        models: which model played each.
        holds: what each holds at the start.
        worths: of a sale, what the object is worth to each; else None.
        answers: all answers, in order.
        summary: what the study says came of it.
    """

    where: str
    kind: str
    players: tuple[str, ...]
    models: tuple[str, ...]
    holds: tuple[Mapping[str, int], ...]
    worths: tuple[Fraction, ...] | None
    answers: tuple[Answer, ...]
    summary: Summary

    @property
    def standing(self) -> Trade | None:
        """The trade that stood when the last answer was given; None for none."""
        return self.answers[-2].trade if len(self.answers) > 1 else None

    @property
    def accepted(self) -> Trade | None:
        """The trade that the last answer accepts; None for none."""
        return self.standing if self.answers[-1].says == ACCEPT else None


class Unreadable(ValueError):
    """A record that is not whole, or not of the format.

    Attributes:
        where: its file.
        why: in a few words.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where, self.why = where, why


def records(folder: Path) -> Iterator[Recorded | Unreadable]:
    """Yield every recorded game in a folder and below it, or why it cannot be read, by file name.

    Raises:
        ValueError: there is none.
    """
    files = files_below(folder, STATE)
    if not files:
        raise ValueError(f"{folder}: holds no {STATE} of NegotiationArena, and no folder below it")
    for file in files:
        try:
            yield _record(read_json(file, "a recorded game"), str(file))
        except Unreadable as why:
            yield why
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            yield Unreadable(str(file), _told(error))


def _told(error: Exception) -> str:
    said = " ".join(str(error).split())[:120]
    return said if isinstance(error, ValueError) else f"lacks {said}, or has it in another form"


def _record(told: Mapping[str, Any], where: str) -> Recorded:
    kind = told["class"]
    if kind not in KINDS:
        raise Unreadable(where, f"no reader for a {kind!r}: there are {', '.join(KINDS)}")
    *states, last = told["game_state"]
    if "summary" not in last:
        raise Unreadable(where, "the game did not end")
    setting = {**told, **(states[0].get("settings", {}) if states else {})}
    players = tuple(player["agent_name"] for player in told["players"])
    if len(players) != 2 or len(set(players)) != 2:
        raise Unreadable(where, f"{len(players)} players, and the study's games are for two")
    return Recorded(
        where=where,
        kind=KINDS[kind],
        players=players,
        models=tuple(str(player.get("model", player["class"])) for player in told["players"]),
        holds=tuple(map(_resources, setting["player_initial_resources"])),
        worths=tuple(map(_worth, setting["player_goals"])) if kind == SALE else None,
        answers=_answers(states[1:], players),
        summary=_summary(last["summary"], players, kind),
    )


def _answers(states: Sequence[Mapping[str, Any]], players: tuple[str, ...]) -> tuple[Answer, ...]:
    answers = tuple(_answer(one, players) for one in states)
    if not answers:
        raise ValueError("a game without an answer")
    for before, one in pairwise((None, *answers)):
        if before is not None and before.says == ACCEPT:
            raise ValueError("an answer follows the acceptance")
        if one is not None and one.says == ACCEPT and (before is None or before.trade is None):
            raise ValueError("an acceptance follows no proposal")
    return answers


def _summary(told: Mapping[str, Any], players: tuple[str, ...], kind: str) -> Summary:
    outcome = told["player_outcome"]
    return Summary(
        answer=str(told["final_response"]).strip(),
        trade=_trade(told["proposed_trade"], players),
        start=tuple(map(_amounts, told["initial_resources"])),
        end=tuple(map(_amounts, told["final_resources"])),
        outcome=tuple(_amounts({MONEY: one} if kind == SALE else one) for one in outcome),
    )


def _answer(state: Mapping[str, Any], players: tuple[str, ...]) -> Answer:
    said = state["player_public_info_dict"]
    trade, player = said["newly proposed trade"], int(state["turn"])
    if player not in range(len(players)):
        raise ValueError(f"an answer is of player {player!s:.20}, and there are {len(players)}")
    return Answer(player, str(said["player answer"]).strip(), _trade(trade, players))


def _trade(told: Any, players: tuple[str, ...]) -> Trade | None:
    """Return a trade: what the first player gives, and what the second."""
    if told == "NONE":
        return None
    sides = _value(told)
    if not isinstance(sides, Mapping):
        raise ValueError(f"no trade: {told!s:.40}")
    first, second = (_resources(sides[side]) for side in _sides_of(players, list(sides)))
    return first, second


def _sides_of(players: tuple[str, ...], sides: list[str]) -> list[str]:
    """Return which side of a trade is whose, player by player."""
    known = {name: side for name in players for side in sides if name.split()[-1:] == [side]}
    left = [side for side in sides if side not in known.values()]
    if len(sides) != 2 or not known or len(left) != 2 - len(known):
        raise ValueError(
            f"the sides {', '.join(sides)} of a trade are not those of {' and '.join(players)}"
        )
    return [known.get(name) or left[0] for name in players]


def _amounts(told: Any) -> dict[str, Fraction]:
    found = {str(name): exact(amount) for name, amount in _value(told).items()}
    return {name: amount for name, amount in found.items() if amount}


def _resources(told: Any) -> dict[str, int]:
    found = _amounts(told)
    if any(amount.denominator != 1 or amount < 0 for amount in found.values()):
        raise ValueError("an amount is not a whole number, or is negative")
    return {name: int(amount) for name, amount in found.items()}


def _worth(goal: Mapping[str, Any]) -> Fraction:
    """Return what the one object is worth to a seller or a buyer."""
    valued = _value(_value(_value(goal)))
    (worth,) = valued.values()
    return exact(worth)


def _value(told: Any) -> Any:
    """Return what stands behind a type's name: {"_type": …, "_value": …}."""
    return told["_value"] if isinstance(told, Mapping) and "_value" in told else told

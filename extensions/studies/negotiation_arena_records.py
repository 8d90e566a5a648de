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
                             `newly proposed trade`; at the end a `summary` with the outcome
===========================  ====================================================================

The study: https://github.com/vinid/NegotiationArena. Nothing of it is part of this project.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.files import files_below, read_json

STATE = "game_state.json"
SALE, SWAP, DIVISION = "BuySellGame", "TradingGame", "MultiTurnUltimatumGame"
KINDS = {SALE: "sale", SWAP: "swap", DIVISION: "division"}

Trade = tuple[Mapping[str, int], Mapping[str, int]]
"""What the first player gives, and what the second gives: resource → amount."""


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
        accepted: the trade that was accepted; None for none.
        outcome: of a sale, what the study says that each gained; else None.
    """

    where: str
    kind: str
    players: tuple[str, ...]
    models: tuple[str, ...]
    holds: tuple[Mapping[str, int], ...]
    worths: tuple[Fraction, ...] | None
    answers: tuple[Answer, ...]
    accepted: Trade | None
    outcome: tuple[Fraction, ...] | None


class Unreadable(ValueError):
    """A record that is not whole, or not of the format; one line says why."""


def records(folder: Path) -> Iterator[Recorded | Unreadable]:
    """Every recorded game in a folder and below it, or why it cannot be read, by file name.

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
            yield Unreadable(f"{file}: {_told(error)}")


def _told(error: Exception) -> str:
    said = " ".join(str(error).split())[:120]
    return said if isinstance(error, ValueError) else f"lacks {said}, or has it in another form"


def _record(told: Mapping[str, Any], where: str) -> Recorded:
    kind = told["class"]
    if kind not in KINDS:
        raise Unreadable(f"{where}: no reader for a {kind!r}: there are {', '.join(KINDS)}")
    *states, last = told["game_state"]
    if "summary" not in last:
        raise Unreadable(f"{where}: the game did not end")
    setting = {**told, **states[0].get("settings", {})} if states else told
    players = tuple(player["agent_name"] for player in told["players"])
    if len(players) != 2 or len(set(players)) != 2:
        raise Unreadable(f"{where}: {len(players)} players, and the study's games are for two")
    answers = tuple(_answer(one, players) for one in states if "player_public_info_dict" in one)
    accepted = [one for one in answers if one.says == "ACCEPT"]
    over = last["summary"]["final_response"] == "ACCEPT"
    outcome = last["summary"].get("player_outcome") if kind == SALE else None
    return Recorded(
        where=where,
        kind=KINDS[kind],
        players=players,
        models=tuple(str(player.get("model", player["class"])) for player in told["players"]),
        holds=tuple(map(_resources, setting["player_initial_resources"])),
        worths=tuple(map(_worth, setting["player_goals"])) if kind == SALE else None,
        answers=answers,
        accepted=_trade(last["summary"]["proposed_trade"], players) if over and accepted else None,
        outcome=tuple(exact(x) for x in outcome) if outcome else None,
    )


def _answer(state: Mapping[str, Any], players: tuple[str, ...]) -> Answer:
    said = state["player_public_info_dict"]
    trade, player = said.get("newly proposed trade", "NONE"), int(state["turn"])
    if player not in range(len(players)):
        raise ValueError(f"an answer is of player {player!s:.20}, and there are {len(players)}")
    return Answer(player, str(said["player answer"]).strip(), _trade(trade, players))


def _trade(told: Any, players: tuple[str, ...]) -> Trade | None:
    """A trade; its sides are keyed by the last word of the players' names."""
    if not isinstance(told, Mapping):
        return None
    sides = _value(told)
    first, second = (_resources(sides.get(name.split()[-1], {})) for name in players)
    return first, second


def _resources(told: Any) -> dict[str, int]:
    found = {str(name): exact(amount) for name, amount in _value(told).items()}
    if any(amount.denominator != 1 or amount < 0 for amount in found.values()):
        raise ValueError("an amount is not a whole number, or is negative")
    return {name: int(amount) for name, amount in found.items() if amount}


def _worth(goal: Mapping[str, Any]) -> Fraction:
    """What the one object is worth to a seller or a buyer."""
    valued = _value(_value(_value(goal)))
    (worth,) = valued.values()
    return exact(worth)


def _value(told: Any) -> Any:
    """What stands behind a type's name: {"_type": …, "_value": …}."""
    return told["_value"] if isinstance(told, Mapping) and "_value" in told else told

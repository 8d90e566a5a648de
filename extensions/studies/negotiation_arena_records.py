"""The reader of the published records of NegotiationArena, a study of trading models.

A folder contains one game, as `game_state.json`:

===========================  ====================================================================
key                          content that is read
===========================  ====================================================================
class                        the kind of game: BuySellGame, TradingGame, MultiTurnUltimatumGame
players                      `agent_name` and `model` of each player
player_initial_resources     the resources of each player
player_goals                 the seller's cost of the object, and the buyer's highest price
game_state                   one state per answer: the player (`turn`), its `player answer`, and
                             the `newly proposed trade`; the last state has a `summary`
===========================  ====================================================================

A game ends with REJECT, after its last turn, or with ACCEPT, which accepts the previous answer's
trade. A trade has two sides, named after the last words of the players' names. If one player's name
does not match, that player has the remaining side.

The study: https://github.com/vinid/NegotiationArena. No file of the study is in this project.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from shapley_coop.amounts import exact
from shapley_coop.extensions.studies.shared import files_below
from shapley_coop.files import read_json

STATE = "game_state.json"
ACCEPT = "ACCEPT"
MONEY = "ZUP"
"""The study's money, with which buyers pay."""

SALE, SWAP, DIVISION = "BuySellGame", "TradingGame", "MultiTurnUltimatumGame"
KINDS = {SALE: "sale", SWAP: "swap", DIVISION: "division"}

Trade = tuple[Mapping[str, int], Mapping[str, int]]
"""The resources that the first and the second player give: resource → amount."""

Amounts = Mapping[str, Fraction]
"""Resource → amount, without zeros; amounts of a change may be negative."""


HELD = ("held at the start", "held at the end")
FACTS = ("the last answer", "the trade that stood", *HELD, "outcome")
"""The facts of a game's summary. The trade is that of the answer before the last one. The outcome
is, in a sale, each player's gain in money; in a swap, each player's change of resources; in a
division, the first player's resources and the second's change."""

Summary = tuple[Any, ...]
"""The values of `FACTS`, in their order."""


class Answer(NamedTuple):
    """One answer: the player's index, its proposed trade, and whether it says ACCEPT or REJECT.

    Any other text continues the game.
    """

    player: int
    says: str
    trade: Trade | None = None


class Recorded(NamedTuple):
    """One recorded game; all tuples but `answers` are in the order of the players.

    Attributes:
        where: the path of its file.
        kind: sale, swap or division.
        holds: each player's resources at the start.
        worths: in a sale, each player's valuation of the object; else None.
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
        """The trade proposed by the answer before the last one, or None."""
        return self.answers[-2].trade if len(self.answers) > 1 else None

    @property
    def accepted(self) -> Trade | None:
        """The trade that the last answer accepts; None if it does not accept."""
        return self.standing if self.answers[-1].says == ACCEPT else None


class Unreadable(ValueError):
    """The error if the record in the file `where` is incomplete or has another format."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where, self.why = where, why


def records(folder: Path) -> Iterator[Recorded | Unreadable]:
    """Yield every recorded game, or its error, in a folder and below, sorted by path.

    Raises:
        ValueError: there is no recorded game.
    """
    files = files_below(folder, STATE)
    if not files:
        raise ValueError(f"{folder}: has no {STATE} of NegotiationArena, nor have its subfolders")
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
        raise Unreadable(where, f"{kind!r} is not a known game: choose from {', '.join(KINDS)}")
    *states, last = told["game_state"]
    if "summary" not in last:
        raise Unreadable(where, "the game has not ended")
    setting = {**told, **(states[0].get("settings", {}) if states else {})}
    players = tuple(player["agent_name"] for player in told["players"])
    if len(players) != 2 or len(set(players)) != 2:
        raise Unreadable(where, f"{len(players)} players, but the study's games are for two")
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
        raise ValueError("it is a game without an answer")
    for before, one in pairwise((None, *answers)):
        if before is not None and before.says == ACCEPT:
            raise ValueError("an answer follows the acceptance")
        if one is not None and one.says == ACCEPT and (before is None or before.trade is None):
            raise ValueError("an acceptance has no proposal before it")
    return answers


def _summary(told: Mapping[str, Any], players: tuple[str, ...], kind: str) -> Summary:
    outcome = told["player_outcome"]
    return (
        str(told["final_response"]).strip(),
        _trade(told["proposed_trade"], players),
        tuple(map(_amounts, told["initial_resources"])),
        tuple(map(_amounts, told["final_resources"])),
        tuple(_amounts({MONEY: one} if kind == SALE else one) for one in outcome),
    )


def _answer(state: Mapping[str, Any], players: tuple[str, ...]) -> Answer:
    said = state["player_public_info_dict"]
    trade, player = said["newly proposed trade"], int(state["turn"])
    if player not in range(len(players)):
        raise ValueError(f"an answer is by player {player!s:.20} of {len(players)} players")
    return Answer(player, str(said["player answer"]).strip(), _trade(trade, players))


def _trade(told: Any, players: tuple[str, ...]) -> Trade | None:
    """Return the trade that a text states, the first player's side first; None for "NONE"."""
    if told == "NONE":
        return None
    sides = _value(told)
    if not isinstance(sides, Mapping):
        raise ValueError(f"it is not a trade: {told!s:.40}")
    first, second = (_resources(sides[side]) for side in _sides_of(players, list(sides)))
    return first, second


def _sides_of(players: tuple[str, ...], sides: list[str]) -> list[str]:
    """Return the names of a trade's sides, in the order of the players."""
    known = {name: side for name in players for side in sides if name.split()[-1:] == [side]}
    left = [side for side in sides if side not in known.values()]
    if len(sides) != 2 or not known or len(left) != 2 - len(known):
        raise ValueError(
            f"the sides of a trade, {', '.join(sides)}, are not the players {' and '.join(players)}"
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
    """Return a seller's or a buyer's valuation of the object."""
    (worth,) = _value(_value(_value(goal))).values()
    return exact(worth)


def _value(told: Any) -> Any:
    """Return the value in {"_type": …, "_value": …}; other values as they are."""
    return told["_value"] if isinstance(told, Mapping) and "_value" in told else told

"""Records in the format of NegotiationArena, made by the tests; none of the study's own."""

import json
from pathlib import Path
from typing import Any

RED, BLUE = "Player RED", "Player BLUE"
SALE, SWAP, DIVISION = "BuySellGame", "TradingGame", "MultiTurnUltimatumGame"
Side = dict[str, int]
Trade = tuple[Side, Side]


def sale(price: int) -> Trade:
    """The object against a price."""
    return {"X": 1}, {"ZUP": price}


def _typed(kind: str, value: Any) -> dict[str, Any]:
    return {"_type": kind, "_value": value}


def _trade(trade: Trade | None) -> Any:
    if trade is None:
        return "NONE"
    red, blue = (_typed("resource", side) for side in trade)
    return _typed("trade", {"RED": red, "BLUE": blue})


def _goals(kind: str, worths: tuple[int, int]) -> list[Any]:
    if kind != SALE:
        return [_typed("goal", _typed("other_goal", "")) for _ in worths]
    sides = zip(("seller_goal", "buyer_goal"), worths, strict=True)
    return [_typed("goal", _typed(name, _typed("valuation", {"X": x}))) for name, x in sides]


def _changes(trade: Trade) -> list[Side]:
    given, got = trade
    back = {good: -amount for good, amount in given.items()}
    return [_sum(got, back), _sum(given, {good: -amount for good, amount in got.items()})]


def _sum(one: Side, other: Side) -> Side:
    return {good: one.get(good, 0) + other.get(good, 0) for good in {**one, **other}}


def _worth(change: Side, worth: int) -> int:
    return sum(amount * (1 if good == "ZUP" else worth) for good, amount in change.items())


def game(
    folder: Path,
    kind: str,
    said: list[tuple[str, Trade | None]],
    *,
    holds: tuple[Side, Side] = ({"X": 1}, {"ZUP": 100}),
    worths: tuple[int, int] = (40, 60),
    outcome: Any = None,
    ended: bool = True,
    names: tuple[str, str] = (RED, BLUE),
) -> Path:
    """Write one game: what each said in turn, as (answer, proposed trade), RED first.

    Args:
        folder: of the game.
        kind: its class in the study.
        said: the answers.
        holds: what each holds at the start.
        worths: of a sale, the cost and the limit.
        outcome: what the study would record that each gained; by default what follows.
        ended: whether there is a summary.
        names: of the players; the sides of a trade are RED and BLUE whoever plays.
    """
    states: list[dict[str, Any]] = [{"current_iteration": "START", "turn": "None", "settings": {}}]
    for n, (answer, trade) in enumerate(said):
        public = {"message": "", "player answer": answer, "newly proposed trade": _trade(trade)}
        states.append(
            {"current_iteration": n + 1, "turn": n % 2, "player_public_info_dict": public}
        )
    before = said[-2][1] if len(said) > 1 else None
    trade = before if said[-1][0] == "ACCEPT" and before else ({}, {})
    changes = _changes(trade)
    ends = [_sum(own, change) for own, change in zip(holds, changes, strict=True)]
    told = {
        SALE: [_worth(change, worth) for change, worth in zip(changes, worths, strict=True)],
        SWAP: [_typed("resource", change) for change in changes],
        DIVISION: [_typed("resource", ends[0]), _typed("resource", changes[1])],
    }
    summary = {
        "initial_resources": [_typed("resource", own) for own in holds],
        "proposed_trade": _trade(before),
        "final_response": said[-1][0],
        "final_resources": [_typed("resource", own) for own in ends],
        "player_outcome": told[kind] if outcome is None else outcome,
    }
    if ended:
        states.append({"current_iteration": "END", "turn": "None", "summary": summary})
    record = {
        "class": kind,
        "players": [{"agent_name": name, "class": "X", "model": "acme-1"} for name in names],
        "player_initial_resources": [_typed("resource", own) for own in holds],
        "player_goals": _goals(kind, worths),
        "game_state": states,
    }
    folder.mkdir(parents=True)
    file = folder / "game_state.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    return file

"""Markets that tests of trade play, and what is asked and said in them."""

import json
from pathlib import Path
from typing import Any

from shapley_coop import RunConfig
from shapley_coop.seats.records import Answer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import take
from shapley_coop.state.turn import TurnContext
from tests.graphs.test_ability_to_pay import OFFER

MODES = ["exchange", "price", "ultimatum", "issues", "options"]
JOB = {
    "issues": {"salary": ["low", "fair", "high"], "start": ["May", "June"]},
    "agents": {
        "Ann": {
            "worth": {"salary": {"low": 50, "fair": 20, "high": 0}, "start": {"May": 5, "June": 9}}
        },
        "Ben": {
            "worth": {
                "salary": {"low": 0, "fair": 31, "high": 40},
                "start": {"May": -2, "June": 3},
            },
            "otherwise": 12,
        },
    },
}
LAMP = {
    "agents": {
        "Sam": {"holds": {"lamp": 1, "rug": 1}, "worth": {"lamp": 40, "rug": 31.415926}},
        "Bea": {"worth": {"lamp": 60, "rug": 27.182818}, "purse": 55},
    }
}


def asked(file: Path, asking: Any, **more: Any) -> TurnContext:
    config = RunConfig(game="trade", params={"market": str(file), **more.pop("params", {})})
    settings = config.resolve().model_dump(mode="json")
    table: Any = {"episode": f"trade {file}", "settings": settings, "record": [], "round": 1}
    game = EvaluatedTable(table).game
    table |= {"position": game.start(), "agents": list(game.agents), **more}
    return TurnContext(EvaluatedTable(table), asking, tuple(game.agents))


def sale(price: float, **more: Any) -> list[dict[str, Any]]:
    give = {"kind": "give", "giver": "Sam", "receiver": "Bea", "good": "lamp", "quantity": 1}
    return [give, {"kind": "pay", "payer": "Bea", "payee": "Sam", "amount": price, **more}]


def said(turn: TurnContext, who: str, clauses: list[dict[str, Any]]) -> Any:
    if turn.question is OFFER:
        text = f"<PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"
    else:
        text = "<ACCEPT>"
    return take(turn, who, Answer(text=text))

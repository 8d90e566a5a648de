"""Baseline, replays and values are recomputed from the record alone."""

import json
from pathlib import Path

import pytest

from shapley_coop.games import names
from tests.books import change_value
from tests.brought import brought_by
from tests.coop_command import Coop, valid
from tests.credit.credit_plays import HEAP, with_heaps
from tests.games.made_games import TUG
from tests.games.test_own_game import ORCHARD

FAST = ("public_goods", "cash_grab")
"""A game with a baseline of its own, and one with a choice; `make proofs` plays all others."""


@pytest.mark.parametrize(
    "game",
    [
        *(pytest.param(x, marks=[] if x in FAST else pytest.mark.slow) for x in names()),
        "table",
        "own",
        pytest.param(HEAP, marks=brought_by("pettingzoo")),
    ],
)
def test_verify_recomputes_credit_from_the_record_alone(
    coop: Coop, game: str, tmp_path: Path
) -> None:
    with_heaps()
    (tmp_path / "orchard.py").write_text(ORCHARD, encoding="utf-8")
    (tmp_path / "tug.json").write_text(json.dumps(TUG), encoding="utf-8")
    source = {"table": str(tmp_path / "tug.json"), "own": str(tmp_path / "orchard.py")}
    absent = ("--absent", "1") if game == HEAP else ()
    run = coop("run", source.get(game, game), "--seed", "3", *absent, "--name", "one", "--json")
    outcome = valid(run.result)
    assert coop("verify", "one").code == 0
    credit = outcome["credit"]
    assert sum(credit["shapley"].values()) == pytest.approx(credit["worth_of_all"])
    forged = {**outcome, "credit": {**credit, "alone": dict.fromkeys(outcome["agents"], 7.0)}}
    change_value("stands", result=forged)
    assert coop("verify", "one").code != 0

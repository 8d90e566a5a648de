"""What a deal in a pool pays: the option agreed on each issue, and how it can be broken."""

import json
from pathlib import Path
from typing import Any

from extensions.markets.tests.trading import JOB
from shapley_coop.deals.analysis.outlook import DealOutlook, Prospect, outlook
from shapley_coop.deals.language.clauses import Do, Give
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import load

ACCEPTS = Do(agent="Ben", action="accept", when={"turns": (2, 2)})
START = Give(giver="Ann", receiver="Ben", good="start", quantity=1)


def seen_by(viewer: str, tmp_path: Path, *clauses: Any) -> DealOutlook:
    file = tmp_path / "job.yaml"
    file.write_text(json.dumps(JOB))
    game = load("trade", {"market": str(file)})
    return outlook(Prospect(game, game.start(), [], None, Deal(clauses=clauses), viewer=viewer))


def test_a_deal_over_issues_names_the_option_agreed_on_each(tmp_path: Path) -> None:
    kept = seen_by("Ben", tmp_path, START, ACCEPTS).rows[0]
    assert kept.by == "salary low, start June"
    assert seen_by("Ben", tmp_path, START).rows[0].by == "salary low, start June"
    assert seen_by("Ben", tmp_path, ACCEPTS.model_copy(update={"action": "refuse"})).rows[0].by == (
        "nothing is agreed on"
    )


def test_an_acceptance_is_broken_by_the_action_refuse(tmp_path: Path) -> None:
    mine = {row.who: row for row in seen_by("Ben", tmp_path, START, ACCEPTS).rows}["Ben"]
    assert (mine.by, str(mine.payoffs["Ben"].mean)) == ("refuse at turn 2", "12")


def test_the_rules_say_what_so_many_units_of_an_issue_mean(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(json.dumps(JOB))
    rules = load("trade", {"market": str(file)}).rules()
    assert "0 is low, 1 is fair, 2 is high, so that `2 salary` means high." in rules

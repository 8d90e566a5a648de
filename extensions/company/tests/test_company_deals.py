"""What a company's phases and contents mean for deals, looks ahead and parameters."""

from typing import Any

import pytest

from shapley_coop.deals.analysis.checked import certify_terms
from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.company.foresight import CompanyForesight
from shapley_coop.games import GameError, load
from shapley_coop.games.catalogue import foresight_of
from tests.coop_command import Coop
from tests.deals.analysis.test_outlook import before_play
from tests.games.opened_turns import admits_what_it_calls_open
from tests.games.test_parameters import listed


@pytest.mark.parametrize(
    ("agent", "action", "when", "told"),
    [
        ("Programmer", "write_code", "always", "at turns 1 and 4 to 6: it can at turns 2 to 3"),
        ("Programmer", "fix", {"turn": 1}, "it can at turn"),
        ("CEO", "pass", "always", "CEO cannot pass at turns"),
        ("Reviewer", "write_code", {"from": 2, "to": 2}, ""),
    ],
)
def test_a_company_s_phases_are_for_some_actions_alone(
    agent: str, action: str, when: Any, told: str
) -> None:
    game = load("software_company")
    duty = {"kind": "do", "agent": agent, "action": action, "when": when}
    record, words = certify_terms({"clauses": [duty]}, game)
    assert record["sound"] is (told == "")
    assert told in words


def test_what_a_company_calls_open_is_what_it_admits() -> None:
    admits_what_it_calls_open(load("software_company"))


def test_a_company_cannot_be_pictured_and_says_so() -> None:
    found = before_play(load("software_company"), Deal(clauses=[Share(norm="shapley")])).record()
    assert found["rows"] == []
    assert "cannot be computed" in found["why_not"]


def test_a_game_whose_actions_carry_content_is_not_enumerated() -> None:
    game = load("software_company", {"agents": ["CEO", "CPO"]})
    assert game.analysis.reference_points.best is None


def test_a_company_brings_its_own_foresight_and_takes_no_other_baseline() -> None:
    assert foresight_of(load("software_company").facts()) is CompanyForesight
    with pytest.raises(GameError, match="no other baseline can be chosen: leave out `absent`"):
        _ = load("software_company", {"absent": "away"}).baseline


def test_a_company_says_what_its_parameters_may_be(coop: Coop) -> None:
    company = listed(coop, "software_company")
    assert company["bounty"]["type"] == "number"
    assert company["bounty"]["bounds"] == "more than 0, at most 1,000,000,000"
    assert company["currency"]["bounds"] == "at most 16 characters"
    assert company["unsafe_no_sandbox"]["type"] == "true or false"

"""What embedded roles foresee, promise and write, from their letters alone."""

from random import Random
from typing import Any

import pytest

from extensions.company.tests.company_play import by_embedded_roles, company
from shapley_coop.deals.language.wire import scan
from shapley_coop.games import load
from shapley_coop.seats.embedded.bargaining import Agent
from shapley_coop.seats.embedded.characters import Character
from shapley_coop.seats.embedded.outlook import Outlook

BOUNTY, ROLES = 100, 6


def letter(you: str, ask: str, **more: Any) -> dict[str, Any]:
    game = load("software_company")
    position = game.start()
    now = {"turn": 1, "position": game.view(position, you), "legal": game.legal(position, you)}
    return {**game.facts(), **now, "you": you, "ask": ask, "round": 1, "rounds": 3, **more}


def role(you: str, ask: str, **more: Any) -> Agent:
    return Agent(letter(you, ask, **more), [], Character("plain"), Random(1))


def test_who_was_asked_to_reason_sees_that_the_bounty_needs_everybodys_promise() -> None:
    far = Outlook.of(letter("CTO", "propose", reasoning="…"), [])
    assert sum(far.without.values()) == pytest.approx(BOUNTY / 2 ** (ROLES - 1))
    assert far.surplus == pytest.approx(BOUNTY - sum(far.without.values()))
    assert {clause.agent for clause in far.together} == set(far.agents)
    assert not any(clause.action == "fix" for clause in far.together)


def test_who_was_not_asked_counts_on_an_even_part_and_wants_no_deal() -> None:
    near = Outlook.of(letter("CTO", "propose"), [])
    assert near.without == dict.fromkeys(near.agents, BOUNTY / ROLES)
    assert near.together == near.wish == []
    assert "<REJECT>" in role("CTO", "propose").answer()


def test_a_reasoned_offer_leaves_the_split_to_the_norm_and_is_accepted() -> None:
    facts = {"reasoning": "…", "norms": ["shapley"]}
    offer = scan(role("CEO", "propose", **facts).answer())
    assert offer.proposal["clauses"][-1]["norm"] == "shapley"
    standing = {"clauses": offer.proposal["clauses"]}
    answers = [
        scan(role(you, "answer", offer=standing, **facts, round=3).answer())
        for you in load("software_company").agents[1:]
    ]
    assert all(answer.accept is not None for answer in answers)


def test_from_words_alone_an_embedded_role_can_build_nothing_and_says_so() -> None:
    words = load("software_company", {"task": "A clock"}).facts()["task"]
    answer = role("CEO", "act", task=words).answer()
    assert "no formula" in answer
    assert "<ACTION>" not in answer


def test_a_letter_that_lacks_a_fact_is_answered_by_naming_it() -> None:
    facts = letter("CEO", "act")
    del facts["bounty"]
    assert "lacks bounty" in Agent(facts, [], Character("plain"), Random(1)).answer()


def test_the_second_time_through_the_phases_nothing_is_written_twice() -> None:
    game = company({"rounds": 2})
    position, record = by_embedded_roles(game)
    paths = [e["path"] for t in record for e in t["effects"] if e["effect"] == "commit"]
    written = [path for path in paths if path.startswith("docs/")]
    assert len(written) == len(set(written)) == 6
    assert game.over(position)

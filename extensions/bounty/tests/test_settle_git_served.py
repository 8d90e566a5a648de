"""`coop settle-git --serve`: people divide a bounty at their pages, in their own terms."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest

from extensions.bounty.tests.test_settle_git_people import ADA, DORA
from extensions.people.tests.test_served_table import Table, tables
from extensions.repository.tests.history_builder import Builder
from shapley_coop.extensions.bounty.asking.parts import in_fractions
from tests.browser import tab

__all__ = ["tables"]


def split(**parts: Any) -> str:
    offer = {"clauses": [{"kind": "share", "fractions": parts}]}
    return f"<REJECT><PROPOSAL>{json.dumps(offer)}</PROPOSAL>"


@pytest.mark.parametrize(
    "parts",
    [
        {"Ada": "300", "Dora": "200"},
        {"Ada": "300 EUR", "Dora": "200 EUR"},
        {"Ada": "60 %", "Dora": "40%"},
        {"Ada": 60, "Dora": 40},
        {"Ada": "0.6", "Dora": "2/5"},
        {"Ada": "299,50", "Dora": "200,50"},
    ],
)
def test_parts_are_read_as_a_person_writes_them(parts: dict[str, Any]) -> None:
    exactly = ("599/1000", "401/1000") if "," in str(parts["Ada"]) else ("3/5", "2/5")
    read = in_fractions(split(**parts), Fraction(500), "EUR")
    assert read == split(Ada=exactly[0], Dora=exactly[1])


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"Ada": "300", "Dora": "190"}, "sum to 490, not to 500 EUR: 10 EUR is missing"),
        ({"Ada": "60 %", "Dora": "41 %"}, "sum to 101, not to 100 %: 1 % is too much"),
        ({"Ada": "0.5", "Dora": "0.25"}, "sum to 0.75, not to 1: 0.25 is missing"),
        ({"Ada": "60.5 %", "Dora": "39.3 %"}, "sum to 99.8, not to 100 %: 0.2 % is missing"),
        ({"Ada": "60 %", "Dora": "200"}, "give all parts in one unit"),
    ],
)
def test_a_sum_that_is_none_is_told_in_words(parts: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        in_fractions(split(**parts), Fraction(500), "EUR")


def test_rounded_percentages_are_parts_of_what_they_sum_to() -> None:
    read = in_fractions(split(Ada="66.67 %", Dora="33.34%"), Fraction(500), "EUR")
    assert read == split(Ada="6667/10001", Dora="3334/10001")


def test_what_is_no_split_of_numbers_stays_as_it_is() -> None:
    unread = (split(Ada="half", Dora="half"), split(Ada="1,000", Dora="1.5/2"))
    for text in ("<ACCEPT>", "<PROPOSAL>{</PROPOSAL>", *unread):
        assert in_fractions(text, Fraction(500), "EUR") == text


@pytest.fixture
def asked(tables: Any, tmp_path: Path) -> Table:
    """Ada and Dora, asked about 500 EUR at their pages."""
    repo = Builder(tmp_path / "repo")
    repo.commit("Write", ADA, a_dot_py="first = 1\nsecond = other\nthird = more\n")
    repo.commit("Add", DORA, b_dot_py="fourth = entirely\n")
    options = ("--bounty", "500", "--currency", "EUR", "--for-payment", "--serve")
    return cast(Table, tables("settle-git", str(tmp_path / "repo"), *options))


@pytest.mark.slow
def test_another_split_is_written_in_amounts_and_told_in_amounts(asked: Table) -> None:
    with tab() as opened:
        page = opened.page
        page.goto(asked.link("Dora"))
        page.get_by_text("Reject it, and propose another split").click()
        ada, dora = page.get_by_label("Ada’s part"), page.get_by_label("Dora’s part")
        assert (ada.input_value(), dora.input_value()) == ("375", "125")
        said = page.locator(".preview")
        ada.fill("300")
        said.get_by_text("the parts sum to 425, not to 500 EUR: 75 EUR is missing").wait_for()
        dora.fill("200,00 EUR")
        page.locator(".terms li").get_by_text("total is split: Ada 300, Dora 200 EUR.").wait_for()
        ada.fill("33.33 %")
        dora.fill("66.67 %")
        said.get_by_text("total is split: Ada 166.65, Dora 333.35 EUR.").wait_for()
        page.get_by_role("button", name="Send").click()
        page.locator("main").get_by_text("You rejected offer 1 and proposed:").wait_for()
        assert "Ada 166.65, Dora 333.35 EUR" in opened.text()
        assert "the count's offer" not in opened.text()
    assert "taken" in asked.send("Ada", "answer_bounty", decision="accept")
    offer = asked.letter("Ada", "answer_bounty")["form"]["offer"]
    assert offer["clauses"][0]["fractions"] == {"Ada": "166.65", "Dora": "333.35"}


@pytest.mark.slow
def test_contributors_agree_on_amounts_and_read_what_was_decided(asked: Table) -> None:
    assert "taken" in asked.send("Ada", "answer_bounty", decision="accept")
    wrong = [{"kind": "share", "fractions": {"Ada": "300", "Dora": "190"}}]
    told = asked.send("Dora", "answer_bounty", decision="counter", clauses=wrong)
    assert told["why"] == "In your split the parts sum to 490, not to 500 EUR: 10 EUR is missing."
    right = [{"kind": "share", "fractions": {"Ada": "300", "Dora": "200"}}]
    sent = asked.send("Dora", "answer_bounty", decision="counter", clauses=right)
    assert "taken" in sent
    assert "taken" in asked.send("Ada", "answer_bounty", decision="accept")
    assert asked.standing("Dora")["told"][:2] == ["You get 200.00 EUR.", "Ada gets 300.00 EUR."]
    assert "Divided as its contributors agreed" in " ".join(asked.standing("Ada")["told"])
    assert "The pages stay" in asked.said("The pages stay")
    assert asked.stop() == 0

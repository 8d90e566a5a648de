"""Letters of a raid: what they speak of, how long they are, and which payments can be offered."""

from decimal import Decimal

import pytest

from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import Event, Every, Last
from shapley_coop.graphs.running import play
from shapley_coop.prompts.letters import LONGEST_NOTES
from shapley_coop.questions import contract_propose, propose
from shapley_coop.seats.letters import as_text
from shapley_coop.state.run_config import RunConfig
from tests.graphs.test_ability_to_pay import paying, proposing
from tests.graphs.test_conditions import DEALING, PAYING, texts
from tests.scripted import Script
from tests.state.test_tools import ask, at, drafted

MOST = "45"
"""What a hero can have at most."""


async def test_alone_no_letter_speaks_of_offers_or_prices(script: Script) -> None:
    await play("llm_only", RunConfig(game="raid_battle"))
    assert {act for _, act, _ in script.letters} == {"act"}
    for text in texts(script):
        assert DEALING.findall(text.replace('"deals": false', "")) == []


async def test_over_actions_alone_no_letter_teaches_to_pay(script: Script) -> None:
    await play("negotiation", RunConfig(game="raid_battle", rounds=1))
    assert {"propose", "act"} <= {act for _, act, _ in script.letters}
    for text in texts(script):
        assert PAYING.findall(text) == []


async def test_models_are_shown_words_and_no_blocks_of_json(script: Script) -> None:
    await play("short_term", RunConfig(game="raid_battle", rounds=1))
    assert script.letters
    for text in texts(script):
        assert "```" not in text


async def skills(script: Script, graph: str) -> list[str]:
    """The letters of a run that ask for a skill."""
    await play(graph, RunConfig(game="raid_battle", seed=3))
    return [as_text(messages) for _, act, messages in script.letters if act == "act"]


async def test_letters_that_ask_for_a_skill_stay_within_their_size(script: Script) -> None:
    assert max(map(len, await skills(script, "shapley_coop"))) <= 2_500 + LONGEST_NOTES


async def test_letters_say_that_a_skill_after_the_end_earns_nothing(script: Script) -> None:
    for text in await skills(script, "llm_only"):
        assert "acts after its fall earn nothing" in text


async def test_the_skill_that_a_deal_fixes_is_asked_for_in_few_words(script: Script) -> None:
    found = await skills(script, "shapley_coop")
    assert len(found) > 12
    for text in found:
        assert len(text[text.index("# So far") :]) <= 1_250 + LONGEST_NOTES


# Payments


@pytest.mark.parametrize("asking", [propose, contract_propose], ids=["bargaining", "contracts"])
def test_all_that_a_hero_can_have_may_be_promised_and_no_more(asking) -> None:
    turn = at("raid_battle", asking.QUESTION)
    assert not isinstance(proposing(turn, paying(turn, MOST)), Fault)
    found = proposing(turn, paying(turn, str(Decimal(MOST) + Decimal("0.000001"))))
    assert isinstance(found, Fault)
    assert found.label == "ABLE"
    assert f"it can have at most {MOST}." in found.feedback


PRICE = Deal(
    clauses=[
        Do(agent="Hero1", action="Taunt", when=Every(every=3)),
        Pay(
            payer="Hero2",
            payee="Hero1",
            amount=1,
            when=Last(last=Event(agent="Hero1", action="Taunt")),
        ),
    ]
)


def test_a_simulated_answer_says_over_how_many_plays_and_within_what_range() -> None:
    turn = at("raid_battle")
    words = ask(turn, "Hero1", "evaluate_deal", **drafted(PRICE))
    assert "means of 500 plays; in brackets where nine in ten lie" in words
    assert "- All keep it: you " in words
    assert PRICE.text() in ask(turn, "Hero1", "check_deal", **drafted(PRICE))
    mine = [{"kind": "do", "action": "Fireball"}]
    assert "By this plan: you " in ask(turn, "Hero1", "simulate", mine=mine)

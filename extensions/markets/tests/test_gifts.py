"""Goods that a contract has change hands in a market: handed over once, replayed, kept to."""

from typing import Any

from extensions.markets.tests.calling import ended, order, send, sound, two_trade
from shapley_coop.deals.agreement import Agreement
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.contract import sign
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Give
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.page.calls import calls_view
from shapley_coop.games import load
from shapley_coop.games.goods import with_gifts
from shapley_coop.state.asking import ONLY_ONE
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.deals.written.test_contract_prose import in_words, table_after
from tests.scripted import Script, facts


def market(endowment: int = 4) -> Any:
    return load("trade", {"mode": "exchange", "rounds": 2})


def agreement(record: Any, mode: Any = "enforced") -> Agreement:
    deal = Deal(clauses=(Give(giver="Alice", receiver="Bob", good="wood", quantity=3,
                              when={"turns": (2, 2)}),))  # fmt: skip
    contract = sign(put(deal, "Alice", 1), 1)
    return Agreement(contract, record, facts_of(market()), Enforcement(mode))


def play(game: Any, mode: Any, *acts: dict[str, str]) -> tuple[Any, list[Any]]:
    """Turns as a run plays them: the contract's gifts, then what is done by hand."""
    position, record = game.start(), list[Any]()
    for number, actions in enumerate(acts, start=1):
        gifts = agreement(record, mode).gifts(actions)
        after = game.step(with_gifts(position, gifts), actions)
        turn = {"turn": number, "actions": actions, "rewards": after.rewards}
        record.append({**turn, "effects": after.effects} if after.effects else turn)
        position = after.position
    return position, record


def test_the_program_hands_over_and_the_record_replays_to_the_same_holdings() -> None:
    game = market()
    position, record = play(game, "enforced", {}, {})
    assert position["holds"]["Bob"]["wood"] == 3
    assert [step.position for step in game.analysis.replay(record)][-1] == position
    assert agreement(record).monitor.breaches == []
    assert agreement(record).wrongly_handed() == ""
    other = [*record[:1], {**record[1], "effects": []}]
    assert "turn 2 hands over []" in agreement(other).wrongly_handed()


def test_what_was_given_away_by_hand_before_is_a_breach_of_the_rest() -> None:
    position, record = play(market(), "enforced", {"Alice": "give 2 wood to Bob"}, {})
    assert position["holds"]["Alice"]["wood"] == 0
    (breach,) = agreement(record).monitor.breaches
    assert (breach.clause, breach.agent, breach.turn) == ("c1", "Alice", 2)
    assert breach.evidence == "turn 2: Alice held 2 wood, owed 3"
    assert agreement(record).monitor.verdicts(2) == {"c1": "violated"}


def test_where_nothing_is_enforced_nothing_changes_hands() -> None:
    position, record = play(market(), "notional", {}, {})
    assert position["holds"]["Bob"]["wood"] == 0
    assert agreement(record, "notional").wrongly_handed() == ""


async def test_words_about_goods_are_drafted_signed_and_handed_over(script: Script) -> None:
    """A market tells each party alone what goods are worth: who drafts for them needs no worth."""
    in_words(script, "Alice gives Bob 1 wood, once. Bob gives Alice 1 stone, once.")
    script["Alice", "contract_sign"] = "They are what we said.\n\nSIGN"
    script["Bob", "contract_sign"] = "Decision: ACCEPT"
    table = await table_after(RunConfig(game="trade", params={"protect": True}, seed=1))
    assert table["contract"]["text"].count("gives") == 2
    assert table["position"]["holds"]["Alice"] == {"wood": 3, "stone": 1}
    said = script.shown_to("summariser", "contract_write")[0]
    assert "section 3 `pay`, `give` and `share`" in said
    assert "- `give`: A gives B N G, once." in said
    assert all(check.sound for check in await verify_run("run"))


async def test_a_letter_offers_no_goods_that_the_contract_hands_over_first(script: Script) -> None:
    """Ann sold two of her four wood, so she can give two by hand; received goods come later."""
    two_trade(script)
    await ended()
    (letter,) = script.shown_to("Ann", "act")
    assert {action for action in facts(letter)["legal"] if "to Ben" in action} == {
        *("give 1 wood to Ben", "give 2 wood to Ben")
    }
    assert not any("wood" in action for action in facts(script.shown_to("Ben", "act")[0])["legal"])


async def test_a_refusal_lists_the_actions_that_its_letter_lists(script: Script) -> None:
    two_trade(script)
    script["Ann", "act"] = ["<ACTION>give 4 wood to Ben</ACTION>", "<ACTION>keep</ACTION>"]
    await ended()
    letter, again = script.shown_to("Ann", "act")
    refusal = facts(again)["fault"]["feedback"]
    assert f"legal are {', '.join(facts(letter)['legal'])}." in refusal


async def test_whoever_can_act_in_one_way_gets_no_letter(script: Script) -> None:
    two_trade(script)
    script["Ann", "order"] = send(order("sell", "wood", 4, 4))
    script["Ben", "order"] = send(order("buy", "wood", 4, 8))
    outcome, table = await ended()
    assert script.shown_to("Ann", "act") == []
    assert table["record"][0]["actions"]["Ann"] == "keep"
    assert [outcome["spending"]["action"][agent]["calls"] for agent in ("Ann", "Ben")] == [0, 1]
    entries = list(home().journal.entries(table["episode"]))
    assert f"{ONLY_ONE} <ACTION>keep</ACTION>" in [entry.answer.text for entry in entries]
    called = [one["agent"] for one in calls_view(entries, table) if one["event"] == "turn 1"]
    assert called == ["Ben", "Cem"], "no model was called for Ann"
    await sound(outcome)

"""Delegates have agreed: each member signs, vetoes or leaves, and is bound by its signature."""

from typing import Any

from extensions.institutions.tests.delegating import (
    ACCEPT,
    AGENTS,
    FOUR,
    LEAVE,
    REJECT,
    all_propose,
    all_vote,
    by,
    ended,
    four_wait,
    members,
    offer,
)
from shapley_coop.deals.contract import in_force
from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.parties import bound_by
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.institutions.delegates.parting import without
from shapley_coop.state.messages import parties
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.exported import wrong_in_export
from tests.scripted import Script, facts


async def test_after_a_veto_its_group_votes_anew_and_the_delegates_bargain_again(
    script: Script,
) -> None:
    all_vote(script, *AGENTS)
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = ACCEPT
    _, before = await ended(FOUR)
    vetoing = members(before)[0]
    group = next(g for g in before["groups"] if vetoing in g["members"])
    script.letters.clear()
    script[vetoing, "ratify"] = [REJECT, ACCEPT]
    outcome, table = await ended(FOUR)
    assert outcome["status"] == "agreed"
    assert by(table, "reject") == [vetoing]
    voted = [agent for agent, act, _ in script.letters if act == "elect"]
    assert sorted(set(voted)) == AGENTS
    assert sorted(a for a in AGENTS if voted.count(a) == 2) == sorted(group["members"])
    again = script.shown_to(vetoing, "elect")[1]
    assert f'but not all of your group signed: {vetoing} ("No.") did not.' in again
    assert all(check.sound for check in await verify_run(outcome["run"]))


async def test_without_a_round_left_a_veto_leaves_everybody_unbound(script: Script) -> None:
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = REJECT
    outcome, table = await ended(FOUR.model_copy(update={"rounds": 1}))
    assert table["contract"] is None
    assert outcome["status"] == "no_deal"
    who = ", ".join(a for a in AGENTS if a in members(table))
    assert outcome["lapsed"] == f"The delegates agreed, but the deal was not signed by {who}"


async def test_who_leaves_is_not_bound_and_the_others_sign_what_is_left(script: Script) -> None:
    all_vote(script, "Ann", "Ben")
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = ACCEPT
    _, table = await ended(FOUR)
    leaving = members(table)[0]
    script[leaving, "ratify"] = LEAVE
    outcome, table = await ended(FOUR.model_copy(update={"enforcement": "escrow", "deposit": "1"}))
    rest = [agent for agent in AGENTS if agent != leaving]
    assert by(table, "leave") == [leaving]
    clauses = list(in_force(table["contract"]).values())
    assert [clause.agent for clause in clauses] == rest
    assert sorted(table["contract"]["signatures"]) == sorted([*rest, "summariser"])
    paid = {line.debit for line in home().ledger.lines(table["episode"]) if line.memo == "deposit"}
    assert paid == set(rest)
    assert len(script.shown_to(rest[0], "ratify")) >= 1
    checks = await verify_run(outcome["run"])
    assert all(check.sound for check in checks), [c for c in checks if not c.sound]
    assert wrong_in_export(table, "delegates") == []


async def test_a_member_is_told_that_a_veto_after_its_departure_ends_the_bargaining(
    script: Script,
) -> None:
    all_vote(script, "Ann", "Ben")
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = ACCEPT
    _, before = await ended(FOUR)
    leaving, vetoing = members(before)
    script.letters.clear()
    script[leaving, "ratify"], script[vetoing, "ratify"] = LEAVE, [ACCEPT, REJECT]
    outcome, table = await ended(FOUR.model_copy(update={"rounds": 2}))
    letter = script.shown_to(leaving, "ratify")[0]
    assert "to sign what is left; if one of them vetoes that, you play without a deal." in letter
    assert by(table, "reject") == [vetoing]
    assert outcome["status"] == "no_deal"


def test_what_is_left_of_a_deal_names_those_who_stay() -> None:
    deal = Deal(
        clauses=[
            Do(agent="everyone", action="wait"),
            Pay(payer="Ann", payee="others", amount=3),
            Pay(payer="others", payee="Dee", amount=3),
        ]
    )
    rest = without(deal, {"Ben"}, AGENTS)
    assert rest is not None
    assert rest.text().splitlines() == [
        "c1. Ann does wait at every turn.",
        "c2. Cem does wait at every turn.",
        "c3. Dee does wait at every turn.",
        "c4. Ann pays Cem 1, once.",
        "c5. Ann pays Dee 1, once.",
        "c6. Ann pays Dee 1, once.",
        "c7. Cem pays Dee 1, once.",
    ]
    assert bound_by(rest.clauses, AGENTS) == {"Ann", "Cem", "Dee"}
    assert bound_by(deal.clauses, AGENTS) == set(AGENTS)
    assert without(deal, set(AGENTS), AGENTS) is None
    many = [f"P{n}" for n in range(300)]
    assert without(Deal(clauses=[Do(agent="everyone", action="wait")]), {"P1"}, many) is None


async def test_what_splits_the_total_cannot_be_left(script: Script) -> None:
    all_propose(script, offer({"kind": "share", "norm": "equal"}))
    one = RunConfig(**{**FOUR.model_dump(), "rounds": 1, "norm": "equal"})
    for agent in AGENTS:
        script[agent, "ratify"] = LEAVE
    outcome, table = await ended(one)
    assert table["contract"] is None
    assert outcome["status"] == "no_deal"
    letter = script.shown_to(members(table)[0], "ratify")[0]
    assert facts(letter)["leaving"] == "vetoed"
    assert "it is the same as a veto" in letter
    assert "By the norm equal each ends with what it would have had" in letter


async def test_who_cannot_be_understood_is_not_bound(script: Script) -> None:
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = "What deal?"
    _, table = await ended(FOUR.model_copy(update={"rounds": 1}))
    assert sorted(by(table, "pass")) == AGENTS, "delegates, too, are asked for what is left"
    assert by(table, "leave") == [], "nobody is said to have decided what it did not"
    assert table["contract"] is None


async def test_who_passes_stays_out_and_the_others_sign_what_is_left(script: Script) -> None:
    all_vote(script, "Ann", "Ben")
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = ACCEPT
    _, table = await ended(FOUR)
    silent, *others = members(table)
    script[silent, "ratify"] = "<s>I need more time.</s> Which deal?"
    outcome, table = await ended(FOUR)
    (passed,) = [said for said in table["talk"] if said["act"] == "pass"]
    assert (passed["by"], passed["label"], passed["about"]) == (silent, "ACK", 1)
    assert passed["text"] == "I need more time."
    assert silent not in table["contract"]["signatures"]
    assert silent not in bound_by(in_force(table["contract"]).values(), AGENTS)
    letter = script.shown_to(others[0], "ratify")[-1]
    assert f"Offer 2 is what is left of the delegates' deal: {silent} did not sign it." in letter
    assert parties(table, 1, revision=2) == [agent for agent in AGENTS if agent != silent]
    assert all(check.sound for check in await verify_run(outcome["run"]))
    assert wrong_in_export(table, "delegates") == []


def test_a_pass_before_an_acceptance_of_the_same_offer_does_not_undo_it() -> None:
    said = {"topic": "plan", "turn": 1, "round": 1, "text": ""}
    talk = [
        {**said, "by": "Ben", "act": "pass", "about": 1, "label": "ACK"},
        {**said, "by": "Ben", "act": "accept", "about": 1},
        {**said, "by": "Cem", "act": "leave", "about": 1},
        {**said, "by": "Dee", "act": "pass", "about": 2, "label": "ACK"},
        {**said, "by": "summariser", "act": "write", "puts": 2},
    ]
    table: Any = {"agents": AGENTS, "talk": talk}
    assert parties(table, 1, revision=2) == ["Ann", "Ben", "Dee"]
    assert parties(table, 2, revision=2) == AGENTS

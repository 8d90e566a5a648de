"""Delegates bargain for all, and nobody is bound without its own signature."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shapley_coop.deals import Deal, Do, Pay, in_force
from shapley_coop.deals.parties import bound_by, without
from shapley_coop.deals.signing import PrivateKey, as_bytes
from shapley_coop.evals.verifying import verify_run
from shapley_coop.games import load, names
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts import NOT_PLAYED
from shapley_coop.seats.records import Mail
from shapley_coop.serve.seats.form import message_of
from shapley_coop.state import Home, RunConfig, Table, home, parties
from shapley_coop.state.groups import default_groups, formed
from shapley_coop.state.proof import OPERATOR, check, envelope_signed, statement_of
from tests.proof_kills import at_every_write
from tests.scripted import Script, events, facts
from tests.trials import Audit, Play, Trial
from tests.warm_coop import warm_coop

AGENTS = ["Ann", "Ben", "Cem", "Dee"]
FOUR = RunConfig(game="volunteers", params={"agents": AGENTS})
REASONS = "<CONSIDER>Collective payoff: 9\nExternality: +\nPrice: 5.5</CONSIDER>"
ACCEPT, REJECT, LEAVE = "<ACCEPT>", "<s>No.</s><REJECT>", "<ACTION>leave</ACTION>"


def do(agent: str, action: str) -> dict[str, Any]:
    return {"kind": "do", "agent": agent, "action": action}


def offer(*clauses: dict[str, Any]) -> str:
    return f"<s>As follows.</s><PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"


def four_wait() -> str:
    return offer(*(do(agent, "wait") for agent in AGENTS))


def veto_then_leave_then_sign(told: dict[str, Any]) -> str:
    return {1: REJECT, 2: LEAVE}.get(told["offer"]["revision"], ACCEPT)


def all_vote(script: Script, *names: str) -> None:
    """Everybody votes for the first of some names that stands in its group."""
    for agent in AGENTS:
        script[agent, "elect"] = lambda told: (
            f"<ACTION>{next(name for name in [*names, *AGENTS] if name in told['legal'])}</ACTION>"
        )


def all_propose(script: Script, text: str) -> None:
    for agent in AGENTS:
        script[agent, "propose"] = text
        script[agent, "answer"] = ACCEPT


def wrong_in_export(table: Table, graph: str) -> list[str]:
    """What a check of the run's signed export finds wrong."""
    signer = PrivateKey.new("ES256")
    statement = statement_of(table, graph, "2026-11-22T12:00:00+00:00", private=True)
    content = as_bytes(envelope_signed(statement, [signer]))
    found = check(content, {OPERATOR: signer.public})
    return [f"{one.what}: {one.found}" for one in found if not one.sound]


async def ended(config: RunConfig) -> tuple[dict[str, Any], Table]:
    outcome = await play("delegates", config)
    return outcome, await table_of(home().runs.get(outcome["run"]))


def members(table: Table) -> list[str]:
    return [a for g in table["groups"] for a in g["members"] if a != g["delegate"]]


def by(table: Table, act: str) -> list[str]:
    return [said["by"] for said in table["talk"] if said["act"] == act]


# Groups and delegates


def test_groups_are_as_even_as_can_be_and_hold_everybody_once() -> None:
    for n in (2, 3, 7, 12):
        agents = [f"P{i}" for i in range(n)]
        game = load("volunteers", {"agents": agents})
        for grouping in ("interest", "random"):
            groups = formed(game, RunConfig(grouping=grouping))
            assert len(groups) == default_groups(n)
            assert sorted(a for group in groups for a in group) == sorted(agents)
            assert max(map(len, groups)) - min(map(len, groups)) <= 1


def test_by_interest_those_who_gain_from_the_same_plays_stand_together() -> None:
    """Ann and Cem want x played, Ben and Dee want y."""
    acts = {agent: ["x", "y"] for agent in AGENTS}
    cells = []
    for n in range(16):
        plays = ["xy"[n >> i & 1] for i in range(4)]
        for_x = plays.count("x")
        cells.append({"play": plays, "pays": [for_x, 4 - for_x] * 2})
    game = load({"agents": AGENTS, "actions": acts, "payoffs": cells})
    groups = formed(game, RunConfig(groups=2))
    assert sorted(map(sorted, groups)) == [["Ann", "Cem"], ["Ben", "Dee"]]
    assert groups == formed(game, RunConfig(groups=2))
    drawn = {tuple(map(tuple, formed(game, RunConfig(grouping="random", seed=s)))) for s in (0, 1)}
    assert len(drawn) == 2


def test_of_private_payoffs_no_group_tells() -> None:
    game = load("task_exchange")
    assert formed(game, RunConfig(groups=2)) == [[agent] for agent in game.agents]


async def test_each_group_elects_its_delegate_by_a_secret_ballot(script: Script) -> None:
    all_vote(script, "Ben", "Ann")
    all_propose(script, four_wait())
    _, table = await ended(FOUR)
    ballot = facts(script.shown_to("Ann", "elect")[0])
    group = next(g for g in table["groups"] if "Ann" in g["members"])
    assert ballot["legal"] == group["members"]
    assert ballot["group"] == [one for one in group["members"] if one != "Ann"]
    assert all(sum(g["votes"].values()) == len(g["members"]) for g in table["groups"])
    assert not any("vote" in str(said) for said in table["talk"])
    chosen = [g["delegate"] for g in table["groups"]]
    assert {by for agent in AGENTS for _, by, _ in script.letters if by == "propose"}
    assert {agent for agent, act, _ in script.letters if act in ("propose", "answer")} == {*chosen}


async def test_a_vote_for_another_groups_member_is_sent_back(script: Script) -> None:
    all_vote(script, *AGENTS)
    script["Ann", "elect"] = ["<ACTION>Eve</ACTION>", "<ACTION>Ann</ACTION>"]
    await ended(FOUR)
    assert "You chose 'Eve'. Choose one of:" in script.shown_to("Ann", "elect")[1]


async def test_a_delegate_can_be_drawn_by_lot_and_nobody_is_asked(script: Script) -> None:
    first = await ended(FOUR.model_copy(update={"election": "lot"}))
    again = await ended(FOUR.model_copy(update={"election": "lot"}))
    assert {act for _, act, _ in script.letters}.isdisjoint({"elect"})
    assert [t["groups"] for _, t in (first,)] == [t["groups"] for _, t in (again,)]
    assert all(group["votes"] == {} for group in first[1]["groups"])


def test_a_number_of_groups_that_cannot_be_is_refused_in_one_line() -> None:
    for count in (1, 5):
        with pytest.raises(ValueError, match=f"^groups is {count}: choose 2 to 4, or 0 for"):
            FOUR.model_copy(update={"groups": count}).resolve()


# What a member is shown


async def test_a_member_is_told_what_the_deal_means_for_it_and_no_more(script: Script) -> None:
    clauses = [do("Ann", "volunteer"), *(do(agent, "wait") for agent in AGENTS[1:])]
    pay = {"kind": "pay", "payer": "Ben", "payee": "Ann", "amount": 1}
    all_vote(script, "Dee", "Cem", "Ben")
    all_propose(script, offer(*clauses, pay))
    outcome, table = await ended(FOUR)
    assert outcome["status"] == "agreed"
    letter = script.shown_to("Ann", "ratify")[0]
    told = facts(letter)["offer"]
    assert [clause["kind"] for clause in told["clauses"]] == ["do", "pay"]
    assert told["others"] == 3
    assert {name for row in told["outlook"]["rows"] for name in row["payoffs"]} == {"Ann"}
    assert "1. Ann does volunteer." in letter
    assert "Ben does wait" not in letter
    assert "Its 3 other clauses concern others alone." in letter
    assert "| all keep it | 4 |" in letter
    assert not [line for line in events(letter) if line["by"] in members(table)]
    assert "As follows" not in letter


async def test_where_it_is_not_computed_a_member_is_shown_the_whole_deal(script: Script) -> None:
    all_propose(script, four_wait())
    await ended(FOUR.model_copy(update={"outlook": False}))
    agent = next(agent for agent, act, _ in script.letters if act == "ratify")
    letter = script.shown_to(agent, "ratify")[0]
    assert all(f"{name} does wait." in letter for name in AGENTS)
    assert "What it would pay you is not computed." in letter


async def test_letters_tell_how_it_goes_on_from_where_their_reader_is(script: Script) -> None:
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = ACCEPT
    _, table = await ended(FOUR)
    member = members(table)[0]
    delegate = next(agent for agent, act, _ in script.letters if act == "answer")
    told = script.shown_to(delegate, "answer")[0]
    assert "once all delegates have accepted and all members signed;" in told
    for act, goes_on in (("elect", True), ("ratify", True), ("act", False)):
        letter = script.shown_to(member, act)[0]
        assert ("You are in groups, and each group elects a delegate." in letter) is goes_on
        assert ("You play once, everybody at the same time." in letter) is goes_on
        assert "Each of you thinks in private." not in letter, "delegates alone are asked to"
        assert ("Nothing yet." in letter) is (act == "elect")
        assert (NOT_PLAYED in letter) is (act != "elect"), "the talk is left out, and not denied"


# To sign, to veto, to leave


async def test_all_sign_and_the_contract_names_them(script: Script) -> None:
    all_propose(script, four_wait())
    for agent in AGENTS:
        script[agent, "ratify"] = ACCEPT
    outcome, table = await ended(FOUR)
    assert sorted(table["contract"]["signatures"]) == AGENTS
    assert set(members(table)) < set(by(table, "accept"))
    assert outcome["status"] == "agreed"
    assert all(check.sound for check in await verify_run(outcome["run"]))


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


# People


def test_a_person_votes_and_signs_by_what_there_is_to_choose() -> None:
    assert message_of("elect", {"action": "Ann"}) == "<ACTION>Ann</ACTION>"
    signed = {one: message_of("ratify", {"decision": one}) for one in ("sign", "veto", "leave")}
    assert signed == {"sign": ACCEPT, "veto": "<REJECT>", "leave": LEAVE}


async def test_people_vote_and_sign_at_the_same_time() -> None:
    asked: list[str] = []

    def reply(mail: Mail) -> str:
        asked.append(mail.act)
        if mail.act in ("elect", "act"):
            return f"<ACTION>{mail.facts['legal'][0]}</ACTION>"
        said = {"propose": four_wait(), "reason": REASONS, "answer": ACCEPT, "ratify": ACCEPT}
        return said[mail.act]

    run = prepare("delegates", RunConfig(**{**FOUR.model_dump(), "seats": {"*": "human"}}))
    outcome = await follow(run, person=reply)
    assert (asked.count("elect"), asked.count("ratify"), outcome["status"]) == (4, 2, "agreed")
    assert outcome["contract"]["text"].count("does wait") == 4


# Embedded agents

LONG = ("raid_battle", "software_company")
GAMES = [pytest.param(g, marks=pytest.mark.slow if g in LONG else ()) for g in names()]


@pytest.mark.parametrize("game", GAMES)
async def test_embedded_members_sign_only_what_leaves_them_no_worse(game: str) -> None:
    outcome, table = await ended(RunConfig(game=game, seed=1))
    assert outcome["status"] in ("agreed", "no_deal")
    contract = table["contract"]
    if contract is not None:
        bound = bound_by(in_force(contract).values(), table["agents"])
        assert bound <= set(contract["signatures"])
    for said in home().journal.entries(table["episode"]):
        if said.act != "ratify" or ACCEPT not in said.answer.text:
            continue
        rows = said.facts["offer"].get("outlook", {}).get("rows", [])
        ends = {row["if"]: float(row["payoffs"][said.agent]["mean"]) for row in rows}
        assert not rows or ends["all keep it"] >= ends["no deal"] - 1e-9
    assert all(check.sound for check in await verify_run(outcome["run"]))


@pytest.mark.slow
def test_killed_at_every_write_it_comes_to_the_same_and_is_paid_once(tmp_path: Path) -> None:
    coop = warm_coop(Home(tmp_path))
    agents = ("--set", "agents=[Ann, Ben, Cem, Dee]")
    play = Play.uninterrupted(coop, "whole", ("volunteers", "--graph", "delegates", *agents))
    trial = Trial(coop, "killed", play)
    at_every_write(trial, Random(0))
    assert trial.kills > play.whole["turns_played"]
    assert Audit.of(coop.home, [play], [trial]).clean
    assert coop.run("verify", "killed").code == 0

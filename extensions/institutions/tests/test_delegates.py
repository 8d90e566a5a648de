"""Delegates bargain for all, and nobody is bound without its own signature."""

from pathlib import Path

import pytest

from extensions.institutions.tests.delegating import (
    ACCEPT,
    AGENTS,
    FOUR,
    all_propose,
    all_vote,
    do,
    ended,
    four_wait,
    members,
    offer,
)
from shapley_coop.deals.contract import in_force
from shapley_coop.deals.parties import bound_by
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.institutions.delegates.groups import default_groups, formed
from shapley_coop.games import load, names
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.prompts import NOT_PLAYED
from shapley_coop.seats.records import Mail
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import Coop
from tests.proofs.proof_kills import comes_to_the_same
from tests.scripted import Script, events, facts

REASONS = "<CONSIDER>Collective payoff: 9\nExternality: +\nPrice: 5.5</CONSIDER>"


# Groups and delegates


def test_groups_and_ballots_are_told_in_a_line_each(coop: Coop) -> None:
    options = ("-g", "delegates", "--set", "agents=5", "--name", "r")
    lines = [
        "  groups: Agent4, Agent2 and Agent5 send Agent2; Agent3 and Agent1 send Agent1",
        "  ballots: Agent4 1, Agent2 1, Agent5 1; Agent3 1, Agent1 1",
    ]
    played = coop("run", "public_goods", *options)
    for told in (played.out, coop("show", "r").out):
        assert told.splitlines()[:2] == lines


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


@brought_by("exchange")
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
    first = await ended(
        FOUR.model_copy(update={"extensions": {"institutions": {"election": "lot"}}})
    )
    again = await ended(
        FOUR.model_copy(update={"extensions": {"institutions": {"election": "lot"}}})
    )
    assert {act for _, act, _ in script.letters}.isdisjoint({"elect"})
    assert [t["groups"] for _, t in (first,)] == [t["groups"] for _, t in (again,)]
    assert all(group["votes"] == {} for group in first[1]["groups"])


def test_a_number_of_groups_that_cannot_be_is_refused_in_one_line() -> None:
    for count in (1, 5):
        with pytest.raises(ValueError, match=f"^groups is {count}: choose 2 to 4, or 0 for"):
            FOUR.model_copy(update={"extensions": {"institutions": {"groups": count}}}).resolve()


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
    assert "Its 3 other clauses bind or pay others, not you." in letter
    assert "| all keep the deal | 4 |" in letter
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
    assert "delegates have accepted and each other member has signed it or stays out;" in told
    for act, goes_on in (("elect", True), ("ratify", True), ("act", False)):
        letter = script.shown_to(member, act)[0]
        assert ("You are in groups, and each group elects a delegate." in letter) is goes_on
        assert ("You play once, everybody at the same time." in letter) is goes_on
        assert "Each of you thinks in private." not in letter, "delegates alone are asked to"
        assert ("Nothing yet." in letter) is (act == "elect")
        assert (NOT_PLAYED in letter) is (act != "elect"), "the talk is left out, and not denied"


# People


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
    comes_to_the_same(
        tmp_path, "volunteers", "--graph", "delegates", "--set", "agents=[Ann, Ben, Cem, Dee]"
    )

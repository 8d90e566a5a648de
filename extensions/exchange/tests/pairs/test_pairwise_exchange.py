"""Many agents trade tasks two at a time: what they are told, what binds them, what it is worth."""

import asyncio
import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from langgraph.types import Overwrite

from shapley_coop.extensions.exchange.domain import Scenario, scenario
from shapley_coop.extensions.exchange.domain.additive import best_total
from shapley_coop.extensions.exchange.domain.files import build
from shapley_coop.extensions.exchange.domain.front import best_sum
from shapley_coop.extensions.exchange.domain.scenario import table_of
from shapley_coop.extensions.exchange.domain.source import generate_scenario
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.extensions.exchange.messages.allocation import shape
from shapley_coop.extensions.exchange.pairs.game import ExchangeInPairs
from shapley_coop.games import GameError, Turn, load
from shapley_coop.graphs.running import play
from shapley_coop.seats.records import Entry
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop
from tests.evals.tampering import failed_checks
from tests.evals.test_verify import on_the_table
from tests.root import ROOT
from tests.scripted import Script, facts

DRAWN = {"scenario": "generated", "additive": True, "competition": 0.2}
NAMES = ("Ann", "Ben", "Cem", "Dan")
FOUR = {
    "atoms": ["Bake", "Cook", "Iron", "Mow", "Paint"],
    "initial": {"Ann": ["Bake"], "Ben": ["Cook"], "Cem": ["Iron"], "Dan": ["Mow", "Paint"]},
    "values": {
        "Ann": {"Bake": 10, "Cook": 90},
        "Ben": {"Bake": 50, "Cook": 50},
        "Cem": {"Iron": 1},
        "Dan": {"Bake": 60, "Mow": 40},
    },
}


async def met(agents: int, **params: Any) -> tuple[Scenario, dict[str, Any], list[Entry]]:
    """A play of agents who hold two tasks each: its scenario, its outcome, its letters."""
    told = {**DRAWN, "agents": agents, "atoms": 2 * agents, "meetings": 2, "talk": 4, **params}
    room = RunConfig(game="task_exchange", params=told, seed=3)
    outcome = await play("pairwise_exchange", room)
    game = load("task_exchange", told, 3)
    assert isinstance(game, TaskExchange)
    return game.scenario, outcome, list(home().journal.entries(outcome["episode"]))


def longest(entries: list[Entry], act: str) -> int:
    return max(len(e.letter_text) for e in entries if e.act == act and e.attempt == 1)


# Utilities that are sums


@pytest.mark.parametrize("seed", range(6))
def test_the_best_assignment_is_the_best_of_all_partitions(seed: int) -> None:
    made = generate_scenario(["A", "B", "C"], 3 + seed, 0.9, seed, sums=True)
    sums = list(made.utilities.values())
    assert best_total(sums) == best_sum([table_of(one) for one in sums], (1 << made.tasks.n) - 1)
    assert made.front.points.sum(axis=1).max() == best_total(sums)


def test_a_file_gives_a_value_for_each_task_and_leaves_out_what_is_worth_nothing() -> None:
    made = build(FOUR)
    assert made.tasks.initial == {"Ann": 0b10000, "Ben": 0b01000, "Cem": 0b00100, "Dan": 0b00011}
    assert made.utility("Ann", 0b11001) == 1.0
    assert made.utility("Ben", 0b10111) == 0.5
    assert made.values("Dan") == {"Bake": 0.6, "Cook": 0, "Iron": 0, "Mow": 0.4, "Paint": 0}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"values": {**FOUR["values"], "Ann": {"Bkae": 1}}}, "Ann: 'Bkae' is not a task.*'Bake'"),
        ({"values": {**FOUR["values"], "Ann": {"Bake": -1}}}, "score of 'Bake' is out of range"),
        ({"values": {"Ann": {"Bake": 1}}}, "needed for Ann, Ben, Cem, Dan"),
        ({"competition": 0.5}, "exactly one of utilities, values"),
        ({"initial": {**FOUR["initial"], "Ann": ["Cook"]}}, "not a partition"),
    ],
)
def test_what_a_file_gets_wrong_is_said_in_one_line(change: dict[str, Any], told: str) -> None:
    with pytest.raises(GameError, match=told) as refusal:
        build({**FOUR, **change})
    assert "\n" not in str(refusal.value)


def test_a_table_of_seventeen_tasks_is_refused_with_what_to_do_instead() -> None:
    with pytest.raises(GameError, match=r"17 atoms have 2\^17 sets: .* values, one for each task"):
        load("task_exchange", {"scenario": "generated", "atoms": 17})


async def test_two_agents_exchange_more_tasks_than_a_table_could_price() -> None:
    told = {**DRAWN, "agents": ["Ann", "Ben"], "atoms": 24}
    outcome = await play("task_exchange", RunConfig(game="task_exchange", params=told, seed=2))
    assert outcome["status"] == "agreed"
    assert float(outcome["payoffs"]["Ann"]) > 0


# Meetings


async def test_thirty_trade_in_pairs_and_nobody_ends_with_less_than_it_had() -> None:
    made, outcome, _ = await met(30)
    assert outcome["status"] == "agreed"
    before = {a: made.utility(a, mask) for a, mask in made.tasks.initial.items()}
    after = {a: float(x) for a, x in outcome["rewards"].items()}
    assert all(after[agent] >= before[agent] - 1e-9 for agent in before)
    best = best_total(list(made.utilities.values())) / 1e6
    assert sum(before.values()) < sum(after.values()) <= best
    assert outcome["credit"]["method"].startswith("exact")


async def test_letters_are_no_longer_with_more_agents() -> None:
    small, large = [(await met(agents))[2] for agents in (6, 40)]
    assert longest(large, "exchange") < 1.1 * longest(small, "exchange")
    small, large = [
        [e for e in entries if e.act == "act" and len(e.facts["held"]["atoms"]) == 2]
        for entries in (small, large)
    ]
    assert longest(large, "act") < 1.1 * longest(small, "act")


@pytest.mark.parametrize("additive", [True, False])
async def test_a_letter_about_work_tells_ones_tasks_and_what_they_are_worth(additive: bool) -> None:
    made, _, entries = await met(4, meetings=1, additive=additive)
    letters = [e for e in entries if e.act == "act"]
    assert {" (done)\n" in e.letter_text for e in letters} == {True, False}
    for e in letters:
        told, view = e.letter_text.split("Your tasks, in the order")[1], e.facts["held"]
        assert "paid for the set that you hold and have done, once all are done" in e.letter_text
        for atom in view["atoms"]:
            assert f"(`{atom['action']}`): {atom['says']}" in told
        mask = sum(made.tasks.named([atom["action"]]) for atom in view["atoms"])
        whole = made.utility(e.agent, mask)
        if additive:
            assert sum(view["values"].values()) == pytest.approx(whole)
            assert told.count(" to you)") == len(view["values"])
        else:
            assert f"{'1' * len(view['atoms'])} {whole:.3g}" in told


async def test_a_letter_about_work_tells_how_ones_own_talks_ended(script: Script) -> None:
    script["Agent1", "exchange"] = "<REJECT>"  # proposes nothing, so that its pair parts
    await met(4, meetings=1, attempts=1)
    ends = {agent: script.shown_to(agent, "act")[0] for agent in ("Agent1", "Agent2", "Agent3")}
    (partner,) = [end["partner"] for end in facts(ends["Agent1"])["talks"]]
    assert f"- Meeting 1, with {partner}: no agreement, so both kept" in ends["Agent1"]
    other = next(agent for agent in ("Agent2", "Agent3") if agent != partner)
    (end,) = facts(ends[other])["talks"]
    assert end["agreed"]
    assert f"with {end['partner']}: agreed; you gave {'; '.join(end['gave'])}, and" in ends[other]
    assert partner not in ends[other].split("# You")[1]
    assert set(end["got"]) <= set(facts(ends[other])["legal"])


async def test_a_letter_tells_of_the_two_who_meet_and_of_nobody_else(script: Script) -> None:
    await met(8)
    everybody = {f"Agent{k}" for k in range(1, 9)}
    letters = [(agent, x) for agent in everybody for x in script.shown_to(agent, "exchange")]
    assert len(letters) >= 16
    for agent, letter in letters:
        told = facts(letter)
        assert agent in told["agents"]
        assert told.get("final") or f"`{shape(told['agents'])}`" in letter, "to be copied as it is"
        assert not [name for name in everybody - set(told["agents"]) if name in letter]
        assert set(told["values"]) == {atom["says"] for atom in told["atoms"]}
        assert {line["by"] for line in told["history"]} <= set(told["agents"])


async def test_a_refused_proposal_reaches_nobody_but_its_author(script: Script) -> None:
    """Whoever speaks leaves a task out, and mends it when it is told; nobody accepts."""

    def forgetful(told: dict[str, Any]) -> str:
        mine, *others = [atom["says"] for atom in told["atoms"]]
        theirs = "; ".join(others if "fault" in told else others[:-1])
        other = next(agent for agent in told["agents"] if agent != told["you"])
        listed = {told["you"]: [f"{mine}."], other: [f"{theirs}."]}
        rejected = "<REJECT>No.</REJECT>" if told.get("pending") else ""
        return f"{rejected}<PROPOSAL>{json.dumps(listed)}</PROPOSAL>"

    for k in range(1, 5):
        script[f"Agent{k}", "exchange"] = forgetful
    _, outcome, entries = await met(4, meetings=1, talk=2)
    assert outcome["status"] == "no_deal"
    assert sorted(e.attempt for e in entries if e.act == "exchange") == [1, 1, 1, 1, 2, 2, 2, 2]
    for k in range(1, 5):
        for letter in script.shown_to(f"Agent{k}", "exchange"):
            assert all("masks" in line for line in facts(letter)["history"])


async def test_to_accept_what_each_holds_already_is_no_trade(script: Script) -> None:
    def as_it_is(told: dict[str, Any]) -> str:
        if told.get("pending"):
            return "<ACCEPT>"
        listed = {
            agent: [
                f"{atom['says']}."
                for atom, bit in zip(told["atoms"], held, strict=True)
                if bit == "1"
            ]
            for agent, held in told["initial"].items()
        }
        return f"<PROPOSAL>{json.dumps(listed)}</PROPOSAL>"

    for k in range(1, 5):
        script[f"Agent{k}", "exchange"] = as_it_is
    _, outcome, entries = await met(4, meetings=1, talk=2)
    assert any("<ACCEPT>" in e.answer.text for e in entries)
    assert outcome["status"] == "no_deal"


async def test_a_pair_that_cannot_be_read_parts_and_holds_nobody_up(script: Script) -> None:
    script["Agent1", "exchange"] = "no tags at all"
    made, outcome, entries = await met(12, attempts=2)
    assert outcome["status"] == "agreed"
    own = made.utility("Agent1", made.tasks.initial["Agent1"])
    assert float(outcome["rewards"]["Agent1"]) == own
    assert sum(e.agent == "Agent1" and e.attempt == 2 for e in entries if e.act == "exchange") >= 1


def test_tasks_that_moved_are_valued_by_who_moved_them_as_every_replay_says() -> None:
    game = load("task_exchange", {**DRAWN, "agents": list(NAMES), "atoms": 8, "meetings": 2}, 5)
    assert isinstance(game, ExchangeInPairs)
    first = {"Ann": 0b00110000, "Ben": 0b11000000, "Cem": 0b00001100, "Dan": 0b00000011}
    then = {"Ann": 0b00110000, "Ben": 0b10001000, "Cem": 0b00000110, "Dan": 0b01000001}
    joint = [*game.hands(first, closing=False), *game.hands(then, first)]
    position, record = game.start(), list[Turn]()
    while not game.over(position):
        work = {a: game.legal(position, a)[0] for a in NAMES if game.legal(position, a)}
        actions = joint.pop(0) if joint else work
        after = game.step(position, actions)
        turn: Turn = {"turn": len(record) + 1, "actions": actions, "rewards": after.rewards}
        record, position = [*record, turn], after.position
    replays = game.analysis.replays_of(record)
    assert replays.classes is not None
    for inside in product((False, True), repeat=4):
        parts = 0
        for part in replays.classes:
            counts = tuple(
                sum(own and of == k for own, of in zip(inside, part.of, strict=True))
                for k in range(part.worths.ndim)
            )
            parts += part.worths[counts]
        assert replays.improvement(np.array([inside])) * 1_000_000 == parts


@pytest.mark.parametrize(
    ("graph", "params", "told"),
    [
        ("task_exchange", {**DRAWN, "agents": 17, "atoms": 34}, "17 agents cannot talk about one"),
        # One of two agents may get 5 of 6 tasks, after a first turn without work.
        ("task_exchange", {"rounds": 5}, "rounds=5 may be too few .*: give rounds=6$"),
        (
            "task_exchange",
            {"meetings": 2},
            "task_exchange with meetings is only for pairwise_exchange",
        ),
        ("pairwise_exchange", {"meetings": 0}, "task_exchange with meetings: parameter meetings"),
        # Two agents with 3 tasks each: at most 3, 5 and 5 turns of giving, 1 to close, 5 of work.
        ("pairwise_exchange", {"rounds": 18}, r"rounds=18 may be too few .*: give rounds=19$"),
    ],
)
async def test_a_workflow_says_what_it_cannot_play(
    graph: str, params: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        await play(graph, RunConfig(game="task_exchange", params=params))


def test_the_example_of_thirty_is_a_scenario() -> None:
    made = scenario(str(ROOT / "docs" / "conference.yaml"))
    assert (len(made.tasks.agents), made.tasks.n) == (30, 60)


@pytest.mark.slow
@pytest.mark.parametrize("agents", [100, 1000])
async def test_a_hundred_and_a_thousand_play(agents: int) -> None:
    made, outcome, entries = await met(agents)
    assert outcome["status"] == "agreed"
    assert longest(entries, "exchange") < 4700
    start = sum(made.utility(a, mask) for a, mask in made.tasks.initial.items())
    assert sum(float(x) for x in outcome["rewards"].values()) > start


def test_what_pairs_accepted_is_verified_and_another_trade_is_found(coop: Coop) -> None:
    options = [f"{key}={x}" for key, x in {**DRAWN, "agents": 6, "atoms": 12, "talk": 4}.items()]
    settings = [part for option in options for part in ("--set", option)]
    played = coop("run", "task_exchange", "-g", "pairwise_exchange", "--name", "r", *settings)
    assert played.code == 0
    assert failed_checks(coop) == set()

    def unheard(table: dict[str, Any]) -> dict[str, Any]:
        """The same talk, in which whoever accepted said nothing."""
        talk = [{**s, "act": "pass"} if s["act"] == "accept" else s for s in table["talk"]]
        assert talk != table["talk"]
        return {"talk": Overwrite(talk)}

    asyncio.run(on_the_table(unheard))
    assert "meetings" in failed_checks(coop)


def test_a_transcript_tells_each_meeting_by_what_would_change_hands(coop: Coop) -> None:
    drawn = {"scenario": "generated", "agents": 4, "atoms": 8, "talk": 4, "meetings": 2}
    settings = [part for key, x in drawn.items() for part in ("--set", f"{key}={x}")]
    coop("run", "task_exchange", "-g", "pairwise_exchange", "--name", "r", *settings)
    told = coop("show", "r").out
    assert "  meeting 1\n    m1  Agent1 proposes to Agent3 → #1: —\n" in told
    assert told.count("\n  meeting 2\n") == 1
    assert "<" not in told
    assert "Agent2 counters #2" not in told
    numbers = [
        said["puts"] for said in coop("show", "r", "--json").result["events"] if "puts" in said
    ]
    assert numbers == [*range(1, len(numbers) + 1)], "each proposal of any pair has its own number"
    # What is agreed on in the second meeting is said as it was played: by whom, and at which turn.
    assert "m11  Agent2 accepts #8: I agree with this allocation." in told
    _, put = told.split("→ #8: ")
    gives = put.split("m11")[0].splitlines()[1:]
    assert [line.strip() for line in gives if line.strip()] == [
        "c1. Agent2 gives Agent3 1 send_email, once, at turn 2.",
        "c2. Agent3 gives Agent2 1 apply_for_passport, once, at turn 2.",
        "c3. Agent3 gives Agent2 1 enroll_in_course, once, at turn 3.",
    ]
    assert "turn 2  Agent2 hand send_email to Agent3, Agent3 hand apply_for_passport" in told
    assert "turn 3  Agent3 hand enroll_in_course to Agent2" in told

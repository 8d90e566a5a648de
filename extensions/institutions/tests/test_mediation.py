"""A mediator plays for whoever delegates, by the rule that all were shown, and for nobody else."""

import copy
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.deals.analysis.stage import StageGame, facts_of
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.institutions.mediator import (
    Mediator,
    delegated,
    mediator_of,
    misplayed,
)
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.mandate import sign_mandate
from shapley_coop.games import load
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.graphs import builder
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, answer, follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settlement import decide
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from shapley_coop.state.workflow_config import playable
from tests.brought import brought_by
from tests.exported import checked_export
from tests.proofs.proof_kills import comes_to_the_same
from tests.scripted import Script, facts

DILEMMA = load("prisoners_dilemma", {"rounds": 2})
DELEGATE, DEFECT = "<ACTION>delegate</ACTION>", "<ACTION>defect</ACTION>"


def table_game(pays: dict[str, tuple[int, ...]], agents: str = "Ann Ben", **more: Any) -> Any:
    """A payoff file whose joint actions are words of letters: "cd" is Ann's c and Ben's d."""
    names = agents.split()
    acts = {a: sorted({play[i] for play in pays}) for i, a in enumerate(names)}
    cells = [{"play": list(play), "pays": list(x)} for play, x in pays.items()]
    return {"agents": names, "actions": acts, "payoffs": cells, **more}


CHICKEN = {"ss": (0, 0), "sd": (-1, 1), "ds": (1, -1), "dd": (-9, -9)}
"""s swerves, d drives on."""


def mediator(game: Any) -> Mediator:
    return mediator_of(load(game))


async def table_after(script: Script, **room: Any) -> Table:
    config = {"game": "prisoners_dilemma", "params": {"rounds": 2}, **room}
    outcome = await play("mediation", RunConfig.model_validate(config))
    return await table_of(home().runs.get(outcome["run"]))


# The rule


def test_all_together_do_what_pays_most_and_one_alone_is_not_exploited() -> None:
    dilemma = mediator("prisoners_dilemma")
    both = {"Alice": "cooperate", "Bob": "cooperate"}
    assert dilemma.plays({"Alice", "Bob"}, turn=1) == both
    assert dilemma.plays({"Bob"}, turn=1) == {"Bob": "defect"}
    assert dilemma.plays((), turn=1) == {}
    assert [row["delegating"] for row in dilemma.promised(1)] == [
        ["Alice", "Bob"],
        ["Alice"],
        ["Bob"],
    ]


def test_against_who_does_not_delegate_it_is_the_minimax_play() -> None:
    """By driving on it leaves the other −1 at most; by swerving it would leave it 1."""
    chicken = mediator(table_game(CHICKEN))
    assert chicken.plays({"Ann"}, turn=1) == {"Ann": "d"}
    assert chicken.plays({"Ann", "Ben"}, turn=1) == {"Ann": "s", "Ben": "s"}


def test_of_several_best_plays_it_takes_the_most_even_and_else_turns() -> None:
    even = table_game({"cc": (3, 3), "cd": (6, 0), "dc": (0, 6), "dd": (0, 0)})
    assert {tuple(mediator(even).plays({"Ann", "Ben"}, n).values()) for n in (1, 2, 3)} == {
        ("c", "c")
    }
    turns = table_game({"cc": (1, 1), "cd": (6, 0), "dc": (0, 6), "dd": (0, 0)})
    played = [tuple(mediator(turns).plays({"Ann", "Ben"}, n).values()) for n in (1, 2, 3)]
    assert played == [("c", "d"), ("d", "c"), ("c", "d")]


def test_of_three_two_hold_the_third_down_and_then_secure_themselves() -> None:
    """Whatever Cem does: after "xx" it gets 0, else 5. Of the two plays that leave it 0, "xy"."""
    pays = dict.fromkeys(("yxx", "yxy", "yyx", "yyy"), (0, 0, 5))
    pays |= {"xxx": (1, 1, 0), "xxy": (1, 1, 0), "xyx": (2, 1, 0), "xyy": (2, 1, 0)}
    three = mediator(table_game(pays, "Ann Ben Cem"))
    assert three.plays({"Ann", "Ben"}, turn=1) == {"Ann": "x", "Ben": "y"}


def test_the_word_for_delegating_is_no_action_of_the_game() -> None:
    acts = {"Ann": ["delegate", "wait"], "Ben": ["delegate", "delegate to the mediator"]}
    cells = [{"play": [a, b], "pays": [0, 0]} for a in acts["Ann"] for b in acts["Ben"]]
    odd = mediator({"agents": ["Ann", "Ben"], "actions": acts, "payoffs": cells})
    assert odd.word not in {*acts["Ann"], *acts["Ben"]}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(x, marks=[] if x == "stag_hunt" else pytest.mark.slow)
        for x in playable(MatrixGame)
    ],
)
async def test_it_plays_every_game_with_a_table_and_the_books_balance(name: str) -> None:
    for character in ("rational", "sloppy", "defector", "random"):
        config = RunConfig.model_validate({"game": name, "seats": {"*": f"embedded:{character}"}})
        outcome = await play("mediation", config)
        assert outcome["payoffs"] == outcome["rewards"], "no deal moves anything"
        assert all(check.sound for check in await verify_run(outcome["run"]))


def test_every_agent_is_promised_what_is_then_played() -> None:
    for name in playable(MatrixGame):
        game = load(name)
        rule = Mediator(StageGame.of(facts_of(game)))
        for row in rule.promised(2):
            assert row["plays"].keys() == set(row["delegating"])
            assert all(x in game.actions[a] for a, x in row["plays"].items())


# A run


async def test_embedded_agents_delegate_where_it_pays_and_the_record_says_who(
    script: Script,
) -> None:
    table = await table_after(script)
    assert [turn["actions"] for turn in table["record"]] == [
        {"Alice": "cooperate", "Bob": "cooperate"}
    ] * 2
    assert [who for _, who in delegated(table["record"])] == [["Alice", "Bob"]] * 2
    assert (table["status"], table.get("contract")) == ("no_deal", None)


async def test_the_mediator_plays_for_who_lets_it_play(script: Script) -> None:
    script["Alice", "act"] = "<ACTION>Let the mediator play.</ACTION>"
    table = await table_after(script)
    assert all("Alice" in who for _, who in delegated(table["record"]))
    assert len(delegated(table["record"])) == len(table["record"])


async def test_who_does_not_delegate_gains_nothing_by_it(script: Script) -> None:
    """Bob is rational; he goes on delegating where it costs him nothing, as Alice sees."""
    script["Alice", "act"] = DEFECT
    table = await table_after(script)
    assert [turn["actions"] for turn in table["record"]] == [
        {"Alice": "defect", "Bob": "defect"}
    ] * 2
    assert [who for _, who in delegated(table["record"])] == [["Bob"]] * 2
    seen = script.shown_to("Alice", "act")[1]
    assert "Bob delegated" in seen


async def test_letters_give_the_rule_in_words_and_as_facts_and_speak_of_no_deal(
    script: Script,
) -> None:
    await table_after(script)
    letter = script.shown_to("Alice", "act")[0]
    for line in (
        "- If all delegate: Alice plays cooperate, Bob plays cooperate.",
        "- If Alice alone delegates: Alice plays defect.",
        "one of: defect, cooperate, delegate.",
    ):
        assert line in letter
    assert facts(letter)["legal"] == ["defect", "cooperate", "delegate"]
    assert facts(letter)["mediator"]["rule"] == mediator("prisoners_dilemma").promised(1)
    assert "PROPOSAL" not in letter


async def test_a_rule_that_depends_on_nobody_else_takes_two_lines(script: Script) -> None:
    await table_after(script, game="public_goods", params={"rounds": 1})
    letter = script.shown_to("Alice", "act")[0]
    assert "- If all delegate: Alice plays give, Bob plays give," in letter
    assert "- If not all delegate: whoever delegates plays keep.\n\nThink" in letter
    assert len(facts(letter)["mediator"]["rule"]) == 15


async def test_what_is_chosen_stays_sealed_until_all_have_chosen(script: Script) -> None:
    secret = "amber-4711"
    script["Alice", "act"] = f"<CONSIDER>{secret}</CONSIDER><s>{secret}</s>{DELEGATE}"
    table = await table_after(script)
    assert not any(secret in letter for letter in script.shown_to("Bob"))
    assert secret not in str(table)


async def test_a_choice_that_is_none_goes_back_with_all_that_could_be_chosen(
    script: Script,
) -> None:
    script["Alice", "act"] = ["<ACTION>abstain</ACTION>", DELEGATE]
    table = await table_after(script, params={"rounds": 1})
    again = script.shown_to("Alice", "act")[1]
    assert "Choose one of: defect, cooperate, delegate." in again
    assert [who for _, who in delegated(table["record"])] == [["Alice", "Bob"]]


async def test_who_passes_has_delegated_nothing(script: Script) -> None:
    script["Alice", "act"] = "I would rather not say."
    table = await table_after(script, params={"rounds": 1})
    (turn,) = table["record"]
    assert turn["actions"] == {"Bob": "defect"}
    assert [who for _, who in delegated(table["record"])] == [["Bob"]]


async def test_people_delegate_in_any_order_over_restarts() -> None:
    config = {"game": "prisoners_dilemma", "params": {"rounds": 2}, "seats": {"*": "human"}}
    run = prepare("mediation", RunConfig.model_validate(config))
    for agents in (("Bob", "Alice"), ("Alice", "Bob")):
        for agent in agents:
            with pytest.raises(Waiting):
                await follow(run)
            assert await answer(run, agent, DELEGATE) is None
    outcome = await follow(run)
    assert outcome["rewards"] == {"Alice": 2, "Bob": 2}


# What it refuses, and what is found out


@pytest.mark.parametrize(("never", "taken"), [("cooperate", "defect"), ("fly", "cooperate")])
async def test_an_agent_that_may_not_do_all_that_a_mediator_could_does_not_delegate(
    script: Script, never: str, taken: str
) -> None:
    mandate = sign_mandate(PrivateKey.new(), agent="Bob", never=(never,))
    script["Bob", "act"] = [DELEGATE, DEFECT]
    given = {"Bob": as_bytes(mandate.envelope).decode()}
    table = await table_after(script, params={"rounds": 1}, mandates=given)
    assert table["record"][0]["actions"]["Bob"] == taken


@brought_by("exchange")
async def test_a_game_without_a_table_of_payoffs_or_with_too_large_a_one_is_refused() -> None:
    why = r"mediation plays matrix, not task_exchange: choose one of cash_grab, "
    with pytest.raises(ValueError, match=why):
        await play("mediation", RunConfig(game="task_exchange"))
    many = RunConfig(game="public_goods", params={"agents": list("ABCDEFGHIJKLM")})
    with pytest.raises(ValueError, match=r"8192 joint actions are too many to enumerate"):
        await play("mediation", many)
    with pytest.raises(ValueError, match=r"8192 joint actions are too many to enumerate"):
        await builder("mediation").compile().ainvoke({"room": many}, context=RunConfig())


async def test_verifying_finds_a_mediator_that_did_not_play_by_its_rule(script: Script) -> None:
    record = (await table_after(script))["record"]
    assert misplayed(DILEMMA, record) == []
    record[1]["actions"]["Bob"] = "defect"
    assert misplayed(DILEMMA, record) == ["turn 2 Bob is 'defect', and should be 'cooperate'"]


async def test_an_export_shows_the_mediators_rule_to_whoever_checks_it(script: Script) -> None:
    """Even one that the operator signed, with the rewards that the forged play would have had."""
    table = await table_after(script)
    assert _checked(table) == ("delegated", True, "played by the rule")
    forged = copy.deepcopy(table)
    forged["record"][1]["actions"]["Bob"] = "defect"
    *_, after = DILEMMA.analysis.replay(forged["record"])
    forged["record"][1]["rewards"] = after.rewards
    forged["settlement"] = {**decide(EvaluatedTable(forged)), "ledger": "paid"}
    what, sound, found = _checked(forged)
    assert (what, sound) == ("delegated", False)
    assert found == "turn 2 Bob is 'defect', and should be 'cooperate'"


def _checked(table: Table) -> tuple[str, bool, str]:
    """What is found of the mediation in a signed export; all else is sound."""
    findings = {one.what: one for one in checked_export(table, "mediation")}
    found = findings.pop("delegated")
    assert all(one.sound for one in findings.values())
    return found.what, found.sound, found.found


@pytest.mark.slow
def test_killed_at_every_write_it_comes_to_the_same_and_is_paid_once(tmp_path: Path) -> None:
    comes_to_the_same(tmp_path, "prisoners_dilemma", "--graph", "mediation")

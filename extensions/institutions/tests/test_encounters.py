"""Encounters: partners change, what each did to others is known, and some go by it."""

from itertools import combinations

import pytest

from shapley_coop import RunConfig, play
from shapley_coop.games import GameError, load
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.storage.home import home


def test_everybody_meets_all_others_before_anybody_again() -> None:
    game = load("encounters", {"agents": ["A", "B", "C", "D", "E", "F"]})
    met = set()
    for turn in range(1, 6):
        pairs = {frozenset((a, game.partner(a, turn))) for a in game.agents}
        assert len(pairs) == 3
        assert not met & pairs
        met |= pairs
    assert met == set(map(frozenset, combinations(game.agents, 2)))
    assert game.partner("A", 6) == game.partner("A", 1)


async def test_who_defects_on_one_is_defected_on_by_the_next_who_never_met_it() -> None:
    seats = {"*": "embedded:tit_for_tat", "Alice": "embedded:defector"}
    room = RunConfig(game="encounters", params={"rounds": 3}, seats=seats)
    outcome = await play("llm_only", room, "reputation")
    game = load("encounters", {"rounds": 3})
    record = (await table_of(home().runs.get("reputation")))["record"]
    first, second, third = (turn["actions"] for turn in record)
    assert [first[agent] for agent in ("Bob", "Carol", "Dave")] == ["cooperate"] * 3
    assert [game.partner("Alice", turn) for turn in (1, 2, 3)] == ["Dave", "Bob", "Carol"]
    assert second["Bob"] == "defect", "Bob has not met Alice, and knows what she did to Dave"
    assert second["Dave"] == second["Carol"] == "cooperate"
    assert third["Carol"] == "defect"
    assert outcome["payoffs"]["Alice"] == 2
    assert sum(outcome["payoffs"].values()) == pytest.approx(
        sum(outcome["credit"]["shapley"].values())
    )
    (letter, *_) = [
        entry.letter_text
        for entry in home().journal.entries(outcome["episode"])
        if entry.agent == "Carol"
    ]
    assert "- Carol: Bob, Dave, Alice" in letter


async def test_rational_agents_agree_to_cooperate_with_whomever_they_meet() -> None:
    outcome = await play("shapley_coop", RunConfig(game="encounters", params={"rounds": 3}))
    assert outcome["status"] == "agreed"
    assert sum(outcome["payoffs"].values()) == 3 * 4
    alone = await play("llm_only", RunConfig(game="encounters", params={"rounds": 3}))
    assert sum(alone["payoffs"].values()) == 0


@pytest.mark.parametrize(
    ("params", "why"),
    [({"agents": ["A", "B", "C"]}, "give an even number, not 3"), ({"rounds": 0}, "rounds")],
)
def test_what_cannot_be_paired_is_refused(params: dict[str, object], why: str) -> None:
    with pytest.raises(GameError, match=why):
        load("encounters", params)


async def test_embedded_agents_agree_on_encounters_and_draft_no_contract_of_them() -> None:
    room = RunConfig(game="encounters", params={"rounds": 2})
    drafted = await play("contracts", room)
    assert drafted["contract"] is None
    assert all(
        "I draft contracts only from a table of payoffs" in said["text"] for said in drafted["talk"]
    )
    assert (await play("shapley_coop", room))["status"] == "agreed"

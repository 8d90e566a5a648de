"""Embedded negotiators answer from the letter alone, each after its own tactic."""

import json
from random import Random
from typing import Any

import pytest

from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.exchange.domain.market import Market
from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.messages.checking import check_message
from shapley_coop.extensions.exchange.messages.written import estimates
from shapley_coop.extensions.exchange.negotiator import Negotiator
from shapley_coop.games import load
from shapley_coop.graphs.running import play
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.embedded.bargaining import Agent
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

GAME = load("task_exchange", {"scenario": "paper_cooperative"})
TRADERS = [
    "utility_aware",
    "corner_jumping",
    "boulware",
    "linear",
    "conceder",
    "tit_for_tat",
    "micro",
]


def offer(turn: int, by: str, alice: str) -> dict[str, Any]:
    """A past proposal as Alice's letter shows it."""
    masks = {"Alice": alice, "Bob": format(63 ^ int(alice, 2), "06b")}
    utility = GAME.scenario.utility("Alice", int(alice, 2))
    return {"turn": turn, "by": by, "masks": masks, "your_utility": utility}


def letter(turn: int = 2, **more: Any) -> dict[str, Any]:
    """The facts of a letter to Alice."""
    facts = {**GAME.facts(), **GAME.private("Alice"), "you": "Alice", "ask": "exchange"}
    facts |= {"turn": turn, "turns": 10, **more}
    if offers := more.get("offers"):
        last = offers[-1]
        if last["by"] != "Alice":
            facts["pending"] = {k: last[k] for k in ("by", "turn", "masks", "your_utility")}
    return json.loads(json.dumps(facts))


def talk(name: str, facts: dict[str, Any], seed: int = 0) -> str:
    neat = CHARACTERS[name].__dict__ | {"sloppiness": 0.0}
    return Negotiator(facts, [], type(CHARACTERS[name])(**neat), Random(seed)).trade()


def asked(text: str) -> int:
    """The mask that Alice asks for itself."""
    verdict = check_message(text, GAME.tasks, "Alice")
    assert verdict.label is None, verdict
    return from_bits(verdict.masks["Alice"], 6)


def worth(mask: int) -> float:
    return GAME.scenario.utility("Alice", mask)


@pytest.mark.parametrize("name", TRADERS)
@pytest.mark.parametrize("turn", [2, 6, 10])
def test_every_negotiator_proposes_a_partition_and_an_estimate(name: str, turn: int) -> None:
    text = talk(name, letter(turn))
    assert worth(asked(text)) >= worth(GAME.tasks.initial["Alice"])
    message = scan(text)
    assert 0 <= estimates(message.consider)["Bob"] <= 1  # type: ignore[union-attr]


@pytest.mark.parametrize("name", TRADERS)
def test_every_negotiator_accepts_its_best_and_rejects_less_than_it_holds(name: str) -> None:
    good = letter(3, offers=[offer(2, "Bob", "000001")])
    assert check_message(talk(name, good), GAME.tasks, "Alice", {}).act == "accept"
    bad = letter(10, offers=[offer(9, "Bob", "001000")])
    answer = check_message(talk(name, bad), GAME.tasks, "Alice", {"Alice": "001000"})
    assert (answer.label, answer.act) == (None, "reject")


def test_time_dependent_tactics_concede_late_steadily_and_early() -> None:
    middle = {name: worth(asked(talk(name, letter(6)))) for name in TRADERS[2:5]}
    assert middle["boulware"] > middle["linear"] > middle["conceder"]
    for name, between in middle.items():
        first, last = (worth(asked(talk(name, letter(turn)))) for turn in (2, 10))
        assert first >= between >= last


def test_tit_for_tat_concedes_as_much_as_the_other_did() -> None:
    mine = offer(2, "Alice", "000001")
    stayed = [offer(3, "Bob", "001000"), mine, offer(5, "Bob", "001000")]
    moved = [offer(3, "Bob", "001000"), mine, offer(5, "Bob", "000110")]
    assert worth(asked(talk("tit_for_tat", letter(6, offers=[mine, *stayed])))) == 1.0
    conceded = worth(asked(talk("tit_for_tat", letter(6, offers=[mine, *moved]))))
    assert 1.0 - (worth(0b000110) - worth(0b001000)) <= conceded < 1.0


def test_micro_puts_one_new_proposal_for_each_new_one_of_the_other() -> None:
    ranked = Market.of(letter()).mine
    first = asked(talk("micro", letter()))
    assert first == ranked[0]
    mine = offer(2, "Alice", GAME.tasks.bits(first))
    answered = [mine, offer(3, "Bob", "001000")]
    assert asked(talk("micro", letter(4, offers=answered))) == ranked[1]
    again = [*answered, offer(4, "Alice", GAME.tasks.bits(ranked[1])), offer(5, "Bob", "001000")]
    assert asked(talk("micro", letter(6, offers=again))) in ranked[:2]


def test_corner_jumping_stays_at_its_extremes_and_jumps() -> None:
    corners = {asked(talk("corner_jumping", letter(8), seed)) for seed in range(20)}
    assert len(corners) > 1
    assert all(worth(mask) >= 0.9 for mask in corners)


def test_a_rational_agent_weighs_the_other_only_where_its_letter_asks_it_to() -> None:
    history = [offer(2, "Alice", "000001"), offer(3, "Bob", "011001")]
    seeds = range(12)
    guided = [talk("rational", letter(4, offers=history, guidance=True), s) for s in seeds]
    aware = [talk("utility_aware", letter(4, offers=history), s) for s in seeds]
    plain = [talk("rational", letter(4, offers=history), s) for s in seeds]
    assert all("<ACCEPT>" in text for text in [*guided, *aware])
    assert any("<ACCEPT>" not in text for text in plain)


def test_only_its_own_part_of_a_proposal_is_looked_at() -> None:
    """So an unchecked proposal that is no partition can be accepted, as models do."""
    facts = letter(3)
    listed = {"Alice": [GAME.tasks.registry.describe(0b000001)], "Bob": ["no such task"]}
    facts["pending"] = {"by": "Bob", "turn": 2, "tasks": listed}
    assert "<ACCEPT>" in talk("linear", facts)
    facts["pending"]["tasks"] = "unreadable"
    assert "<ACCEPT>" not in talk("linear", facts)


def test_carelessness_produces_the_papers_labels() -> None:
    sloppy = type(CHARACTERS["linear"])(**CHARACTERS["linear"].__dict__ | {"sloppiness": 1.0})
    labels = {
        check_message(
            Negotiator(letter(t), [], sloppy, Random(s)).trade(), GAME.tasks, "Alice"
        ).label
        for t in (2, 6, 10)
        for s in range(20)
    }
    assert labels - {None} == {"UNK", "OVL", "MAT"}


def test_a_letter_without_utilities_gets_no_proposal() -> None:
    facts = letter()
    del facts["utilities"]
    answer = Agent(facts, [], CHARACTERS["rational"], Random(0)).answer()
    assert "lacks the utilities of sets of tasks" in answer


@pytest.mark.parametrize("graph", ["negotiation", "short_term", "shapley_coop"])
async def test_where_deals_are_clauses_traders_read_their_own_utilities_too(graph: str) -> None:
    outcome = await play(graph, RunConfig(game="task_exchange"))
    entries = home().journal.entries(outcome["episode"])
    letters = [entry.facts for entry in entries if entry.agent in outcome["agents"]]
    assert all("utilities" in letter for letter in letters)
    kept = {"Alice": 0.75, "Bob": 0.7}  # what the tasks at the start are worth
    assert outcome["status"] == "agreed"
    assert all(float(outcome["payoffs"][agent]) >= kept[agent] for agent in kept)
    assert sum(map(float, outcome["payoffs"].values())) > sum(kept.values())

"""Where an embedded agent cannot look ahead, it acts, keeps its word and says so."""

import json
from random import Random
from typing import Any

import pytest

from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.extension import offered
from shapley_coop.games import foresight_of, load, names
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.embedded.bargaining import Agent

LEGAL = ["north", "east", "south", "west"]
KNOWN: dict[str, Any] = {
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": LEGAL, "Ben": LEGAL},
    "turns": 9,
    "you": "Ann",
    "turn": 3,
    "position": {"turn": 3},
    "round": 1,
    "rounds": 3,
}
BLIND = "I cannot look ahead in this game"


def said(ask: str, name: str = "rational", seed: int = 0, **more: Any) -> Message:
    facts = {**KNOWN, "ask": ask, **more}
    found = scan(Agent(facts, [], CHARACTERS[name], Random(seed)).answer())
    assert isinstance(found, Message)
    return found


@pytest.mark.parametrize("name", sorted(CHARACTERS))
def test_every_character_takes_a_legal_action_that_its_seed_draws(name: str) -> None:
    drawn = [said("act", name, seed, legal=LEGAL[:3]).action for seed in range(40)]
    assert set(drawn) == set(LEGAL[:3])
    assert drawn == [said("act", name, seed, legal=LEGAL[:3]).action for seed in range(40)]


def test_it_says_that_it_cannot_look_ahead() -> None:
    assert BLIND in str(said("act", legal=LEGAL).speech)
    assert BLIND in str(said("propose").speech)
    assert BLIND in json.loads(str(said("reason").consider))["plan"]


@pytest.mark.parametrize("name", sorted(set(CHARACTERS) - {"random"}))
def test_every_character_keeps_what_it_signed(name: str) -> None:
    duty = {"clause": "c1", "action": "west", "forbidden": False}
    forbidden = {"clause": "c2", "action": "north", "forbidden": True}
    for seed in range(20):
        assert said("act", name, seed, legal=LEGAL, duties=[duty]).action == "west"
        assert said("act", name, seed, legal=LEGAL[:2], duties=[forbidden]).action == "east"


def test_what_is_owed_and_not_legal_now_is_not_tried() -> None:
    duty = {"clause": "c1", "action": "west", "forbidden": False}
    assert said("act", legal=["north"], duties=[duty]).action == "north"


PAID = {"kind": "pay", "payer": "Ben", "payee": "Ann", "amount": "2"}
PAYING = {"kind": "pay", "payer": "Ann", "payee": "Ben", "amount": "2"}
OWING = {"kind": "do", "agent": "Ann", "action": "west"}
SPLIT = {"kind": "share", "fractions": {"Ann": "1/2", "Ben": "1/2"}}


@pytest.mark.parametrize("ask", ["answer", "contract_answer", "contract_sign"])
@pytest.mark.parametrize(
    ("clauses", "agrees"),
    [([PAID], True), ([PAID, PAYING], False), ([OWING], False), ([PAID, SPLIT], False)],
)
def test_it_agrees_only_to_what_costs_it_nothing(
    ask: str, clauses: list[dict[str, Any]], agrees: bool
) -> None:
    offer = {"by": "Ben", "clauses": clauses, "drops": []}
    answer = said(ask, offer=offer)
    assert (answer.accept is not None) == agrees
    assert (answer.reject is None) == agrees


def test_it_does_not_give_up_a_payment_that_it_cannot_weigh() -> None:
    offer = {"by": "Ben", "clauses": [PAID], "drops": ["c3"]}
    assert said("contract_answer", offer=offer).reject is not None


def test_without_what_even_this_takes_it_cannot_decide() -> None:
    assert "lacks legal" in str(said("act").speech)
    assert "lacks offer" in str(said("answer").speech)


@pytest.mark.parametrize("game", names())
def test_every_character_acts_in_every_game(game: str) -> None:
    world = load(game)
    position = world.start()
    you = next(agent for agent in world.agents if world.legal(position, agent))
    facts = {**world.facts(), **world.private(you), "you": you, "ask": "act", "turn": 1}
    facts |= {"position": world.view(position, you), "legal": world.legal(position, you)}
    for name, character in CHARACTERS.items():
        found = scan(Agent(facts, [], character, Random(1)).answer())
        assert isinstance(found, Message), name
        assert found.action is not None, name
        assert world.action_label(found.action) in facts["legal"]


@pytest.mark.parametrize("name", ["tit_for_tat", "grim", "contract_breaker", "rational"])
def test_a_table_too_large_for_strategies_is_looked_ahead_in_all_the_same(name: str) -> None:
    """13 agents have 8,192 joint actions; against uniform beliefs each goes to the door."""
    world = load("escape_room", {"agents": [f"A{n}" for n in range(13)]})
    facts = {**world.facts(), "you": "A3", "ask": "act", "turn": 1, "legal": ["lever", "door"]}
    found = scan(Agent(facts, [], CHARACTERS[name], Random(1)).answer())
    assert isinstance(found, Message)
    assert found.action == "door"


def test_a_game_brings_its_own_foresight_or_a_table_or_none() -> None:
    shipped = set(names()) - set(offered("games"))
    brought = {name: foresight_of(load(name).facts()) for name in shipped}
    assert all(brought.values())
    own = {name for name, found in brought.items() if found and found.__name__ != "Enumeration"}
    assert own == {"task_exchange"}


def test_a_letter_names_a_known_game_and_imports_nothing_else() -> None:
    for name in ("os", "catalogue", "pettingzoo.bridge", "/tmp/x.py", 7, ["task_exchange"]):
        assert foresight_of({"game": name}) is None

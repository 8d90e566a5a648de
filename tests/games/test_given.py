"""A program's own game is played as an object; what the run comes to is one, too."""

from collections.abc import Mapping
from typing import Any

import pytest

import shapley_coop
from shapley_coop import play
from tests.games.made_games import TUG


class Tug(shapley_coop.Game):
    """Whoever pulls wins, if the other does not."""

    name = "tug"

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.actions = dict.fromkeys(self.agents, ("pull", "wait"))

    def start(self) -> dict[str, Any]:
        return {"turn": 1}

    def legal(self, position: Mapping[str, Any], agent: str) -> list[str]:
        return ["pull", "wait"]

    def step(self, position: Any, actions: Mapping[str, str]) -> Any:
        from shapley_coop.games import Step

        pulled = [agent for agent in self.agents if actions.get(agent) == "pull"]
        rewards = {agent: 3 if pulled == [agent] else 0 for agent in self.agents}
        return Step({"turn": position["turn"] + 1}, rewards)

    def over(self, position: Mapping[str, Any]) -> bool:
        return bool(position["turn"] > self.turns)

    def rules(self) -> str:
        return "Whoever pulls alone gets 3."

    def facts(self) -> dict[str, Any]:
        return {"game": "tug", "agents": list(self.agents), "turns": self.turns}


def pulls(letter: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": "pull" if facts["you"] == "Ann" else "wait"}


async def test_a_game_is_an_object_and_can_be_played_on_and_verified_without_it() -> None:
    game = Tug({"agents": ["Ann", "Ben"], "rounds": 2}, seed=7)
    outcome = await play("llm_only", game=game, seats={"*": pulls})
    assert (outcome.payoffs, outcome["seed"], outcome["game"]) == ({"Ann": 6, "Ben": 0}, 7, "Tug")
    assert outcome.verify()


async def test_a_game_is_the_content_of_a_payoff_file_or_what_load_game_made() -> None:
    table = {**TUG, "absent": "wait"}
    for game in (table, shapley_coop.load_game(table)):
        outcome = await play("llm_only", game=game, seats={"*": pulls})
        assert outcome.payoffs == {"Ann": 3, "Ben": -1}
        assert outcome.verify()
    loaded = shapley_coop.load_game("escape_room", {"prize": 20}, seed=3)
    outcome = await play("llm_only", game=loaded)
    assert (outcome["game"], outcome["seed"]) == ("escape_room", 3)


class Loaded(Tug):
    """Made with what is in no parameter."""

    def __init__(self, params: Any = None, seed: int = 0, prize: int = 3) -> None:
        super().__init__(params, seed)
        self.prize = prize

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "prize": self.prize}


async def test_a_game_that_could_not_be_built_again_is_refused() -> None:
    class Here(Tug):
        """No module has it."""

    for game, told in (
        (Here(), "Here is defined inside a function"),
        (Loaded(prize=5), "Loaded changes when it is built again"),
    ):
        with pytest.raises(ValueError, match=told):
            await play("llm_only", game=game, seats={"*": pulls})


async def test_an_outcome_is_a_dictionary_with_attributes_and_a_table_for_notebooks() -> None:
    outcome = await play("shapley_coop", game="escape_room", seed=3)
    assert outcome["payoffs"] == outcome.payoffs == {"Alice": 4.5, "Bob": 4.5}
    assert outcome.contract
    assert outcome.contract.text() == outcome["contract"]["text"]
    assert outcome.credit["shapley"] == outcome["credit"]["shapley"]
    page = outcome._repr_html_()
    assert "<td>Alice</td><td>embedded:rational</td><td>4.5</td>" in page
    outcome["seats"]["Alice"] = "<script>"
    assert "<script>" not in outcome._repr_html_()

"""The labels by which threads are searched name a game as a caller names it."""

from typing import Any

from shapley_coop.extensions.server.serving.labels import labels
from shapley_coop.games.catalogue import read
from shapley_coop.graphs.finding import run_of
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.listing import list_line
from shapley_coop.state.run_config import RunConfig


async def test_a_game_of_a_file_is_labelled_and_listed_by_its_name() -> None:
    for game in ("stag_hunt", "prisoners_dilemma", "escape_room"):
        await play("llm_only", RunConfig(game=game), game)
        run = await run_of(game)
        assert labels(await table_of(run))["game"] == game
        assert list_line(run)["game"] == game


async def test_an_own_table_is_labelled_by_its_title() -> None:
    own = {**read("stag_hunt"), "name": "Our Hunt"}
    await play("llm_only", RunConfig(game=own), "own")
    assert labels(await table_of(await run_of("own")))["game"] == "Our Hunt"


def test_a_conversation_that_has_played_is_labelled_by_its_run() -> None:
    outcome = {"episode": "an-episode", "game": "Stag Hunt"}
    waiting: dict[str, Any] = {"messages": [], "game": {"game": "stag_hunt", "params": {}}}
    assert labels(waiting) == {}
    played = {"run": "chat-1", "game": "stag_hunt", "episode": "an-episode"}
    assert labels({**waiting, "run": "chat-1", "outcome": outcome}) == played
    assert labels({"run": "a foreign graph's", "outcome": "lots"}) == {}

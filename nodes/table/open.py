"""Open an episode: resolve the room, mint the episode's id, set the table."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from shapley_coop.state import Opening, RunConfig, game_of


def opening(game: str) -> Callable[[Opening, Runtime[RunConfig]], dict[str, Any]]:
    """The first node of a workflow.

    Args:
        game: what it plays when the configuration names no game.
    """

    def open_episode(opening: Opening, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        room = opening.room or runtime.context or RunConfig()
        if "game" not in room.model_fields_set:
            room = room.model_copy(update={"game": game})
        # On the table it is resolved: it need not be in every checkpoint as given, too.
        given: dict[str, Any] = {"room": None} if opening.room else {}
        return {**set_table(room.resolve()), **given}

    return open_episode


def set_table(room: RunConfig) -> dict[str, Any]:
    """Set the table for one play, whatever was on it before.

    The room is the input's, else the context's, else the default one. Opening is the only node
    that reads the context, so that resuming with another one changes nothing.
    """
    settings = room.model_dump(mode="json")
    game = game_of(settings)
    game.make_ready()
    return {
        "episode": uuid4().hex,
        "settings": settings,
        "agents": list(game.agents),
        "position": game.start(),
        "record": Overwrite([]),
        "talk": Overwrite([]),
        "thoughts": None,
        "reasoned": Overwrite([]),
        "sealed": None,
        "answers": None,
        "claims": None,
        "round": 1,
        "speaker": game.agents[0],
        "revision": 0,
        "offer": None,
        "verdict": "",
        "lapsed": None,
        "contract": None,
        "amendments": [],
        "accounts": None,
        "reckoning": None,
        "settlement": None,
        "status": "open",
        "spent": Overwrite({}),
    }

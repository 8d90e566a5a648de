"""Open an episode: resolve the room, fix the episode's id, set the table."""

from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from shapley_coop.state import Opening, RunConfig, game_of, home


class Reopening(Opening):
    """The input, and what is on the thread's table from before."""

    episode: str = ""


def opening(game: str) -> Callable[[Reopening, Runtime[RunConfig]], dict[str, Any]]:
    """The first node of a workflow.

    Args:
        game: what it plays when the configuration names no game.
    """

    def open_episode(opening: Reopening, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        room = opening.room or runtime.context or RunConfig()
        if "game" not in room.model_fields_set:
            room = room.model_copy(update={"game": game})
        # On the table it is resolved: it need not be in every checkpoint as given, too.
        given: dict[str, Any] = {"room": None} if opening.room else {}
        resolved, previous = room.resolve(), opening.episode
        if opening.idempotency_key:
            previous = home().runs.bind(opening.idempotency_key, resolved.model_dump(mode="json"))
        return {**set_table(resolved, home().episodes.after(previous)), **given}

    return open_episode


def set_table(room: RunConfig, episode: str) -> dict[str, Any]:
    """Set the table for one play, whatever was on it before.

    Args:
        room: the input's, else the context's, else the default one. Opening is the only node that
            reads the context, so that resuming with another one changes nothing.
        episode: the id of the play.
    """
    settings = room.model_dump(mode="json")
    game = game_of(settings)
    game.make_ready()
    return {
        "episode": episode,
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

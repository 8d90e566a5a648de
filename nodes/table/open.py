"""The node that opens an episode; it resolves the configuration and writes the initial table."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from shapley_coop.games import Game
from shapley_coop.state.additions import check_begin, set_aside
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of, settings_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Opening, Table
from shapley_coop.state.traces import label_root
from shapley_coop.state.workflow_config import check_kind, configuration, with_params

_CLEARED = {
    "thoughts": None,
    "notes": None,
    "drafts": None,
    "sealed": None,
    "answers": None,
    "claims": None,
    "round": 1,
    "revision": 0,
    "offer": None,
    "verdict": "",
    "lapsed": None,
    "contract": None,
    "accounts": None,
    "reckoning": None,
    "settlement": None,
    "outcome": None,
    "status": "open",
}
"""The table's initial values that depend on neither the game nor the configuration."""


class Reopening(Opening):
    """The workflow's input, and the id of the last episode on this thread, if there was one."""

    episode: str = ""


class Page(Protocol):
    """The attributes of a workflow's builder that this node reads (`graphs.workflow`)."""

    name: str
    plays: type[Game]
    check_game: Callable[[Game], object]
    check_config: Callable[[RunConfig], object]
    params: Mapping[str, Any]


def open_node(
    page: Page, config: type[RunConfig], start: Mapping[str, Any]
) -> Callable[[Reopening, Runtime[RunConfig]], dict[str, Any]]:
    """Return the first node of a workflow.

    Args:
        page: the builder of the workflow.
        config: the workflow's configuration class, which has the default game.
        start: the initial values of the keys that this workflow adds to the table.
    """

    def open_episode(opening: Reopening, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        room = configuration(config, runtime.context, opening.room)
        room = with_params(room, config.model_fields["game"].default, page.params)
        # The table gets the resolved settings, so keep the raw input out of later checkpoints.
        given: dict[str, Any] = {"room": None} if opening.room else {}
        resolved, previous = room.resolve(), opening.episode
        page.check_config(resolved)
        if opening.idempotency_key:
            previous = home().runs.bind(opening.idempotency_key, settings_of(resolved))
        episode = home().episodes.after(previous, lambda: check_begin(resolved))
        table = set_table(resolved, episode, page.plays, page.name)
        page.check_game(game_of(table["settings"]))
        label_root(cast(Table, table))
        return {**table, **start, **given}

    return open_episode


def set_table(
    room: RunConfig, episode: str, plays: type[Game] = Game, workflow: str = ""
) -> dict[str, Any]:
    """Return the initial table of an episode, which replaces any earlier table of the thread.

    Resuming a run with another LangGraph context has no effect, because only this node reads the
    context.

    Args:
        room: the resolved configuration.
        episode: the id of the episode.
        plays: the class of games that the workflow can play.
        workflow: the name of the workflow.

    Raises:
        ValueError: the game is not of the class `plays`, or cannot be played on this machine.
    """
    settings = settings_of(room)
    game = game_of(settings)
    check_kind(game, plays)
    game.make_ready()
    return {
        **_CLEARED,
        "episode": episode,
        "settings": settings,
        "aside": set_aside(room, episode, workflow),
        "agents": list(game.agents),
        "position": game.start(),
        "speaker": game.agents[0],
        "record": Overwrite([]),
        "talk": Overwrite([]),
        "reasoned": Overwrite([]),
        "amendments": [],
        "spent": Overwrite({}),
    }

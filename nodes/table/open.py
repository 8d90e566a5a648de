"""Open an episode: resolve the configuration, fix the episode's id, set the table."""

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
"""What no game and no configuration decides, as an episode begins."""


class Reopening(Opening):
    """The input, and what is on the thread's table from before."""

    episode: str = ""


class Page(Protocol):
    """What of a workflow's page opening it reads; see `graphs.workflow.WorkflowBuilder`."""

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
        page: the workflow's.
        config: its form of the configuration, with its default game.
        start: what the keys of its own table begin with.
    """

    def open_episode(opening: Reopening, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        room = configuration(config, runtime.context, opening.room)
        room = with_params(room, config.model_fields["game"].default, page.params)
        # On the table it is resolved: it need not be in every checkpoint as given, too.
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
    """Set the table for one play, whatever was on it before.

    The configuration is that of the input and the context, and the default where neither sets any.
    Opening is the only node that reads the context, so that resuming with another one changes
    nothing.

    Args:
        room: the resolved configuration.
        episode: the id of the play.
        plays: the kind of game that the workflow can play.
        workflow: the workflow's name.

    Raises:
        ValueError: it is no game of that kind, or cannot be played here.
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

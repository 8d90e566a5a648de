"""The node that opens an episode; it resolves the configuration and writes the initial table."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from shapley_coop.games import Game
from shapley_coop.state.additions import check_begin, set_aside
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Opening, Table
from shapley_coop.state.traces import label_root
from shapley_coop.state.workflow_config import configuration

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
    """The part of a workflow's builder that this node uses (`graphs.workflow`)."""

    name: str

    def admit(self, config: RunConfig) -> tuple[RunConfig, dict[str, Any], Game]:
        """Return the resolved configuration, its settings and its game."""


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
        given = configuration(config, runtime.context, opening.room)
        resolved, settings, game = page.admit(given)
        previous = opening.episode
        if opening.idempotency_key:
            previous = home().runs.bind(opening.idempotency_key, settings)
        episode = home().episodes.after(previous, lambda: check_begin(resolved))
        aside = set_aside(resolved, episode, page.name)
        table = {**set_table(game), "episode": episode, "settings": settings, "aside": aside}
        label_root(cast(Table, table))
        # The table has the resolved settings, so keep the raw input out of later checkpoints.
        return {**table, **start, **({"room": None} if opening.room else {})}

    return open_episode


def set_table(game: Game) -> dict[str, Any]:
    """Return a game's initial table, which replaces any earlier table of the thread."""
    return {
        **_CLEARED,
        "agents": list(game.agents),
        "position": game.start(),
        "speaker": game.agents[0],
        "record": Overwrite([]),
        "talk": Overwrite([]),
        "reasoned": Overwrite([]),
        "amendments": [],
        "spent": Overwrite({}),
    }

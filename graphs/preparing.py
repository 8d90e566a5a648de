"""The preparation of a run: all checks that are possible before the run is registered."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from shapley_coop.games.catalogue import title
from shapley_coop.games.game import opening_view
from shapley_coop.graphs.catalogue import builder, version
from shapley_coop.invalid import first_error
from shapley_coop.prompts import check_pack
from shapley_coop.seats.models import check_seat
from shapley_coop.state.additions import check_begin
from shapley_coop.state.home_files.kept import pack_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.at_rest import check_key
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run

MOST_OF_A_TITLE = 40
"""The largest number of characters of a game's title in a run's name."""


def prepare(
    graph: str,
    config: RunConfig | Mapping[str, Any],
    run: str = "",
    idempotency_key: str = "",
) -> Run:
    """Check the configuration, enter the run in the register, and return the run.

    Args:
        graph: the name of the workflow.
        config: the configuration.
        run: the name of the new run; if it is "", a name is generated.
        idempotency_key: the caller's key; repeating a request with this key returns the same run.

    Raises:
        ValueError: the workflow, the game, a parameter, an agent or a seat is invalid, an extension
            forbids the run, or the key was used for another request.
        CredentialsMissing: the API key of a seat's model is not set.
    """
    check_key()
    resolved, settings, played = builder(graph).admit(_validate(config))
    for seat in resolved.seats.values():
        check_seat(seat, played.actions, partial(opening_view, played))
    check_pack(pack_of(resolved.prompts))
    game = re.sub(r"[^\w]+", "_", title(resolved.game)).strip("_")[:MOST_OF_A_TITLE]
    name = _name(run) if run else f"{game or 'game'}-{uuid4().hex[:8]}"
    if known := home().runs.begun(graph, settings, idempotency_key):
        return known
    check_begin(resolved)
    return home().runs.begin(name, graph, settings, version(graph), idempotency_key)


def _validate(config: RunConfig | Mapping[str, Any]) -> RunConfig:
    """Return the configuration; a mapping is validated and converted."""
    if isinstance(config, RunConfig):
        return config
    try:
        return RunConfig.model_validate(config)
    except ValidationError as error:
        raise ValueError(str(first_error(error, RunConfig))) from None


def _name(run: str) -> str:
    """Return a run's name; refuse one that does not fit into commands, file names and URLs."""
    if not re.fullmatch(r"[^\W_][\w.,=+@-]{0,79}", run):
        raise ValueError(
            f"{run[:100]!r} cannot name a run: give 1 to 80 letters, digits, and any of _ . , = + "
            "@ -, with a letter or digit first"
        )
    return run

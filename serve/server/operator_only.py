"""The limits that only a server's operator sets: endpoints that get keys, and game programs."""

import json
import os

from shapley_coop.games.catalogue import run_only
from shapley_coop.seats.keys import bind_keys, key_urls

GAME_FILES = "COOP_GAME_FILES"
"""The variable with a JSON list of the Python files and imports given to `coop dev --game`."""


def restrict() -> None:
    """Restrict this process to the endpoints for keys and the programs that its environment lists.

    The server calls this before it reads a checkpoint, so before any run is played.

    Raises:
        ValueError: the environment's lists cannot be read.
    """
    key_urls()
    bind_keys()
    run_only(json.loads(os.environ.get(GAME_FILES) or "[]"))

"""What on a server only its operator names: the endpoints of keys, and the programs of games."""

import json
import os

from shapley_coop.games.catalogue import run_only
from shapley_coop.seats.keys import bind_keys, key_urls

GAME_FILES = "COOP_GAME_FILES"
"""A JSON list of the Python files and imports that `coop dev --game` names."""


def restrict() -> None:
    """From now on send keys to, and run, only what this process's environment lists.

    Called before the first checkpoint is read, so before any run is played.

    Raises:
        ValueError: the environment's lists cannot be read.
    """
    key_urls()
    bind_keys()
    run_only(json.loads(os.environ.get(GAME_FILES) or "[]"))

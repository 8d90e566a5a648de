"""The operator's restrictions: which endpoints get keys, and which game programs may load."""

import json
import os

from shapley_coop.games.catalogue import run_only
from shapley_coop.seats.keys import bind_keys, key_urls

GAME_FILES = "COOP_GAME_FILES"
"""The variable with a JSON list of the Python files and imports given to `coop dev --game`."""


def restrict() -> None:
    """Restrict keys to the endpoints, and games to the programs, that the environment lists.

    The server calls this before it reads any checkpoint or plays any run.

    Raises:
        ValueError: the environment's lists cannot be read.
    """
    key_urls()
    bind_keys()
    run_only(json.loads(os.environ.get(GAME_FILES) or "[]"))

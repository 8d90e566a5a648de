"""Reading YAML and JSON files that people give."""

import json
from pathlib import Path
from typing import Any

import yaml

from shapley_coop.files import TooLarge, text_of, yaml_of
from shapley_coop.games.params import GameError


def read_file(path: str | Path, what: str) -> Any:
    """What a YAML or JSON file holds.

    Args:
        path: of the file; JSON ends in .json.
        what: what the file is to be, as in "a game".

    Raises:
        GameError: it cannot be read; one line, which quotes nothing of the file.
    """
    path = Path(path)
    try:
        text = text_of(path)
        return json.loads(text) if path.suffix == ".json" else yaml_of(text)
    except OSError as error:
        raise GameError(f"{path}: cannot be read as {what}: {error.strerror or error}") from None
    except TooLarge as error:
        raise GameError(f"{path}: cannot be read as {what}: {error}") from None
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else getattr(error, "lineno", 0)
        kind = type(error).__name__
        at = f"{kind} at line {line}" if line else kind
        raise GameError(f"{path}: cannot be read as {what}: no YAML or JSON ({at})") from None

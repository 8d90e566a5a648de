"""Reading YAML and JSON files that people wrote; every error is one line with place and reason.

>>> from pathlib import Path
>>> from tempfile import mkdtemp
>>> file = Path(mkdtemp()) / "game.yaml"
>>> _ = file.write_text("name: tug", encoding="utf-8")
>>> read_mapping(file, "a game", "give name and agents")
{'name': 'tug'}
"""

import json
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

_MAX_REASON_CHARS = 300
Problem = type[ValueError]

MOST_BYTES = 256 * 2**20
"""The most bytes that are read from a file, because a device may never end."""

_MOST_REPEATED = 1_000_000
"""The most values that YAML aliases and merges (`<<`) may add: 340 bytes can expand to billions."""


class TooLarge(ValueError):
    """The error raised if a file is too large to be read."""


def text_of(path: str | Path, *, encoding: str = "utf-8") -> str:
    """Return the text of a file that may come from a stranger.

    Raises:
        OSError: the file cannot be read.
        TooLarge: the file has more than `MOST_BYTES`.
        UnicodeDecodeError: the file is not in the given encoding.
    """
    return bytes_of(path).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def bytes_of(path: str | Path) -> bytes:
    """Return the bytes of a file that may come from a stranger.

    Raises:
        OSError: the file cannot be read.
        TooLarge: the file has more than `MOST_BYTES`.
    """
    with Path(path).open("rb") as file:
        found = file.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise TooLarge(f"it has more than {MOST_BYTES >> 20} MB")
    return found


def yaml_of(text: str) -> Any:
    """Return the plain data of a YAML text.

    Raises:
        yaml.YAMLError: the text is not YAML, names a Python object, or repeats too much.
    """
    import yaml

    loader = yaml.SafeLoader(text)
    node = loader.get_single_node()
    if node is None:
        return None
    # Without aliases, a text has no more values than characters, so `_size` is at most 2 · length.
    if _size(node, {}) > 2 * len(text) + _MOST_REPEATED:
        raise _refuse(f"its aliases repeat more than {_MOST_REPEATED} values", node)
    return loader.construct_document(node)


def _size(node: Any, sizes: dict[int, int]) -> int:
    """Return the total number of values and characters in a YAML node, with aliases expanded."""
    if (known := sizes.get(id(node))) is not None:
        if not known:
            raise _refuse("an alias is inside the value that it repeats", node)
        return known
    sizes[id(node)] = 0  # the size is 0 while the node is being counted
    if isinstance(node.value, str):
        found = 1 + len(node.value)
    else:
        parts = (part for one in node.value for part in (one if isinstance(one, tuple) else (one,)))
        found = 1 + sum(_size(part, sizes) for part in parts)
    sizes[id(node)] = found
    return found


def _refuse(why: str, node: Any) -> Exception:
    import yaml

    error: Exception = yaml.constructor.ConstructorError(None, None, why, node.start_mark)
    return error


def read_text(path: str | Path, kind: str, *, problem: Problem = ValueError) -> str:
    """Read a file as text.

    Args:
        path: the file.
        kind: what the file should contain, with its article, as errors name it: `a game`.
        problem: the class of the error to raise.

    Raises:
        ValueError: the file cannot be read, or is not UTF-8; raised as `problem`.
    """
    try:
        return text_of(path, encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
    except UnicodeDecodeError:
        reason = "it cannot be decoded as UTF-8"
    except TooLarge as error:
        reason = str(error)
    raise problem(f"{path}: cannot be read as {kind}: {reason}")


def read_json(path: str | Path, kind: str = "JSON", *, problem: Problem = ValueError) -> Any:
    """Read a JSON file; a repeated key in an object, NaN and Infinity are errors.

    Args:
        path: the file.
        kind: the expected content, as errors name it, with its article.
        problem: the class of the error to raise.

    Raises:
        ValueError: the file cannot be read, or has one of these errors; raised as `problem`.
    """
    text = read_text(path, kind, problem=problem)
    try:
        return json_of(text)
    except (ValueError, RecursionError) as error:
        raise problem(f"{path}: cannot be read as {kind}: {_reason(error)}") from None


def read_data(
    path: str | Path, kind: str, *, private: bool = False, problem: Problem = ValueError
) -> Any:
    """Read a YAML file, or a JSON file if its name ends in .json.

    Args:
        path: the file.
        kind: the expected content, as errors name it, with its article.
        private: whether the error must not quote the file; the parsers' own messages quote it.
        problem: the class of the error to raise.

    Raises:
        ValueError: the file cannot be read or parsed; raised as `problem`.
    """
    import yaml

    text = read_text(path, kind, problem=problem)
    is_json = Path(path).suffix == ".json"
    try:
        return json_of(text) if is_json else yaml_of(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = f"it is no {'JSON' if is_json else 'YAML'}{_line(error)}"
        reason = reason if private else _reason(error)
        raise problem(f"{path}: cannot be read as {kind}: {reason}") from None


def read_mapping(
    path: str | Path,
    kind: str,
    hint: str,
    *,
    private: bool = False,
    problem: Problem = ValueError,
) -> dict[str, Any]:
    """Read a mapping from a YAML or JSON file.

    Args:
        path: the file.
        kind: the expected content, as errors name it, with its article.
        hint: the correction in the error: `give name and agents`.
        private: whether the message must not quote the file.
        problem: the class of the error to raise.

    Raises:
        ValueError: the file cannot be read or parsed, or is not a mapping; raised as `problem`.
    """
    content = read_data(path, kind, private=private, problem=problem)
    if not isinstance(content, dict):
        raise problem(f"{path}: contains no {kind.removeprefix('an ').removeprefix('a ')}: {hint}")
    return content


def no_such(kind: str, name: str, known: Iterable[str], instead: str = "") -> str:
    """Return a line that says that a name is unknown, which names exist, and which is nearest.

    >>> no_such("norm", "shaply", ["equal", "shapley"])
    "no norm 'shaply': there are equal, shapley; did you mean 'shapley'?"
    """
    known = list(known)
    meant = did_you_mean(name, known).removeprefix(":")
    told = f"no {kind} {name[:200]!r}: there are {', '.join(known)}{instead and f', {instead}'}"
    return f"{told};{meant}" if meant else told


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the question whether the nearest known word was meant; "" if no word is near.

    >>> did_you_mean("ronds", ["rounds", "seed"])
    ": did you mean 'rounds'?"
    """
    near = get_close_matches(word, known, n=1)
    return f": did you mean {near[0]!r}?" if near else ""


def json_of(text: str) -> Any:
    """Return the value of a JSON text whose keys are unique and whose numbers are finite."""
    return json.loads(text, object_pairs_hook=unique_keys, parse_constant=no_number)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dictionary of an object's key-value pairs, for a JSON decoder.

    Raises:
        ValueError: a key occurs twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object: give it once")
    return found


def no_number(constant: str) -> Any:
    """Refuse NaN and Infinity; a JSON decoder calls this function."""
    raise ValueError(f"{constant} is not a number: a finite number is needed")


def _line(error: BaseException) -> str:
    """Return the line at which a parser stopped, as " (line 3)"; "" if unknown."""
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else getattr(error, "lineno", 0)
    return f" (line {line})" if line else ""


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if problem := getattr(error, "problem", ""):  # YAML's reason, without its excerpt of lines
        return f"it is no YAML{_line(error)}: {problem}"
    return " ".join(str(error).split())[:_MAX_REASON_CHARS]

"""Lines of a sweep's files: what they are, read one at a time, and what an index keeps of each."""

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
"""What a call's cost depends on; the last two are parts of the first two, 0 where nobody says."""

_BLOCK = 1 << 20


class Line(NamedTuple):
    """What the index knows of one line.

    Attributes:
        offset: of its first byte in the file.
        length: in bytes, with its newline.
        crc: CRC-32 of its bytes.
        cell: whose it is.
        suite: the cell's.
        labels: the cell's, as JSON.
        seed: the cell's.
        repetition: the cell's.
        game: the name of what was played; empty where it stands in the row itself.
        calls: to seats, by the run's result; 0 where it has none.
        spent: JSON: model, whether in batches, and tokens as in `COUNTS`, for each of these.
    """

    offset: int
    length: int
    crc: int
    cell: str
    suite: str
    labels: str
    seed: int
    repetition: int
    game: str
    calls: int
    spent: str

    @property
    def tokens(self) -> list[dict[str, Any]]:
        """A record for each model, as `Prices.cost` takes them."""
        named = ("model", "batched", *COUNTS)
        return [dict(zip(named, record, strict=True)) for record in json.loads(self.spent)]


def files_of(folder: Path, kind: str) -> list[Path]:
    """The files that hold lines of a kind, of all shards; no pipe or device, which never ends."""
    return [path for path in sorted(folder.glob(f"{kind}*.jsonl")) if path.is_file()]


def line_of(row: Mapping[str, Any], data: bytes, offset: int) -> Line:
    """What the index keeps of a line, by what it says, its bytes and where they begin."""
    spent: dict[tuple[str, bool], Counter[str]] = {}
    for call in row.get("calls", ()):
        tokens = {name: call.get(name, 0) for name in COUNTS}
        kind = (call["model"], call.get("batched", False))
        spent.setdefault(kind, Counter()).update(tokens)
    shown = [[*kind, *(tokens[name] for name in COUNTS)] for kind, tokens in spent.items()]
    game = row.get("room", {}).get("game")
    return Line(
        offset,
        len(data),
        zlib.crc32(data),
        row["cell"],
        row.get("suite", ""),
        json.dumps(row.get("labels", {})),
        row.get("seed", 0),
        row.get("repetition", 0),
        game if isinstance(game, str) else "",
        row.get("result", {}).get("usage", {}).get("calls", 0),
        json.dumps(shown),
    )


def whole_lines(
    path: Path, offset: int = 0, before: int = 0
) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Every line that ends in a newline, as bytes and as what they say; one is held at a time.

    Args:
        path: the file.
        offset: where to begin.
        before: how many lines are in front of it, for the message.

    Raises:
        ValueError: a line is no JSON object.
    """
    with path.open("rb") as file:
        file.seek(offset)
        for number, data in enumerate(file, start=before + 1):
            if not data.endswith(b"\n"):
                return  # a writer was killed here
            yield data, parse(data, f"{path}:{number}")


def parse(data: bytes, where: str) -> dict[str, Any]:
    """One line as an object.

    Raises:
        ValueError: it is none.
    """
    try:
        line = json.loads(data)
    except ValueError:
        line = None
    if not isinstance(line, dict):
        raise ValueError(f"{where} is no JSON: restore it or delete the line")
    return line


def crc_of(path: Path, size: int) -> int | None:
    """CRC-32 of a file's first bytes; None where it has fewer."""
    crc = 0
    with path.open("rb") as file:
        while size and (data := file.read(min(size, _BLOCK))):
            crc, size = zlib.crc32(data, crc), size - len(data)
    return None if size else crc

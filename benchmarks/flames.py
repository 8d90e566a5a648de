"""Flame graphs: an SVG of sampled stacks, in which what is wide takes long, or much memory.

Each box is a function; its width is its share of the CPU time, and what it calls stands above it.
A browser shows a box's name and share where the pointer rests.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from benchmarks.profile import ROOT, Stack, owner, sampled, shares

FOLDER = ROOT / "build" / "flames"
"""Where they are written: nothing of them is committed."""

_WIDTH, _ROW, _HEAD = 1600, 17, 34
_LEAST = 0.001
"""The share of the smallest box that is drawn."""
_LOOK = 0.1
"""Seconds between two looks for a file."""
_LETTER = 6.5
"""Pixels of a letter."""

_HUES = {"ours": 30, "langgraph": 200, "langchain_core": 130, "sqlalchemy": 280, "": 0}


@dataclass
class _Box:
    """A function as one caller calls it: its seconds, and the functions that it calls."""

    name: str
    file: str
    seconds: float = 0.0
    calls: dict[str, "_Box"] = field(default_factory=dict)


@contextmanager
def profiled(name: str, title: str) -> Iterator[dict[str, float]]:
    """Where the CPU time of the block goes: part → its share, filled in when the block ends.

    Args:
        name: of the flame graph that is written, too; see `write_flames`.
        title: what is measured.
    """
    found: dict[str, float] = {}
    with sampled() as stacks:
        yield found
    found.update(shares(stacks))
    write_flames(name, title, stacks)


def profiled_while(file: Path, name: str, title: str) -> None:
    """Have a thread of this process write a flame graph whenever a file was there for a while."""

    def watch() -> None:
        while True:
            if file.exists():
                with sampled() as stacks:
                    while file.exists():
                        time.sleep(_LOOK)
                write_flames(name, title, stacks)
            time.sleep(_LOOK)

    threading.Thread(target=watch, daemon=True).start()


def write_flames(
    name: str, title: str, stacks: Mapping[Stack, float], unit: str = "s of CPU time"
) -> Path:
    """Write a flame graph to `build/flames/NAME.svg`.

    Args:
        name: of the file.
        title: what was measured.
        stacks: from `benchmarks.profile.sampled`, or other amounts by stack.
        unit: of the amounts.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.svg"
    part = FOLDER / f"{name}.part"
    part.write_text(flames(title, stacks, unit), encoding="utf-8")
    return part.replace(path)  # whoever waits for it finds all of it


def flames(title: str, stacks: Mapping[Stack, float], unit: str = "s of CPU time") -> str:
    """The SVG; see `write_flames`."""
    root = _Box(title, "")
    for stack, seconds in stacks.items():
        box = root
        box.seconds += seconds
        for code in stack:
            key = f"{code.co_qualname} {code.co_filename}"
            box = box.calls.setdefault(key, _Box(code.co_qualname, code.co_filename))
            box.seconds += seconds
    depth = max(map(len, stacks), default=0) + 1
    drawn = list[str]()
    _draw(root, 0.0, 0, depth, root.seconds or 1, drawn)
    height = _HEAD + depth * _ROW
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        'font-family="monospace" font-size="11">'
        f'<text x="8" y="20" font-size="14">{escape(title)}: '
        f"{root.seconds:.2f} {unit}</text>"
    )
    return "\n".join([head, *drawn, "</svg>", ""])


def _draw(box: _Box, left: float, level: int, depth: int, total: float, drawn: list[str]) -> None:
    """Draw a box, and above it what it calls; `left` is in seconds."""
    share = box.seconds / total
    if share < _LEAST:
        return
    x, width = _WIDTH * left / total, _WIDTH * share
    y = _HEAD + (depth - level - 1) * _ROW
    part = owner(box.file)
    hue = _HUES.get(part.partition(":")[0], 60)
    color = f"hsl({hue},{70 if part else 0}%,{72 + level % 3 * 4}%)"
    told = escape(f"{box.name} ({part or 'other'}): {share:.1%}")
    shown = escape(box.name[: int(width / _LETTER)]) if width > 3 * _LETTER else ""
    drawn.append(
        f'<g><title>{told}</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" '
        f'height="{_ROW - 1}" fill="{color}"/><text x="{x + 2:.1f}" y="{y + 12}">{shown}</text></g>'
    )
    for called in sorted(box.calls.values(), key=lambda one: -one.seconds):
        _draw(called, left, level + 1, depth, total, drawn)
        left += called.seconds

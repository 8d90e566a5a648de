"""The templates of the letters that ask the members of groups."""

from pathlib import Path

_HERE = Path(__file__).parent / "delegates"

ELECT = (_HERE / "elect.md").read_text(encoding="utf-8")
RATIFY = (_HERE / "ratify.md").read_text(encoding="utf-8")

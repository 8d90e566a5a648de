"""The templates of letters to members of groups, and of letters' text on delegates."""

from pathlib import Path

_HERE = Path(__file__).parent / "delegates"

ELECT = (_HERE / "elect.md").read_text(encoding="utf-8")
COURSE = (_HERE / "elect_course.md").read_text(encoding="utf-8")
RATIFY = (_HERE / "ratify.md").read_text(encoding="utf-8")

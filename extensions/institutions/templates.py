"""The templates of letters to groups' members, and of the text on delegates in other letters."""

from pathlib import Path

_HERE = Path(__file__).parent / "delegates"

ELECT = (_HERE / "elect.md").read_text(encoding="utf-8")
COURSE = (_HERE / "elect_course.md").read_text(encoding="utf-8")
RATIFY = (_HERE / "ratify.md").read_text(encoding="utf-8")

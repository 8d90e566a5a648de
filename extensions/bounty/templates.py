"""The templates of the letter that asks about a bounty's split."""

from pathlib import Path

_HERE = Path(__file__).parent / "asking"

ANSWER = (_HERE / "answer_bounty.md").read_text(encoding="utf-8")
TABLE = (_HERE / "bounty_table.md").read_text(encoding="utf-8")

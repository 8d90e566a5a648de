"""The prompt templates of the talk over tasks: its system part and its two letters."""

from pathlib import Path

_HERE = Path(__file__).parent

TABLE = (_HERE / "exchange_table.md").read_text(encoding="utf-8")
CONSIDER = (_HERE / "consider.md").read_text(encoding="utf-8")
EXCHANGE = (_HERE / "exchange.md").read_text(encoding="utf-8")

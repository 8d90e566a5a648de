"""The template of the letter that asks for orders."""

from pathlib import Path

ORDER = Path(__file__).with_name("order.md").read_text(encoding="utf-8")

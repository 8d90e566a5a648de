"""The prompt templates of the letter that asks for orders and of the call market's procedure."""

from pathlib import Path

COURSE = Path(__file__).with_name("order_course.md").read_text(encoding="utf-8")
ORDER = Path(__file__).with_name("order.md").read_text(encoding="utf-8")

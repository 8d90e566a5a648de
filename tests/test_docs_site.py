"""The documentation's site: every page is in its navigation, and every entry is a page."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
SITE: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    inner = entry if isinstance(entry, list) else list(entry.values())
    return [page for each in inner for page in pages(each)]


def test_every_page_is_in_the_navigation_and_there() -> None:
    listed = set(pages(SITE["nav"]))
    there = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert {page for page in listed if not (ROOT / "docs" / page).exists()} == set()
    assert there - listed == set()


def test_the_site_asks_no_other_host_for_anything() -> None:
    assert SITE["theme"]["font"] is False

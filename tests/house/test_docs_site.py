"""The documentation's site: no orphan pages, no dead links, and nothing of another host."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.root import ROOT

DOCS = ROOT / "docs"
SITE: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
MKDOCS = ROOT / "build" / "docs-tools" / "bin" / "mkdocs"
THERE = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def pages(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    inner = entry if isinstance(entry, list) else list(entry.values())
    return [page for each in inner for page in pages(each)]


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub and MkDocs make them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", head.lower()).strip() for head in heads)
    return {re.sub(r"\s+", "-", head) for head in plain}


def test_every_page_is_in_the_navigation_once_and_there() -> None:
    listed = pages(SITE["nav"])
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == THERE


def test_the_home_page_links_all_others() -> None:
    home = (DOCS / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([^)#:]+\.md)\)", home)) == THERE - {"index.md"}


@pytest.mark.parametrize("name", sorted(THERE))
def test_every_link_to_a_heading_leads_to_one(name: str) -> None:
    page = DOCS / name
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", text):
        assert anchor in anchors(page.parent / target if target else page), (name, target, anchor)


def test_the_site_asks_no_other_host_for_anything() -> None:
    assert SITE["theme"]["font"] is False


def test_the_site_is_built_strictly() -> None:
    recipe = subprocess.run(
        ["make", "--dry-run", "docs"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "mkdocs build --quiet --strict" in recipe.stdout
    assert {*SITE["validation"]["links"].values(), *SITE["validation"]["nav"].values()} == {"warn"}


@pytest.mark.slow
@pytest.mark.skipif(not MKDOCS.exists(), reason="make docs installs the tools that build the site")
def test_make_docs_leaves_no_dead_link_in_the_site(tmp_path: Path) -> None:
    """The tools are those of `make docs`; nothing is installed here."""
    site = tmp_path / "site"
    command = [str(MKDOCS), "build", "--quiet", "--strict", "--site-dir", str(site)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue
        for link in re.findall(r'(?:href|src)="([^"#?]+)', page.read_text(encoding="utf-8")):
            assert not link.startswith(("http:", "//")), (page, link)
            if not link.startswith(("https:", "data:", "mailto:")):
                assert (page.parent / link).exists(), (page, link)
    assert [path.name for path in site.rglob("*.py")] == ["guest.py"]
    shutil.rmtree(site)

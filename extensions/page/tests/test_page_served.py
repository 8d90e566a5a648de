"""The page in a real browser, served: live, listed, on this machine and by the server."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from extensions.page.tests.paged import saved, sloppy
from shapley_coop.extensions.page.bundle import VERSION
from shapley_coop.extensions.page.local import viewer
from shapley_coop.extensions.page.run_sources import FolderSource, HomeSource
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import Lease
from tests.background import in_background
from tests.browser import picture, tab

pytestmark = pytest.mark.slow


@pytest.fixture
def serving() -> Iterator[str]:
    with in_background(viewer(HomeSource(), 0, private=False)) as url:
        yield url


# On this machine


def test_a_live_run_is_followed_to_its_end(
    serving: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Semaphore(0)
    run = prepare("shapley_coop", RunConfig(game="escape_room", seed=3))

    async def hold(_: Lease) -> None:
        # Its loop goes on, as where a model thinks: steps are kept a moment later.
        await asyncio.to_thread(gate.acquire, timeout=300)

    monkeypatch.setattr(Lease, "check", hold)  # after each node
    playing = threading.Thread(target=lambda: asyncio.run(follow(run)))
    playing.start()
    try:
        with tab() as opened:
            page = opened.page
            page.goto(f"{serving}/view/?run={run.run}")
            assert "running" in page.locator("h1").inner_text()
            gate.release(6)  # up to `validate`, which publishes the first offer
            page.get_by_text("I propose that we leave the split to the record.").wait_for()
            assert page.get_by_text("Settlement", exact=True).count() == 0
            picture(opened, tmp_path, "live")
            gate.release(40)
            page.get_by_text("✓ paid, once").wait_for()
            page.get_by_text("agreed", exact=True).first.wait_for()
            assert page.locator(".replay output").inner_text() == "8 of 8"
            # What calls cost is told once it has ended.
            page.get_by_text("By event", exact=True).wait_for()
            # What it was told bit by bit is what there is.
            followed = page.locator("main").inner_text()
            page.reload()
            page.get_by_text("✓ paid, once").wait_for()
            page.get_by_text("By event", exact=True).wait_for()
            assert page.locator("main").inner_text() == followed
            assert opened.complaints == []
    finally:
        gate.release(100)
        playing.join()


def test_the_runs_are_listed_and_lead_to_one(serving: str, tmp_path: Path) -> None:
    outcome = asyncio.run(play("negotiation", RunConfig()))
    with tab() as opened:
        opened.page.goto(f"{serving}/view/")
        opened.page.get_by_role("row", name=outcome["run"]).get_by_role("link").click()
        opened.page.locator("#contract-title").wait_for()
        opened.page.get_by_role("link", name="All runs").click()
        opened.page.get_by_text("1 run", exact=True).wait_for()
        opened.page.goto(f"{serving}/view/?run=nobody's")
        opened.page.get_by_text("There is no such run here.").wait_for()


def test_private_reasoning_is_served_only_where_it_was_asked_for(serving: str) -> None:
    run = asyncio.run(play("shapley_coop", RunConfig()))["run"]
    path = f"/view/runs/{run}.json?private=1"
    assert httpx.get(serving + path).status_code == 404
    assert httpx.get(serving + path.partition("?")[0]).json()["private"] is None
    with in_background(viewer(HomeSource(), 0, private=True)) as as_operator:
        assert httpx.get(as_operator + path).json()["private"]


def test_the_local_viewer_is_for_this_machine_and_serves_nothing_else(serving: str) -> None:
    assert httpx.get(serving, headers={"host": "evil.example"}).status_code == 403
    assert httpx.get(serving + "/page/..%2Fauth.py").status_code == 404
    assert httpx.get(serving + "/page/%2e%2e/auth.py").status_code == 404
    assert httpx.post(serving + "/view/").status_code == 501
    sent = httpx.get(serving + "/view/").headers
    assert "default-src 'none'" in sent["content-security-policy"]


def test_a_folder_of_bundles_is_listed(tmp_path: Path) -> None:
    bundle = sloppy()
    (tmp_path / "a.json").write_text(json.dumps(bundle))
    (tmp_path / "other.json").write_text('{"not": "a bundle"}')
    source = FolderSource(tmp_path)
    (listed,) = source.runs()
    assert listed["run"] == bundle["run"]
    assert source.get(bundle["run"], private=True) == bundle
    assert source.get(bundle["run"], private=False)["private"] is None
    assert bundle["bundle"] == VERSION
    with pytest.raises(ValueError, match="no bundle"):
        source.get("another", private=False)


def test_nothing_is_said_before_anything_was(tmp_path: Path) -> None:
    run = prepare("shapley_coop", RunConfig())
    empty = HomeSource().get(run.run, private=False)
    assert (empty["timeline"], empty["status"]) == ([], "open")
    with tab() as opened:
        opened.page.goto(saved(empty, tmp_path))
        assert "Nothing has been said yet." in opened.text()
        assert "Settlement" not in opened.text()
        assert opened.complaints == []
    assert home().runs.get(run.run).state == "started"

"""The page in a real browser: from a file, in replay, live, hostile, on a phone, at a seat."""

import asyncio
import json
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphs.running import follow, play, prepare
from serve.bundle import VERSION
from serve.local import viewer
from serve.selfcontained import selfcontained
from serve.shelves import FolderShelf, HomeShelf, Shelf
from serve.story import number
from state import Room, home
from tests.browser import DESK, PHONE, picture, tab
from tests.server_process import Server
from tests.tenants import ANN, Person, tenants_server

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]

HOSTILE = '</script><img src=x onerror="window.hacked=1"><b>bold</b>\u2028&lt;i&gt;'

STRUCTURE = {
    *("kind", "act", "is", "state", "status", "basis", "ledger", "topic", "phase", "method"),
    *("see", "event", "verdict", "at_signing"),
}
"""Words of the bundle itself; everything else can come from an agent or a game."""


def made(graph: str = "shapley_coop", private: bool = False, **room: Any) -> dict[str, Any]:
    """The bundle of a finished run."""
    given = {"game": "escape_room", "seed": 3, **room}
    outcome = asyncio.run(play(graph, Room.model_validate(given)))
    return HomeShelf().get(outcome["run"], private)


@pytest.fixture
def bundle() -> dict[str, Any]:
    return made(private=True, seats={"*": "embedded:sloppy"}, seed=7)


GAMES: dict[str, dict[str, Any]] = {
    "escape_room": {"graph": "shapley_coop"},
    "cash_grab": {
        "graph": "contracts",
        "game": "cash_grab",
        "seed": 1,
        "seats": {"*": "embedded:rational", "Bob": "embedded:defector"},
        "enforcement": "escrow",
        "deposit": "1",
    },
    "raid_battle": {"graph": "shapley_coop", "game": "raid_battle"},
    "task_exchange": {"graph": "task_exchange", "game": "task_exchange", "seed": 2},
    "software_company": {"graph": "shapley_coop", "game": "software_company"},
    "settlement": {"graph": "settlement", "game": "delivered"},
}
"""One of each kind of run that has something else to show."""


@cache
def kind(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bundle and the result of one of them, played once for all tests, which only read."""
    bundle = made(**GAMES[name], private=True)
    return bundle, home().runs.get(bundle["run"]).result or {}


PANELS = {
    "Contract": set(GAMES) - {"settlement"},
    "Planned and realised": set(GAMES) - {"settlement"},
    "What could come out": {"escape_room", "cash_grab", "task_exchange"},
    "Who earned what": set(GAMES),
    "Escrow": {"cash_grab"},
    "Ledger": set(GAMES),
    "Cost": set(GAMES),
    "The game": set(GAMES),
}


def saved(bundle: dict[str, Any], folder: Path) -> str:
    path = folder / "run.html"
    path.write_text(selfcontained(bundle), encoding="utf-8")
    return path.as_uri()


class Serving:
    """The local viewer in a thread."""

    def __init__(self, runs: Shelf, private: bool = False) -> None:
        self._server = viewer(runs, 0, private)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def serving() -> Iterator[Serving]:
    running = Serving(HomeShelf())
    yield running
    running.close()


# From a file


@pytest.mark.parametrize(("size", "name"), [(DESK, "desk"), (PHONE, "phone")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_file_shows_the_whole_run(
    bundle: dict[str, Any], size: tuple[int, int], name: str, scheme: str, tmp_path: Path
) -> None:
    with tab(size, scheme) as opened:
        opened.page.goto(saved(bundle, tmp_path))
        picture(opened, tmp_path, f"report-{name}-{scheme}")
        shown = opened.text()
        assert opened.complaints == []
        assert not opened.overflows()
    assert len(bundle["timeline"]) == 9
    for said in (event for event in bundle["timeline"] if event["kind"] == "said"):
        assert said["text"] in shown
    for title in ("Contract", "Planned and realised", "What could come out", "Who earned what"):
        assert title in shown
    assert {"Ledger", "Cost", "The game"} <= set(shown.split("\n"))
    assert "A simulation" in shown


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_every_kind_of_run_says_what_its_result_says(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if name == "software_company":
        request.getfixturevalue("boxed")
    bundle, result = kind(name)
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        shown = opened.page.locator("h2").all_inner_texts()
        assert {title for title in PANELS if title in shown} == {
            title for title, games in PANELS.items() if name in games
        } | {"Contract"}
        ended = opened.page.locator(".tile[class*=agent] .big").all_inner_texts()
        assert ended == [number(result["payoffs"][agent]) for agent in result["agents"]]
        values = opened.page.locator("#credit figure tbody tr").all()
        assert [row.locator("td").nth(5).inner_text() for row in values] == [
            number(result["credit"]["shapley"][agent]) for agent in result["agents"]
        ]
        text = opened.text()
        assert all(clause in text for clause in _words(result["contract"]))
        assert text.count("breach of c") == len(result["breaches"])
        stands = opened.page.locator("#contract .clauses .verdict").all_inner_texts()
        assert [one[2:] for one in stands] == list(result["audit"]["verdicts"].values())
        for width, height in (PHONE, DESK):
            opened.page.set_viewport_size({"width": width, "height": height})
            assert not opened.overflows()
            picture(opened, tmp_path, f"{name}-{width}")
        assert opened.complaints == []


def _words(contract: dict[str, Any] | None) -> list[str]:
    """The clauses of a contract without their numbers."""
    lines = contract["text"].splitlines() if contract else []
    return [line.partition(". ")[2] for line in lines]


def test_a_number_of_the_story_leads_to_the_panel_where_it_stands(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        told = "".join(part["text"] for part in bundle["story"]).strip()
        assert opened.page.locator(".story").inner_text().strip() == told
        for link in opened.page.locator(".story a").all():
            target = str(link.get_attribute("href"))
            assert opened.page.locator(target).count() == 1
        opened.page.locator(".story a[href='#credit']").first.click()
        assert opened.page.locator("#credit h2").is_visible()
        assert opened.complaints == []


def test_what_was_opened_stays_open_while_the_run_is_walked_through(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        opened.page.get_by_text("By agent").click()
        opened.page.get_by_text("By agent").focus()
        opened.page.evaluate("document.querySelector('[aria-label=\"To the start\"]').click()")
        assert opened.page.locator("#cost details").get_attribute("open") is not None
        assert opened.page.evaluate("document.activeElement.textContent") == "By agent"


def test_deposits_and_verdicts_are_those_of_the_moment(tmp_path: Path) -> None:
    staked, _ = kind("cash_grab")
    with tab() as opened:
        page = opened.page
        page.goto(saved(staked, tmp_path))
        broken, escrow = page.locator("#contract .clauses > li").nth(4), page.locator("#escrow")
        assert "violated since turn 2" in broken.inner_text()
        assert "0 held, 1 forfeited, 2 returned" in escrow.inner_text()
        kinds = [event["kind"] for event in staked["timeline"]]
        for turn, verdict, held in ((1, "pending", 3), (2, "violated", 2)):
            page.get_by_label("Events shown").fill(str(kinds.index("played") + turn))
            assert broken.locator(".verdict").inner_text().endswith(verdict)
            assert f"{held} held" in escrow.inner_text()
        assert opened.complaints == []


def test_a_refused_draft_is_shown_with_its_reason_to_the_operator_alone(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    (refused,) = [note for note in bundle["private"] if note["fault"]][:1]
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert refused["fault"]["feedback"] in opened.text()
        opened.page.goto(saved({**bundle, "private": None}, tmp_path))
        opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert refused["fault"]["feedback"] not in opened.text()


def test_error_bars_are_drawn_and_told(bundle: dict[str, Any], tmp_path: Path) -> None:
    sampled = json.loads(json.dumps(bundle))
    sampled["credit"]["rows"][0]["error"] = 0.5
    with tab() as opened:
        opened.page.goto(saved(sampled, tmp_path))
        assert opened.page.locator("svg .error").count() == 1
        assert "0.98" in opened.text()


# Replay


def test_replay_walks_through_the_run_by_mouse_and_by_keys(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        page = opened.page
        page.goto(saved(bundle, tmp_path))
        place = page.locator(".replay output")
        assert place.inner_text() == "9 of 9"
        page.get_by_role("button", name="To the start").click()
        assert "Nothing is signed." in opened.text()
        assert page.locator(".event.later").count() == 9
        for _ in range(3):
            page.get_by_role("button", name="One event on").click()
        assert "kept" not in page.locator("[aria-labelledby=contract-title]").inner_text()
        page.locator("h1").click()
        page.keyboard.press("ArrowRight")
        assert place.inner_text() == "4 of 9"
        assert "kept" in page.locator("[aria-labelledby=contract-title]").inner_text()
        page.keyboard.press("ArrowLeft")
        assert place.inner_text() == "3 of 9"
        picture(opened, tmp_path, "replay")
        page.get_by_role("button", name="To the end").click()
        assert page.locator(".event.later").count() == 0
        assert opened.complaints == []


def test_all_of_it_can_be_reached_by_keyboard_and_has_a_name(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        reached: list[str] = []
        while True:
            opened.page.keyboard.press("Tab")
            name, outline = opened.page.evaluate(
                """(() => {
                    const one = document.activeElement;
                    const name = one.getAttribute("aria-label") ?? one.textContent;
                    return [name, getComputedStyle(one).outlineStyle];
                })()"""
            )
            if name == opened.page.evaluate("document.body.textContent"):
                break
            assert name
            assert (name, outline) == (name, "solid")
            reached.append(name)
        assert reached[0] == "To the timeline"
        assert {"To the start", "Play", "Events shown", "Ledger", "Ledger lines"} <= set(reached)
        drawn = opened.page.locator("svg:not([role=img]):not([aria-hidden=true])")
        assert drawn.count() == 0


# Hostile text


def hostile(value: Any, names: set[str]) -> Any:
    """The same bundle with markup in every name and text."""
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, list):
        return [hostile(one, names) for one in value]
    if isinstance(value, dict):
        return {
            (key + HOSTILE if key in names else key): one
            if key in STRUCTURE and isinstance(one, str)
            else hostile(one, names)
            for key, one in value.items()
        }
    return value


def test_hostile_text_in_every_field_is_shown_as_text(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    staked, _ = kind("cash_grab")
    accounts = {"door", "lever", "take", "wait", "world", "escrow"}
    with tab() as opened:
        for one in (bundle, staked):
            opened.page.goto(saved(hostile(one, {*one["agents"], *accounts}), tmp_path))
            picture(opened, tmp_path, f"hostile-{one['graph']}")
            opened.page.evaluate(
                "document.querySelectorAll('details').forEach(one => one.open = true)"
            )
            assert opened.text().count("<b>bold</b>") > 100
            assert opened.page.evaluate("window.hacked") is None
            assert opened.page.locator("#app img, #app b, #app script").count() == 0
            assert opened.page.locator("html > body > *").count() == 3
        assert opened.complaints == []


# On this machine


def test_a_live_run_is_followed_to_its_end(serving: Serving, tmp_path: Path) -> None:
    gate = threading.Semaphore(0)
    run = prepare("shapley_coop", Room(game="escape_room", seed=3))

    def hold(*_: Any) -> None:
        gate.acquire(timeout=30)

    playing = threading.Thread(target=lambda: asyncio.run(follow(run, hold)))
    playing.start()
    try:
        with tab() as opened:
            page = opened.page
            page.goto(f"{serving.url}/view/?run={run.run}")
            assert "running" in page.locator("h1").inner_text()
            gate.release(4)
            page.get_by_text("I propose that we leave the split to the record.").wait_for()
            assert page.get_by_text("Settlement", exact=True).count() == 0
            picture(opened, tmp_path, "live")
            gate.release(40)
            page.get_by_text("✓ paid, once").wait_for()
            page.get_by_text("agreed", exact=True).first.wait_for()
            assert page.locator(".replay output").inner_text() == "9 of 9"
            # What it was told bit by bit is what there is.
            followed = page.locator("main").inner_text()
            page.reload()
            page.get_by_text("✓ paid, once").wait_for()
            assert page.locator("main").inner_text() == followed
            assert opened.complaints == []
    finally:
        gate.release(100)
        playing.join()


def test_the_runs_are_listed_and_lead_to_one(serving: Serving, tmp_path: Path) -> None:
    outcome = asyncio.run(play("negotiation", Room()))
    with tab() as opened:
        opened.page.goto(f"{serving.url}/view/")
        opened.page.get_by_role("link", name=outcome["run"]).click()
        opened.page.get_by_role("heading", name="Contract").wait_for()
        opened.page.get_by_role("link", name="All runs").click()
        opened.page.get_by_text("1 run", exact=True).wait_for()
        opened.page.goto(f"{serving.url}/view/?run=nobody's")
        opened.page.get_by_text("There is no such run here.").wait_for()


def test_private_reasoning_is_served_only_where_it_was_asked_for(serving: Serving) -> None:
    run = asyncio.run(play("shapley_coop", Room()))["run"]
    path = f"/view/runs/{run}.json?private=1"
    assert httpx.get(serving.url + path).status_code == 404
    assert httpx.get(serving.url + path.partition("?")[0]).json()["private"] is None
    as_operator = Serving(HomeShelf(), private=True)
    try:
        assert httpx.get(as_operator.url + path).json()["private"]
    finally:
        as_operator.close()


def test_the_local_viewer_is_for_this_machine_and_serves_nothing_else(serving: Serving) -> None:
    assert httpx.get(serving.url, headers={"host": "evil.example"}).status_code == 403
    assert httpx.get(serving.url + "/page/..%2Fauth.py").status_code == 404
    assert httpx.get(serving.url + "/page/%2e%2e/auth.py").status_code == 404
    assert httpx.post(serving.url + "/view/").status_code == 501
    sent = httpx.get(serving.url + "/view/").headers
    assert "default-src 'none'" in sent["content-security-policy"]


def test_a_folder_of_bundles_is_a_shelf(bundle: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(bundle))
    (tmp_path / "other.json").write_text('{"not": "a bundle"}')
    shelf = FolderShelf(tmp_path)
    (listed,) = shelf.runs()
    assert listed["run"] == bundle["run"]
    assert shelf.get(bundle["run"], private=True) == bundle
    assert shelf.get(bundle["run"], private=False)["private"] is None
    assert bundle["bundle"] == VERSION
    with pytest.raises(ValueError, match="no bundle"):
        shelf.get("another", private=False)


# On the server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
    running = tenants_server(tmp_path_factory.mktemp("paged"))
    try:
        running.start()
        assert Person(running, None)("GET /ok").is_success
        yield running
    finally:
        running.stop()


def test_an_operator_signs_in_with_its_browser(server: Server, tmp_path: Path) -> None:
    ann = Person(server, ANN)
    thread = ann("POST /threads", {}).json()["thread_id"]
    ann(f"POST /threads/{thread}/runs/wait", {"assistant_id": "shapley_coop", "input": {}})
    signed_in = {"http_credentials": {"username": "ann", "password": ANN}}
    with tab(**signed_in) as opened:
        opened.page.goto(f"{server.url}/view/?run={thread}")
        opened.page.get_by_role("heading", name="Ledger").wait_for()
        opened.page.get_by_role("link", name="Show private reasoning, as the operator").click()
        opened.page.get_by_text("The operator's view").wait_for()
        assert opened.complaints == []


def test_nothing_is_said_before_anything_was(tmp_path: Path) -> None:
    run = prepare("shapley_coop", Room())
    empty = HomeShelf().get(run.run, private=False)
    assert (empty["timeline"], empty["status"]) == ([], "open")
    with tab() as opened:
        opened.page.goto(saved(empty, tmp_path))
        assert "Nothing has been said yet." in opened.text()
        assert "Settlement" not in opened.text()
        assert opened.complaints == []
    assert home().runs.get(run.run).state == "started"

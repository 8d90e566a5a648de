"""Whatever a tenant sends in whatever form, another's journal, ledger and seats stay as they are.

The books hold without the check of requests, too: the second server of each database has none.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from extensions.tenants.tests.tenant_attack import calls, each_once, moving
from extensions.tenants.tests.tenants import ANN, BOB, CANARY, EVE, PARTY, Person, tenants_server
from shapley_coop.state.storage.facts import Fact
from tests.books import facts_of
from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tenant_matrix")]

BOOKS = ("answer", "mail", "posting", "episode")

OPEN = {"GET /", "GET /ok", "GET /page/x", "GET /check"}
"""The health check and the checking page are for all, and the page's files for parties, too."""

_UNCHECKED = """
import shapley_coop.extensions.tenants.policy as policy

policy.complaint_about = lambda *_: ""
"""


class Place(NamedTuple):
    server: Server
    database: str
    checked: bool


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return ""
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="module", params=[True, False], ids=["checked", "unchecked"])
def place(
    request: pytest.FixtureRequest, database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("matrix")
    given = {"COOP_MAX_BUSY": "1000", "COOP_MAX_STEPS": "200"}
    given |= {"COOP_DATABASE_URL": database} if database else {}
    before = "" if request.param else _UNCHECKED
    with tenants_server(folder, before=before, **given) as running:
        yield Place(running, database, request.param)


class Hers(NamedTuple):
    ids: dict[str, str]
    episode: str


@pytest.fixture(scope="module")
def hers(place: Place) -> Hers:
    """A run of Ann's that waits for a person, with private letters in the journal."""
    ann = Person(place.server, ANN)
    thread = ann("POST /threads", {}).json()["thread_id"]
    room = {"secrets": "ann__whisper", "seats": {"*": "embedded:rational", "Alice": "human"}}
    body = {"assistant_id": "shapley_coop", "input": {"room": {"game": "escape_room", **room}}}
    assert ann(f"POST /threads/{thread}/runs/wait", body).is_success
    state = ann(f"GET /threads/{thread}/state").json()
    assert state["interrupts"], state
    cron = ann("POST /runs/crons", {"assistant_id": "llm_only", "schedule": "0 0 1 1 *"}).json()
    made = ann("POST /assistants", {"graph_id": "llm_only", "name": CANARY}).json()
    run = ann(f"GET /threads/{thread}/runs").json()[0]["run_id"]
    ids = {
        "thread_id": thread,
        "run_id": run,
        "checkpoint_id": state["checkpoint"]["checkpoint_id"],
        "assistant_id": made["assistant_id"],
        "cron_id": cron["cron_id"],
    }
    return Hers(ids, state["values"]["episode"])


def played_by(person: Person) -> str:
    """A thread of somebody's with a run that has ended."""
    thread: str = person("POST /threads", {}).json()["thread_id"]
    played = {"assistant_id": "shapley_coop", "input": {}}
    assert person(f"POST /threads/{thread}/runs/wait", played).is_success
    return thread


def rows(place: Place, episode: str) -> dict[str, list[Fact]]:
    """All that the books hold of an episode."""
    where = place.database or place.server.home
    return {kind: facts_of(where, kind, episode) for kind in BOOKS}


def everything(place: Place, hers: Hers) -> Any:
    """All of Ann's things, as she and the books have them."""
    ann, thread = Person(place.server, ANN), hers.ids["thread_id"]
    seen = [ann(f"GET /threads/{thread}/{what}").json() for what in ("state", "history", "runs")]
    seen += [ann(f"GET /assistants/{hers.ids['assistant_id']}").json()]
    seen += [ann(f"GET /runs/crons/{hers.ids['cron_id']}").json()]
    return seen, rows(place, hers.episode)


def test_no_route_and_no_form_reaches_anothers_books(place: Place, hers: Hers) -> None:
    before = everything(place, hers)
    assert before[1]["answer"]
    assert before[1]["mail"]
    described = Person(place.server, ANN)("GET /openapi.json").json()
    bob = Person(place.server, BOB, timeout=20)
    mine = {"thread_id": played_by(bob)}
    marks = {CANARY, *hers.ids.values(), hers.episode}
    people = {token: Person(place.server, token) for token in (None, EVE, PARTY)} | {BOB: bob}
    leaks, told = [], Counter[str]()
    found = calls(described, hers.ids, mine, hers.episode)
    if not place.checked:
        # What the check refuses is what matters here, and it plays runs.
        found, people = moving(found, hers.ids, mine["thread_id"]), {BOB: bob}
    for call, body in each_once(found):
        for token, person in people.items():
            try:
                got = person(call, body)
            except httpx.TimeoutException:  # a stream of what is the caller's own
                assert token == BOB
                continue
            told[f"{got.status_code // 100}xx"] += 1
            asked = call + json.dumps(body)
            known = asked
            if not place.checked and mine["thread_id"] in call:
                known += hers.episode  # He wrote it there himself: it is in what he sends.
            seen = {mark for mark in marks if mark in got.text and mark not in known}
            refused = token == BOB or got.status_code in (401, 403) or call in OPEN
            if seen or not refused:
                leaks.append((token, call, body, got.status_code, sorted(seen), got.text[:300]))
    private = bob(f"GET /view/runs/{mine['thread_id']}.json?private=1")
    assert CANARY not in private.text
    assert not leaks, "\n".join(map(str, leaks[:10]))
    assert everything(place, hers) == before
    print(f"{place.server.home}: {sum(told.values())} requests, {dict(told)}")
    assert sum(told.values()) > (1000 if place.checked else 50)


def test_a_run_moved_to_anothers_episode_ends_without_a_posting(place: Place, hers: Hers) -> None:
    """The attack as it was made: pairs, then settle and propose on one's own thread."""
    before = everything(place, hers)
    bob = Person(place.server, BOB, timeout=120)
    moved = {"update": [["episode", hers.episode]]}
    for goto in ("settle", "propose"):
        thread = played_by(bob)
        body = {"assistant_id": "shapley_coop", "command": {**moved, "goto": goto}}
        got = bob(f"POST /threads/{thread}/runs/wait", body)
        if place.checked:
            assert got.status_code == 422
        else:
            assert got.json()["__error__"]["error"] == "NotYours"
        assert CANARY not in got.text
    thread = played_by(bob)
    values = {"values": {"episode": hers.episode}, "as_node": "open"}
    assert bob(f"POST /threads/{thread}/state", values).is_success is not place.checked
    for path in (f"/view/runs/{thread}.json?private=1", f"/threads/{thread}/history"):
        assert CANARY not in bob(f"GET {path}").text
    assert everything(place, hers) == before


def test_anothers_run_is_not_deleted_through_a_thread_of_ones_own(place: Place, hers: Hers) -> None:
    before = everything(place, hers)
    bob = Person(place.server, BOB)
    thread = bob("POST /threads", {}).json()["thread_id"]
    assert bob(f"DELETE /threads/{thread}/runs/{hers.ids['run_id']}").status_code == 404
    assert everything(place, hers) == before

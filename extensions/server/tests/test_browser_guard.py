"""A web page gets nothing from a server on a developer's machine."""

import os

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from shapley_coop.extensions.server.serving.body_limit import BodyLimit
from shapley_coop.extensions.server.serving.browser_guard import (
    DEV_TOKEN,
    HOSTS,
    BrowserGuard,
    JsonOnly,
)
from shapley_coop.extensions.server.serving.origins import RULES, ReadableRefusals

HERE = "127.0.0.1:8123"
JSON = {"content-type": "application/json"}
TOKEN = "the-token-of-this-start"


async def _runs(request: Request) -> Response:
    return PlainTextResponse((await request.body()).decode() or "read")


def client(**headers: str) -> httpx.AsyncClient:
    guards = [
        Middleware(ReadableRefusals),
        Middleware(BrowserGuard),
        Middleware(BodyLimit, most=1000),
        Middleware(JsonOnly),
    ]
    app = Starlette(routes=[Route("/runs", _runs, methods=["GET", "POST"])], middleware=guards)
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8123", headers={"host": HERE, **headers}
    )


async def post(body: str = "{}", **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with client() as http:
        return (await http.post("/runs", content=body, headers={**JSON, **named})).status_code


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (DEV_TOKEN, HOSTS, RULES, "LANGGRAPH_HTTP"):
        monkeypatch.delenv(name, raising=False)


async def test_a_body_is_read_as_json_alone() -> None:
    """A page sends these three without asking first."""
    assert await post() == 200
    assert await post(content_type="application/json; charset=utf-8") == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert await post(content_type=kind) == 415


async def test_only_pages_of_this_machine_may_change_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for origin in ("http://localhost:3000", "http://127.0.0.1:8123", "http://[::1]:5173"):
        assert await post(origin=origin) == 200
    studio = "https://smith.langchain.com"
    foreign = ("https://evil.example", "null", "http://localhost.evil.example", studio)
    for origin in foreign:
        assert await post(origin=origin) == 403
    assert await post(sec_fetch_site="cross-site") == 403
    monkeypatch.setenv("LANGGRAPH_HTTP", f'{{"cors": {{"allow_origins": ["{studio}"]}}}}')
    assert [await post(origin=origin) for origin in foreign] == [403, 403, 403, 200]
    monkeypatch.setenv(RULES, '{"allow_origins": ["https://chat.example"]}')
    assert await post(origin=studio) == 403, "the variable wins, as in LangGraph's server"
    assert await post(origin="https://chat.example") == 200


async def test_pages_of_admitted_websites_alone_can_read_why_they_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    studio = "https://smith.langchain.com"
    monkeypatch.setenv(DEV_TOKEN, TOKEN)
    monkeypatch.setenv("LANGGRAPH_HTTP", f'{{"cors": {{"allow_origins": ["{studio}"]}}}}')
    shown = {"x-api-key": TOKEN}
    refused = [
        (401, JSON),
        (415, {**shown, "content-type": "text/plain"}),
        (403, {**JSON, **shown, "host": "evil.example"}),
    ]
    async with client() as http:
        for status, headers in refused:
            for origin, read in ((studio, studio), ("https://evil.example", None)):
                answer = await http.post(
                    "/runs", content="{}", headers={**headers, "origin": origin}
                )
                assert answer.status_code == (status if read else 403), "foreign ones come first"
                assert answer.headers.get("access-control-allow-origin") == read
                assert ("origin" in answer.headers.get("vary", "").lower()) is bool(read)


async def test_a_name_that_was_rebound_to_this_machine_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for host in ("evil.example", "evil.example:8123", "127.0.0.1.evil.example", ""):
        assert await post(host=host) == 403
    for host in ("localhost:8123", "[::1]:8123", "127.0.0.2"):
        assert await post(host=host) == 200
    monkeypatch.setenv(HOSTS, "box.example")
    assert await post(host="box.example:8123") == 200


async def test_the_token_of_an_address_is_kept_by_the_browser() -> None:
    os.environ[DEV_TOKEN] = TOKEN
    try:
        assert await post() == 401
        assert await post(authorization="Bearer another") == 401
        assert await post(authorization=f"Bearer {TOKEN}") == 200
        assert await post(x_api_key=TOKEN) == 200
        async with client() as browser:
            assert (await browser.get("/runs?token=another")).status_code == 401
            for wrong in ("another", f"{TOKEN};%20Domain=localhost", "%E2%82%AC"):
                answered = await browser.get(f"/ok?token={wrong}")
                assert "set-cookie" not in answered.headers, "a link logs nobody out"
            first = await browser.get(f"/runs?token={TOKEN}")
            assert first.status_code == 200
            assert "SameSite=Lax" in first.headers["set-cookie"], "links of other pages open it"
            assert (await browser.get("/runs")).status_code == 200
    finally:
        del os.environ[DEV_TOKEN]


async def test_a_person_without_the_token_reads_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DEV_TOKEN, TOKEN)
    async with client(accept="text/html,*/*") as browser, client() as program:
        page, told = await browser.get("/runs"), await program.get("/runs")
    assert (page.status_code, page.headers["content-type"][:9]) == (401, "text/html")
    assert "at the end of the address that you were given" in page.text
    assert TOKEN not in page.text
    assert "Show the token" in told.json()["detail"]


async def test_a_person_at_an_unknown_host_name_reads_which_address_to_open() -> None:
    async with client(host="box.example") as program, client(host="box.example") as browser:
        told = await program.get("/runs")
        page = await browser.get("/runs", headers={"accept": "text/html"})
    assert (told.status_code, page.status_code) == (403, 403)
    assert "Unknown host: COOP_ALLOWED_HOSTS lists others" in told.json()["detail"]
    assert "Open the address that the server printed" in page.text
    assert page.headers["content-security-policy"] == "default-src 'none'"

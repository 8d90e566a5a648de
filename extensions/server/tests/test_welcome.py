"""`GET /`: a page for browsers, which leads on; the health check for programs."""

import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from shapley_coop import extension
from shapley_coop.extension import BrokenExtension
from shapley_coop.extensions.server.app import routes_of_extensions
from shapley_coop.extensions.server.serving.welcome import (
    STARTED,
    announcement,
    start_message,
    welcome_route,
)
from shapley_coop.extras import missing_library
from shapley_coop.graphs.catalogue import names

CLIENT = TestClient(Starlette(routes=[welcome_route()]), base_url="http://127.0.0.1:2024")


def test_a_browser_gets_a_page_that_names_the_workflows_and_leads_on() -> None:
    shown = CLIENT.get("/", headers={"accept": "text/html,*/*;q=0.8"})
    assert shown.headers["content-type"].startswith("text/html")
    assert all(f"<code>{name}</code>" in shown.text for name in names())
    links = re.findall(r'href="([^"]+)"', shown.text)
    assert links == [
        "/view/",
        "https://smith.langchain.com/studio/?baseUrl=http://127.0.0.1:2024",
        "/docs",
    ]
    assert "default-src 'none'" in shown.headers["content-security-policy"]


def test_the_page_names_what_a_folders_own_configuration_serves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGSERVE_GRAPHS", '{"mine": "./page.py:graph", "<b>": "./b.py:graph"}')
    shown = CLIENT.get("/", headers={"accept": "text/html"}).text
    assert "<p><code>&lt;b&gt;</code>, <code>mine</code></p>" in shown


def test_a_program_gets_the_health_check() -> None:
    for accept in ("application/json", "*/*"):
        assert CLIENT.get("/", headers={"accept": accept}).json() == {"ok": True}


def test_a_host_that_a_caller_names_cannot_write_into_the_page() -> None:
    asked = {"accept": "text/html", "host": 'x"><script>'}
    assert "<script>" not in CLIENT.get("/", headers=asked).text


def test_the_page_says_that_its_links_need_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "These links need a token"
    for token in ("", "the-token-of-this-start"):
        monkeypatch.setenv("COOP_DEV_TOKEN", token)
        shown = CLIENT.get("/", headers={"accept": "text/html"}).text
        assert (said in shown) is bool(token)
        assert not token or token not in shown


def test_what_extensions_bring_is_announced_if_all_that_it_needs_is_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def without(kind: str, name: str) -> object:
        if name == "b":
            raise missing_library("b", "bees", "b")
        if name == "c":
            raise BrokenExtension("c of hive (hive:c): it needs the extension bees")
        return lambda: [welcome_route()]

    monkeypatch.setattr(extension, "offered", lambda kind: {"a": (), "b": (), "c": ()})
    monkeypatch.setattr(extension, "load", without)
    monkeypatch.setenv(STARTED, "It answers.\nOpen it.")
    mounted = routes_of_extensions()
    assert announcement([]) == "It answers.\nOpen it."
    assert announcement(mounted) == "It answers.\nExtensions answer at /a.\nOpen it."
    assert [one.message for one in caplog.records] == [
        'No /b: b needs bees: pip install "shapley-coop[b]"',
        "No /c: c of hive (hive:c): it needs the extension bees",
    ]


def test_without_the_page_of_runs_nothing_leads_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "offered", lambda kind: {})
    assert "/view/" not in CLIENT.get("/", headers={"accept": "text/html"}).text
    assert start_message("http://here", "t", []).endswith("Open http://here/?token=t")

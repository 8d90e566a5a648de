"""`coop dev` as a developer starts it: what a website, and a caller without its token, get."""

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dev_server")]

GAME = """import pathlib
from shapley_coop.games import escape_room
pathlib.Path(__file__).with_suffix(".ran").touch()

GAME = escape_room.GAME
"""


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("dev")
    for name in ("own", "foreign"):
        (folder / f"{name}.py").write_text(GAME)
    options = ("--game", str(folder / "own.py"))
    with Server(folder, options, OPENAI_API_KEY="sk-the-developers") as server:
        yield server


def test_nobody_without_the_token_is_let_in(dev: Server) -> None:
    with dev.http() as nobody:
        assert nobody.get("/ok").is_success
        assert nobody.get("/").json() == {"ok": True}
        assert 'href="/view/"' in nobody.get("/", headers={"accept": "text/html"}).text
        for path in ("/info", "/view/runs.json", "/openapi.json", "/docs"):
            assert nobody.get(path).status_code == 401
        assert nobody.post("/threads", json={}).status_code == 401
    with dev.own() as own:
        assert own.post("/threads", json={}).is_success
    with dev.http(**{"x-api-key": dev.token}) as own:
        assert own.get("/info").is_success


def test_a_browser_keeps_the_token_of_the_address(dev: Server) -> None:
    with dev.http() as browser:
        assert browser.get(f"/view/?token={dev.token}").is_success
        assert browser.get("/view/runs.json").is_success


def test_a_thread_on_which_nothing_was_played_is_listed_beside_the_others(dev: Server) -> None:
    with dev.own() as own:
        empty = own.post("/threads", json={}).json()["thread_id"]
        listed = own.get("/view/runs.json")
    assert empty in {run["run"] for run in listed.json()["runs"]}


def test_a_website_starts_nothing(dev: Server) -> None:
    body = b'{"assistant_id": "llm_only", "input": {}}'
    with dev.own() as own:
        plain = {"content-type": "text/plain"}
        assert own.post("/runs", content=body, headers=plain).status_code == 415
        foreign = {"origin": "https://evil.example"}
        assert own.post("/threads", json={}, headers=foreign).status_code == 403
        assert own.get("/info", headers={"host": "evil.example"}).status_code == 403
        assert own.get("/threads").status_code != 403


def test_the_developers_key_goes_to_no_endpoint_of_a_request(dev: Server) -> None:
    heard: list[str] = []

    class Attacker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.headers.get("authorization", ""))
            self.send_error(401)

        def log_message(self, format: str, *args: object) -> None:
            pass

    attacker = HTTPServer(("127.0.0.1", 0), Attacker)
    threading.Thread(target=attacker.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{attacker.server_port}/v1"
        seats = {"*": {"model": "openai:m", "base_url": url}}
        room = {"game": "escape_room", "seats": seats}
        run = {"assistant_id": "llm_only", "input": {"room": room}}
        with dev.own() as own:
            own.post("/runs/wait", json=run)
    finally:
        attacker.shutdown()
        attacker.server_close()
    assert heard
    assert set(heard) == {"Bearer none"}


def test_only_programs_of_the_command_line_are_run(dev: Server) -> None:
    def play(game: str) -> str:
        run = {"assistant_id": "llm_only", "input": {"room": {"game": game}}}
        with dev.own() as own:
            return own.post("/runs/wait", json=run).text

    assert "coop dev --game" in play(str(dev.folder / "foreign.py"))
    assert "coop dev --game" in play("pettingzoo:os:getcwd")
    assert not os.path.exists(dev.folder / "foreign.ran")
    assert '"status":"' in play(str(dev.folder / "own.py")).replace(" ", "")
    assert os.path.exists(dev.folder / "own.ran")

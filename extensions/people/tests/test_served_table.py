"""`coop run … --serve`: people at one table, each at a page of its own, until Ctrl-C."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from shapley_coop.state.storage.home import Home
from tests.browser import DESK, PHONE, picture, tab
from tests.coop_command import USAGE, Coop, one_line
from tests.root import ROOT
from tests.waiting import HANGS, wait_for
from tests.warm_coop import warm_coop

JSON = {"accept": "application/json"}
STORY = ROOT / "docs" / "stories" / "person.md"
CLAUSES = [
    {"kind": "do", "agent": "Alice", "action": "door"},
    {"kind": "do", "agent": "Bob", "action": "lever"},
    {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "5", "per": "once"},
]
TWO = ("--agent", "Alice=human", "--agent", "Bob=human", "--name", "table")
ROOM = ("run", "escape_room", "-g", "negotiation_priced", *TWO, "--serve")


class Table:
    """A served table, by a process of its own."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        self._said = folder / "said"
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "shapley_coop", *words],
                cwd=folder,
                env=os.environ | {"COOP_HOME": str(folder / ".coop")} | environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    def said(self, words: str = "") -> str:
        """All that it printed, once it has printed these words."""

        def told() -> str:
            found = self._said.read_text()
            assert words in found or self._process.poll() is None, found
            return found if words in found else ""

        return wait_for(words, told)

    def link(self, whose: str) -> str:
        """The address that it printed for a person, or for the run."""
        self.said("Ctrl-C")
        found = re.search(rf"^{whose}: (http\S+)$", self.said(), re.MULTILINE)
        assert found, self.said()
        return found.group(1)

    def letter(self, who: str, act: str) -> dict[str, Any]:
        """The letter of a person that asks this, as soon as it is there."""

        def delivered() -> dict[str, Any]:
            got = httpx.get(self.link(who), headers=JSON, timeout=HANGS)
            found = dict(got.json()) if got.is_success else {}
            return found if found.get("act") == act else {}

        return wait_for(f"{act} for {who}", delivered)

    def standing(self, who: str) -> dict[str, Any]:
        """What a person's seat says once the run is over."""

        def told() -> dict[str, Any]:
            found = dict(httpx.get(self.link(who), headers=JSON, timeout=HANGS).json())
            return found if found.get("over") else {}

        return wait_for(f"the end for {who}", told)

    def send(self, who: str, act: str, **fields: Any) -> dict[str, Any]:
        """Answer a person's letter."""
        reply = {"id": self.letter(who, act)["id"], "type": "fields", "args": fields}
        return dict(httpx.post(self.link(who), json=reply, timeout=HANGS).json())

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """End the command, if it still runs, and return its exit code."""
        self._process.send_signal(how)
        return self._process.wait(HANGS)


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Any]:
    """Tables in one home, which are ended with the test."""
    begun: list[Table] = []

    def begin(*words: str, **environment: str) -> Table:
        folder = tmp_path / f"{len(begun)}"
        folder.mkdir()
        (folder / ".coop").symlink_to(tmp_path / "home")
        begun.append(Table(folder, *words, **environment))
        return begun[-1]

    (tmp_path / "home").mkdir()
    yield begin
    for one in begun:
        one.stop(signal.SIGKILL)


@pytest.mark.slow
def test_two_people_stop_in_the_middle_go_on_and_read_how_it_ended(
    tables: Any, tmp_path: Path
) -> None:
    table = tables(*ROOM)
    wrong = table.send("Alice", "propose", clauses=[{**CLAUSES[0], "agent": "Zed"}])
    assert wrong["why"] == "c1 names Zed, who is not a party: the parties are Alice, Bob."
    assert "taken" in table.send("Alice", "propose", clauses=CLAUSES, speech="You pull.")
    assert table.letter("Bob", "answer")["form"]["offer"]["by"] == "Alice"
    waits = httpx.get(table.link("Alice"), headers=JSON)
    assert waits.status_code == 404
    assert waits.json()["told"][0].startswith("You are Alice. You are locked in.")
    assert waits.json()["told"][1:3] == ["The run waits for Bob.", "Your offer:"]
    assert table.stop() == 130
    told = table.said("was interrupted")
    onward = re.search(r"go on with coop (.*)", told)
    assert onward
    assert onward.group(1) == "resume table --serve"
    again = tables(*onward.group(1).split())
    links = [[one.link(who) for who in ("Alice", "Bob", "the run")] for one in (table, again)]
    assert links[0] == links[1], "an open page goes on where it was"
    assert "taken" in again.send("Bob", "answer", decision="accept")
    assert "taken" in again.send("Alice", "act", action="door")
    assert "taken" in again.send("Bob", "act", action="lever")
    assert "Alice pays Bob 5 net (contract)" in again.said("The pages stay")
    ends = [again.standing(who)["told"] for who in ("Alice", "Bob")]
    assert [end[0] for end in ends] == [
        "You end with 5: 10 earned, less 5 paid.",
        "You end with 4: -1 earned, and 5 paid to you.",
    ]
    assert [end[1] for end in ends] == [
        "You pay Bob 5 by the contract.",
        "Alice pays you 5 by the contract.",
    ]
    assert again.stop() == 0
    assert warm_coop(Home(tmp_path / "home")).run("verify", "table").code == 0


@pytest.mark.slow
def test_a_half_filled_page_goes_on_after_a_restart(tables: Any) -> None:
    table = tables(*ROOM)
    with tab() as opened:
        opened.page.goto(table.link("Alice"))
        opened.page.get_by_role("button", name="Somebody pays …").click()
        opened.page.get_by_label("Amount").fill("5")
        assert table.stop() == 130
        tables("resume", "table", "--serve").link("Alice")
        opened.page.reload()
        assert opened.page.get_by_label("Amount").input_value() == "5"


@pytest.mark.slow
def test_what_was_sent_before_a_kill_is_not_asked_again(tables: Any) -> None:
    table = tables(*ROOM)
    assert "taken" in table.send("Alice", "propose", clauses=CLAUSES)
    assert table.stop(signal.SIGKILL) == -signal.SIGKILL
    again = tables("resume", "table", "--serve")
    assert again.letter("Bob", "answer")["form"]["offer"]["by"] == "Alice"


@pytest.mark.slow
def test_people_at_other_devices_get_the_address_that_they_can_reach(tables: Any) -> None:
    options = ("--agent", "Alice=human", "--serve")
    table = tables("run", "escape_room", *options, COOP_SERVER_URL="https://t.example/")
    assert table.link("Alice").startswith("https://t.example/")
    assert table.link("the run").startswith("https://t.example/")
    assert "Bob: " not in table.said(), "a program needs no page"
    everywhere = tables("run", "escape_room", *options, "--host", "0.0.0.0", COOP_SERVER_URL="")
    assert "0.0.0.0" not in everywhere.link("Alice")


@pytest.mark.slow
def test_no_key_opens_another_seat_or_another_run(tables: Any, tmp_path: Path) -> None:
    other = warm_coop(Home(tmp_path / "home")).run("run", "escape_room", "--name", "other")
    assert other.code == 0
    table = tables(*ROOM)
    alice, run = table.link("Alice"), table.link("the run")
    place, key, _, own, _ = alice.rsplit("/", 4)
    page = run.partition("?")[0]
    assert httpx.get(f"{page}runs/table.json").json()["run"] == "table"
    assert [one["run"] for one in httpx.get(f"{page}runs.json").json()["runs"]] == ["table"]
    shut = (
        alice.replace("/Alice", "/Bob"),
        alice.replace(key, "guessed"),
        f"{place}/{key}/seat/guessed/Alice",
        f"{place}/{own}/view/runs/table.json",
        f"{place}/view/runs/table.json",
        f"{page}runs/other.json",
        f"{page}runs/table.json?private=1",
    )
    assert [httpx.get(one, headers=JSON).status_code for one in shut] == [404] * len(shut)
    wrong = httpx.get(shut[0], headers={"accept": "text/html,*/*"})
    assert wrong.headers["content-type"].startswith("text/html")
    assert "<h1>This link opens nothing.</h1>" in wrong.text
    page = httpx.get(alice, headers={"accept": "text/html,*/*"})
    letter = httpx.get(alice, headers=JSON)
    kept = [(one.headers["vary"], one.headers["cache-control"]) for one in (wrong, page, letter)]
    assert kept == [("accept", "no-store")] * 3, "a browser may not show one for the other"
    beside = tables("resume", "table", "--serve")
    assert beside.link("Alice").rpartition(":")[2].partition("/")[2] == f"{key}/seat/{own}/Alice"
    assert beside.link("Alice") != alice, "its usual port was taken"


def test_a_taken_port_is_told_before_a_run_is_registered(coop: Coop) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        served = ("--agent", "Alice=human", "--serve", "--port", port, "--name", "r")
        said = one_line(coop("run", "escape_room", *served), USAGE)
    assert f"port {port} on 127.0.0.1" in said
    assert "no run 'r'" in one_line(coop("show", "r"), USAGE), "it was not begun"


def test_pages_that_nobody_would_read_are_refused(coop: Coop, tmp_path: Path) -> None:
    said = one_line(coop("run", "escape_room", "--serve", "--name", "r"), USAGE)
    assert "no person sits at this table: give --agent NAME=human" in said
    assert "no run 'r'" in one_line(coop("show", "r"), USAGE), "it was not begun"
    said = one_line(coop("run", "escape_room", "--port", "8600"), USAGE)
    assert "give --serve, too" in said
    assert "--serve is for one run" in one_line(coop("resume", "--all", "--serve"), USAGE)


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_storys_command_is_played_to_its_end_in_a_browser(
    tables: Any, size: tuple[int, int], tmp_path: Path
) -> None:
    (command,) = re.findall(r"^coop (run .* --serve)$", STORY.read_text(), re.MULTILINE)
    table = tables(*shlex.split(command))
    with tab(size) as opened:
        page = opened.page
        page.goto(table.link("Alice"))
        page.get_by_role("heading", name="Alice, make an offer").wait_for()
        page.get_by_role("button", name="Somebody does …").click()
        page.get_by_role("button", name="Somebody pays …").click()
        page.get_by_label("Amount").fill("5")
        page.get_by_role("button", name="Send", exact=True).click()
        page.get_by_role("heading", name="Alice, choose your action").wait_for()
        page.get_by_role("group", name="Your action").get_by_text("door").click()
        page.get_by_role("button", name="Send", exact=True).click()
        page.get_by_role("heading", name="The run is over").wait_for()
        assert "You end with -6: -1 earned, less 5 paid." in opened.text()
        ends = page.locator("main tbody tr").first
        assert ends.inner_text().split("\t") == ["you (Alice)", "-1", "-5", "-6"]
        shown = page.locator("main .scroll")
        assert shown.evaluate("one => one.scrollWidth <= one.clientWidth"), "all can be read"
        picture(opened, tmp_path, f"served-ended-{size[0]}")
        assert [one for one in opened.complaints if "404" not in one] == []
        page.get_by_role("link", name="The whole run").click()
        page.get_by_role("heading", name="escape room").first.wait_for()
        assert not opened.overflows()
        picture(opened, tmp_path, f"served-run-{size[0]}")
    assert table.stop() == 0

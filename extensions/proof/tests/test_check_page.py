"""The checking page in a real browser: offline, by keyboard, on a phone, and with hostile files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from extensions.proof.tests.random_exports import followed
from extensions.proof.tests.signed_play import GIFT, Play, signed_play
from shapley_coop.extensions.proof.check_page import check_page
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.extensions.proof.statement import envelope_signed
from tests.browser import DESK, PHONE, Tab, picture, tab

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


class Sent(NamedTuple):
    """The files that a checker has."""

    page: Path
    export: Path
    operator: Path
    party: Path


@pytest.fixture(scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> Play:
    with pytest.MonkeyPatch.context() as patch:
        return await signed_play(tmp_path_factory.mktemp("home"), patch, GIFT)


@pytest.fixture
def sent(played: Play, tmp_path: Path) -> Sent:
    files = Sent(*(tmp_path / name for name in ("check.html", "e.json", "operator.pem", "zoe.pem")))
    files.page.write_text(check_page(), encoding="utf-8")
    files.export.write_bytes(played.signed(played.statement()))
    files.operator.write_text(played.keys[OPERATOR].pem)
    files.party.write_text(played.keys["Zoë"].pem)
    return files


def checked(opened: Tab, sent: Sent, *parties: Path) -> str:
    """The verdict after the files were chosen without any network."""
    opened.page.context.set_offline(True)
    opened.page.goto(sent.page.as_uri())
    opened.page.set_input_files("#known", list(parties))
    opened.page.set_input_files("#export", sent.export)
    opened.page.set_input_files("#operator-file", sent.operator)
    return str(opened.page.locator("#result h2").inner_text())


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_an_export_is_told_in_words_without_a_network(
    sent: Sent, size: tuple[int, int], tmp_path: Path
) -> None:
    with tab(size) as opened:
        asked: list[str] = []
        opened.page.on("request", lambda request: asked.append(request.url))
        assert checked(opened, sent, sent.party) == "All of it holds: 14 checks."
        text = opened.text()
        for words in ("Zoë and Çağrı played one turn of Gifts of Zoë", "the key that was given"):
            assert words in text
        picture(opened, tmp_path, f"check-{size[0]}")
        assert (opened.complaints, opened.overflows()) == ([], False)
        assert asked == [sent.page.as_uri()]


def test_all_is_done_by_keyboard(sent: Sent) -> None:
    with tab(PHONE) as opened:
        opened.page.goto(sent.page.as_uri())
        opened.page.set_input_files("#export", sent.export)  # the chooser itself is the browser's
        focused = "document.activeElement.id || document.activeElement.type"
        reached = []
        for _ in range(5):
            opened.page.keyboard.press("Tab")
            reached.append(opened.page.evaluate(focused))
            if reached[-1] == "operator":
                opened.page.keyboard.insert_text(sent.operator.read_text())
        assert reached == ["export", "operator-file", "operator", "known", "submit"]
        opened.page.keyboard.press("Enter")
        opened.page.locator("#result h2").wait_for()
        assert opened.page.evaluate("document.activeElement.id") == "result"
        assert "All of it holds" in opened.text()


def test_a_private_key_is_sent_back(played: Play, sent: Sent) -> None:
    sent.operator.write_text(played.signers[OPERATOR].pem())
    with tab() as opened:
        assert checked(opened, sent) == "This cannot be checked."
        assert "keep this one secret" in opened.text()


def test_files_are_dropped_on_the_page(sent: Sent) -> None:
    drop = """files => {
        const carried = new DataTransfer();
        for (const [name, text] of files) carried.items.add(new File([text], name));
        const dropped = new DragEvent("drop", { dataTransfer: carried, bubbles: true });
        document.body.dispatchEvent(dropped);
    }"""
    with tab() as opened:
        opened.page.goto(sent.page.as_uri())
        dropped = [[one.name, one.read_text()] for one in (sent.operator, sent.party, sent.export)]
        opened.page.evaluate(drop, dropped)
        opened.page.locator("#result h2").wait_for()
        assert "All of it holds" in opened.text()


def _lie(told: dict[str, Any]) -> None:
    told["payoffs"]["Zoë"] = str(int(told["payoffs"]["Zoë"]) + 1)


def _no_table(told: dict[str, Any]) -> None:
    told["settings"] |= {"game": "chess"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_lie, "payoffs: it differs from what follows from the rest"),
        (_no_table, "the rules of chess are not in the file"),
        (lambda told: told.update(episode=HOSTILE), "the signature is not of revision"),
    ],
)
def test_what_is_wrong_or_unknown_is_named(
    played: Play, sent: Sent, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    sent.export.write_bytes(played.altered(change))
    with tab() as opened:
        assert checked(opened, sent).startswith("Do not rely on this file")
        assert words in opened.text()


def test_no_text_of_a_hostile_file_becomes_markup_or_script(played: Play, sent: Sent) -> None:
    told = json.loads(json.dumps(played.statement()["predicate"]))
    told |= {
        "keys": {},
        "agreements": [],
        "salt": "",
        "workflow": HOSTILE,
        "code": {HOSTILE: HOSTILE},
    }
    told["settings"]["game"] |= {"name": f"{HOSTILE}\u202e", "about": HOSTILE}
    told["settings"]["require_signed"] = False
    statement = followed(told)
    sent.export.write_bytes(as_bytes(envelope_signed(statement, [played.signers[OPERATOR]])))
    with tab() as opened:
        said: list[str] = []
        opened.page.on("dialog", lambda dialog: said.append(dialog.message))
        assert checked(opened, sent).startswith("All of it holds")
        assert f"{HOSTILE}\\u{{202e}}" in opened.text()
        assert opened.page.locator("#result img, #result script").count() == 0
        assert (said, opened.complaints) == ([], [])


def test_the_policy_stops_what_is_not_of_the_page(sent: Sent) -> None:
    page = check_page().replace("</main>", "<script>document.title = 'ran'</script></main>")
    sent.page.write_text(page, encoding="utf-8")
    with tab() as opened:
        opened.page.goto(sent.page.as_uri())
        asked = "fetch('https://example.org').then(() => 'sent', () => 'refused')"
        assert opened.page.evaluate(asked) == "refused"
        assert opened.page.title() == "Check an export"
        assert any("Content Security Policy" in said for said in opened.complaints)

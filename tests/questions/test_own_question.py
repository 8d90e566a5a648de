"""The question of docs/own-question.md, installed as the page says, is answered by every seat."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shapley_coop import RunConfig, extension
from shapley_coop.graphs import catalogue
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts.render import _ours, _templates
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.person import fields_of
from shapley_coop.seats.records import Mail
from shapley_coop.state.storage.home import home
from tests.embedded_reply import by_schema
from tests.root import ROOT
from tests.scripted import Script
from tests.stub_openai import StubOpenAI

PAGE = (ROOT / "docs" / "own-question.md").read_text(encoding="utf-8")
FILES = re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL)
CACHES = (
    *(extension._find_all, catalogue.builder, catalogue.compiled, catalogue.version),
    *(find_question, _templates, _ours),
)
OFFER = '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}</PROPOSAL>'


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package, with the metadata that an installation would leave."""
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (described := tmp_path / "appraisal-0.1.0.dist-info").mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: appraisal\nVersion: 0.1.0\n")
    entry = "[shapley_coop.extensions]\nappraisal = appraisal:EXTENSION\n"
    (described / "entry_points.txt").write_text(entry)
    monkeypatch.syspath_prepend(tmp_path)
    for cached in CACHES:
        cached.cache_clear()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "appraisal"]:
        del sys.modules[name]
    monkeypatch.undo()
    for cached in CACHES:
        cached.cache_clear()


def appraised(outcome: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["by"], one["text"]) for one in outcome["talk"] if " points." in one["text"]]


@pytest.mark.parametrize("game", ["escape_room", "prisoners_dilemma", "volunteers"])
async def test_embedded_agents_say_what_an_offer_is_worth_to_them(game: str) -> None:
    outcome = await play("appraisal", RunConfig(game=game, seed=1))
    others = {*outcome["payoffs"]} - {outcome["talk"][0]["by"]}
    assert {by for by, _ in appraised(outcome)} == others
    assert all(re.fullmatch(r"-?[\d.]+ points\.", said) for _, said in appraised(outcome))


async def test_a_letter_shows_the_offer_and_what_is_no_number_is_asked_back(script: Script) -> None:
    script["Alice", "propose"] = OFFER
    script["Bob", "appraise"] = ["<CLAIM>much</CLAIM>", "<s>I pay for it.</s><CLAIM>-1</CLAIM>"]
    outcome = await play("appraisal", RunConfig())
    assert appraised(outcome) == [("Bob", "-1 points. I pay for it.")]
    table = await table_of(home().runs.get(outcome["run"]))
    letters = [one for one in home().journal.entries(table["episode"]) if one.act == "appraise"]
    assert "It is offer 1, by Alice, as told above" in letters[0].letter_text
    assert letters[0].facts["offer"]["in_words"] == "c1. Bob does lever at every turn."
    assert "as in <CLAIM>4.5</CLAIM>" in letters[1].letter_text


@pytest.mark.usefixtures("openai_key")
async def test_a_model_answers_it_by_a_schema() -> None:

    def said(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        schema = request["response_format"]["json_schema"]["schema"]
        if "worth" not in schema["properties"]:
            return by_schema(messages, request)
        assert [*schema["properties"]] == ["thoughts", "speech", "worth", "notes"]
        return json.dumps({"thoughts": "", "speech": "Fair.", "worth": 4.5, "notes": None})

    with StubOpenAI(said) as stub:
        seat = {"model": "openai:Bob", "base_url": stub.base_url, "answers": "schema"}
        seats = {"Alice": {"model": "embedded:rational"}, "Bob": seat}
        outcome = await play("appraisal", RunConfig.model_validate({"seats": seats}))
    assert appraised(outcome) == [("Bob", "4.5 points. Fair.")]


async def test_a_person_answers_it_in_fields() -> None:
    def reply(mail: Mail) -> Any:
        if mail.act == "appraise":
            return {"worth": "3", "speech": "About that."}
        return f"<ACTION>{mail.facts['legal'][0]}</ACTION>"

    seats = {"Alice": "embedded:rational", "Bob": "human"}
    run = prepare("appraisal", RunConfig(seats=RunConfig.model_validate({"seats": seats}).seats))
    assert appraised(await follow(run, person=reply)) == [("Bob", "3 points. About that.")]
    assert fields_of("appraise") == ("thoughts", "speech", "worth", "notes")


def test_a_seat_finds_it_by_its_name_though_no_page_is_loaded() -> None:
    found = find_question("appraise")
    assert found is not None
    assert found.title == "say what the offer is worth to you"
    assert "appraisal.page" not in sys.modules

"""The bundle: what the page is told of a run, and the one file made of it."""

import asyncio
import base64
import hashlib
import json
import re
from typing import Any

import pytest

from games import names as games
from graphs import names as workflows
from graphs.running import play
from serve.assets import FILES, FOLDER, HEADERS
from serve.selfcontained import linked, selfcontained
from serve.shelves import HomeShelf
from state import Room
from tests.scripted import Script

LEVERS = '{"kind": "do", "agent": "Alice", "action": "lever"}'
DOORS = '{"kind": "do", "agent": "Bob", "action": "door"}'
PRICE = '{"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": "5.5"}'
DEAL = f'<s>Deal?</s><PROPOSAL>{{"clauses": [{LEVERS}, {DOORS}, {PRICE}]}}</PROPOSAL>'


def made(graph: str, private: bool = False, **room: Any) -> dict[str, Any]:
    outcome = asyncio.run(play(graph, Room.model_validate(room)))
    return HomeShelf().get(outcome["run"], private)


@pytest.fixture
def broken(script: Script) -> dict[str, Any]:
    """Alice promises to pull the lever for a price, and goes to the door."""
    script["Alice", "propose"] = DEAL
    script["Bob", "answer"] = "<ACCEPT></ACCEPT>"
    script["Alice", "act"] = ["<ACTION>fly</ACTION>", "<ACTION>door</ACTION>"]
    script["Bob", "act"] = "<ACTION>door</ACTION>"
    return made("negotiation", private=True, seats={"*": "embedded:rational"})


def test_a_clause_is_marked_where_it_was_broken_kept_and_due(broken: dict[str, Any]) -> None:
    marks = {c["id"]: c["turns"][0] for c in broken["contract"]["clauses"]}
    assert {cid: turn["is"] for cid, turn in marks.items()} == {
        "c1": "broken",
        "c2": "kept",
        "c3": "due",
    }
    assert marks["c1"]["note"] == "turn 1: Alice did door, owed lever"
    (played,) = [event for event in broken["timeline"] if event["kind"] == "played"]
    assert [breach["clause"] for breach in played["breaches"]] == ["c1"]
    assert played["due"] == [{"clause": "c3", "payer": "Bob", "payee": "Alice", "amount": 5.5}]


def test_what_was_planned_is_the_play_in_which_everybody_keeps_its_word(
    broken: dict[str, Any],
) -> None:
    (turn,) = broken["plan"]["turns"]
    assert turn["planned"] == {"Alice": ["lever"], "Bob": ["door"]}
    assert turn["did"] == {"Alice": "door", "Bob": "door"}
    assert broken["plan"]["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert broken["outcome"]["points"]["ended"] == {"Alice": 4.5, "Bob": -6.5}


def test_who_got_less_than_its_due_is_least_satisfied_and_could_have_done_better(
    broken: dict[str, Any],
) -> None:
    assert broken["credit"]["least"] == ["Bob"]
    assert [row["gap"] for row in broken["credit"]["rows"]] == [5.5, -5.5]
    # Alone each secures -1 (Escape Room), and Bob is left with -6.5.
    assert broken["credit"]["complaint"] == {"members": ["Bob"], "excess": 5.5}


def test_what_was_sent_back_is_private_and_has_its_reason(broken: dict[str, Any]) -> None:
    acts = [n for n in broken["private"] if (n["agent"], n["act"]) == ("Alice", "act")]
    assert [note["attempt"] for note in acts] == [1, 2]
    assert acts[0]["fault"]["label"] == "ACTION"
    assert acts[1]["fault"] is None
    public = {key: value for key, value in broken.items() if key != "private"}
    assert "fly" not in json.dumps(public)
    assert "letter" not in json.dumps(public)


def test_the_timeline_tells_it_in_order(broken: dict[str, Any]) -> None:
    told = [event["kind"] for event in broken["timeline"]]
    assert told == ["said", "said", "signed", "played", "settled"]
    assert broken["timeline"][2]["hash"] == broken["contract"]["hash"]


def test_every_amendment_is_told_and_the_last_one_stands(script: Script) -> None:
    script["Alice", "propose"] = DEAL
    script["Bob", "answer"] = "<ACCEPT></ACCEPT>"
    bundle = made("negotiation", params={"rounds": 3}, renegotiate="every 1")
    signed = [event for event in bundle["timeline"] if event["kind"] == "signed"]
    assert [event["turn"] for event in signed] == [1, 2, 3]
    assert [event["previous"] for event in signed] == [None, *(e["hash"] for e in signed[:-1])]
    assert signed[-1]["hash"] == bundle["contract"]["hash"]
    ended = [clause for clause in bundle["contract"]["clauses"] if clause["to_turn"] == 1]
    assert ended
    assert {clause["turns"][1]["is"] for clause in ended} == {"out"}


@pytest.mark.slow
@pytest.mark.parametrize("graph", workflows())
def test_every_workflow_makes_a_bundle_of_plain_finite_json(graph: str) -> None:
    game = "task_exchange" if graph == "task_exchange" else "escape_room"
    bundle = made(graph, private=True, game=game)
    assert json.loads(json.dumps(bundle, allow_nan=False)) == bundle
    assert bundle["timeline"][-1]["kind"] == "settled"
    assert bundle["private"]
    balances = bundle["ledger"]["balances"]
    assert sum(balances.values()) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize("game", games())
def test_every_game_makes_one_and_nobody_is_due_more_than_there_is(game: str) -> None:
    bundle = made("llm_only", game=game)
    rows = bundle["credit"]["rows"]
    assert sum(row["due"] for row in rows) == pytest.approx(bundle["outcome"]["total"])


# One file


def test_the_file_runs_exactly_the_program_that_is_in_it(broken: dict[str, Any]) -> None:
    page = selfcontained(broken)
    (program,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"^(import|export) ", program, re.MULTILINE)


def test_the_data_in_the_file_is_the_bundle_whatever_is_said_in_it(broken: dict[str, Any]) -> None:
    said = {**broken, "run": "</script><!--<script>\u2028&"}
    page = selfcontained(said)
    (data,) = re.findall(r'id="bundle">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data) == said
    assert not {"<", ">", "&", "\u2028"} & set(data)


@pytest.mark.parametrize("entry", ["view.js", "seat.js"])
def test_no_two_modules_of_the_page_declare_the_same_name(entry: str) -> None:
    declared = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", linked(entry), re.MULTILINE)
    assert len(declared) == len(set(declared))


def test_the_page_never_makes_markup_of_text() -> None:
    program = "".join(text for name, text in FILES.items() if name.endswith(".js"))
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "style=",
    ):
        assert way not in program
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", "".join(FILES.values()))
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_all_files_of_the_page_are_served_and_shipped() -> None:
    assert {path.name for path in FOLDER.iterdir()} == FILES.keys()


# Colours


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_can_be_read_in_light_and_dark(scheme: int) -> None:
    """4.5 to 1 for texts, as WCAG 2.2 asks at level AA."""
    roots = re.findall(r":root \{(.*?)\}", FILES["page.css"], re.DOTALL)
    found = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", roots[scheme]))
    grounds = [found[name] for name in ("paper", "card", "wash")]
    texts = ["ink", "faint", "good", "bad", "due", "accent", *(f"a{n}" for n in range(8))]
    poor = {
        name: round(worst, 2)
        for name in texts
        if (worst := min(contrast(found[name], ground) for ground in grounds)) < 4.5
    }
    assert poor == {}

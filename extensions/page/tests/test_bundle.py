"""The bundle: what the page is told of a run, and the one file made of it."""

import asyncio
import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.cli.playing.new_game import new_game
from shapley_coop.deals.language.labels import LABELS
from shapley_coop.extensions.page.assets import FILES, FOLDER, HEADERS
from shapley_coop.extensions.page.escrow import escrow_view
from shapley_coop.extensions.page.plan import plan_view
from shapley_coop.extensions.page.run_sources import HomeSource, bundle_of
from shapley_coop.extensions.page.selfcontained import link_modules, standalone_page
from shapley_coop.games import names as games
from shapley_coop.graphs import builder
from shapley_coop.graphs import names as workflows
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from tests.brought import brought_by
from tests.scripted import Script

LEVERS = '{"kind": "do", "agent": "Alice", "action": "lever"}'
DOORS = '{"kind": "do", "agent": "Bob", "action": "door"}'
PRICE = '{"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": "5.5"}'
DEAL = f'<s>Deal?</s><PROPOSAL>{{"clauses": [{LEVERS}, {DOORS}, {PRICE}]}}</PROPOSAL>'


def played(graph: str, **room: Any) -> dict[str, Any]:
    return asyncio.run(play(graph, RunConfig.model_validate(room)))


def made(graph: str, private: bool = False, **room: Any) -> dict[str, Any]:
    return HomeSource().get(played(graph, **room)["run"], private)


def at_stake(**room: Any) -> tuple[dict[str, Any], dict[str, Any], Table]:
    """Cash Grab with deposits of 1: result, bundle and table. Bob does what pays it best."""
    seats = {"*": "embedded:rational", "Bob": "embedded:defector"}
    given = {"game": "cash_grab", "seed": 1, "seats": seats, "enforcement": "escrow"}
    outcome = played("contracts", **{**given, "deposit": "1", **room})
    run = home().runs.get(outcome["run"])
    return outcome, bundle_of(run, home(), private=True), asyncio.run(table_of(run))


once = cache(at_stake)
"""Played once for all tests, which only read."""


def told(bundle: dict[str, Any]) -> str:
    return "".join(part["text"] for part in bundle["story"])


@pytest.fixture
def broken(script: Script) -> dict[str, Any]:
    """Alice promises to pull the lever for a price, and goes to the door."""
    script["Alice", "propose"] = DEAL
    script["Bob", "answer"] = "<ACCEPT></ACCEPT>"
    script["Alice", "act"] = ["<ACTION>fly</ACTION>", "<ACTION>door</ACTION>"]
    script["Bob", "act"] = "<ACTION>door</ACTION>"
    return made("negotiation_priced", private=True, seats={"*": "embedded:rational"})


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


def test_a_clause_is_pending_until_it_is_broken_or_can_be_no_more() -> None:
    outcome, bundle, _ = once()
    clauses = bundle["contract"]["clauses"]
    stood = {clause["id"]: [turn["verdict"] for turn in clause["turns"]] for clause in clauses}
    # c2 asks for something at turns 2, 5 and 8; Bob broke c5 at the first of those.
    assert stood["c2"] == ["pending"] * 7 + ["satisfied"] * 3
    assert stood["c5"] == ["pending"] + ["violated"] * 9
    assert {cid: turns[-1] for cid, turns in stood.items()} == outcome["audit"]["verdicts"]
    assert {clause["at_signing"] for clause in clauses} == {"pending"}


def test_a_clause_that_an_amendment_ends_was_pending_until_then(script: Script) -> None:
    script["Alice", "propose"] = DEAL
    script["Bob", "answer"] = "<ACCEPT></ACCEPT>"
    outcome = played("negotiation_priced", params={"rounds": 3}, renegotiate="every 2")
    clauses = HomeSource().get(outcome["run"], private=False)["contract"]["clauses"]
    stood = {clause["id"]: [turn["verdict"] for turn in clause["turns"]] for clause in clauses}
    # Looking back, c2 could be broken no more after turn 2; at turn 1 nobody could know.
    assert stood["c2"] == ["pending", "pending", "satisfied"]
    assert stood["c5"] == [None, None, "satisfied"]
    assert {cid: turns[-1] for cid, turns in stood.items()} == outcome["audit"]["verdicts"]


def test_a_deposit_is_forfeited_to_those_who_kept_their_word_and_the_ledger_says_so() -> None:
    outcome, bundle, _ = once()
    escrow = bundle["escrow"]
    assert (escrow["deposit"], escrow["held"]) == (1, 0)
    assert {party["agent"]: (party["is"], party["to"]) for party in escrow["parties"]} == {
        "Alice": ("returned", {"Alice": 1}),
        "Bob": ("forfeited", {"Alice": 0.5, "Carol": 0.5}),
        "Carol": ("returned", {"Carol": 1}),
    }
    assert [(p["clause"], p["turn"]) for p in escrow["parties"] if p["clause"]] == [("c5", 2)]
    left = {
        agent: sum(party["to"].get(agent, 0) for party in escrow["parties"]) - 1
        for agent in bundle["agents"]
    }
    assert left == outcome["forfeits"]
    released = [line for line in bundle["ledger"]["lines"] if line["debit"] == "escrow"]
    assert sum(line["amount"] for line in released) == 3
    assert [line["memo"] for line in released if line["amount"] == 0.5] == [
        "deposit forfeited by c5, turn 2"
    ] * 2


def test_deposits_are_held_while_the_game_goes_on() -> None:
    _, _, table = once()
    for turns, held in ((0, 3), (1, 3), (2, 2), (10, 2)):
        early: Any = {**table, "record": table["record"][:turns], "settlement": None}
        view = escrow_view(EvaluatedTable(early))
        assert view
        assert view["held"] == held


@pytest.mark.parametrize(
    ("room", "parties"), [({"enforcement": "enforced"}, None), ({"deposit": "0"}, [])]
)
def test_there_is_no_escrow_where_nothing_is_at_stake(room: dict[str, Any], parties: Any) -> None:
    _, bundle, _ = at_stake(**room)
    assert (bundle["escrow"] and bundle["escrow"]["parties"]) == parties


def test_the_story_says_who_agreed_on_what_who_broke_it_and_how_fair_it_was() -> None:
    _, bundle, _ = once()
    assert told(bundle) == (
        "Each of the 3 agents acted, in 10 turns. "
        "Alice, Bob and Carol signed a contract of 9 duties and 2 payments in round 2 of talk. "
        "Bob broke it 3 times and forfeited its deposit of 1. "
        "Together they earned 28 of 40 at best; "
        "Alice ended with 5.37, Bob with 9.87 and Carol with 12.76. "
        "Bob got 4.13 less than is due by the Shapley value of the record, "
        "and the conduct of Alice and Bob alone improved the total by 20.76 more than their part "
        "of the improvement."
    )
    # If Carol waits throughout, both take in six turns (4 a turn), and Bob alone in four (3): 36.
    # They ended with 15.24.
    (pair,) = [
        one for one in bundle["credit"]["worths"]["each"] if one["members"] == ["Alice", "Bob"]
    ]
    assert pair["worth"] == 36


@brought_by("values")
def test_a_fair_split_is_called_so_by_the_norms_that_it_meets() -> None:
    bundle = made("shapley_coop", seed=3)
    assert told(bundle).endswith(
        "Every duty was kept. Together they earned 9 of 9 at best, and each ended with 4.5. "
        "That is fair by the Shapley value, nucleolus, proportional split and equal split."
    )
    assert {norm["gap"] for norm in bundle["credit"]["norms"]} == {0}
    assert bundle["credit"]["rows"][0]["marginal"] == 10


def test_without_a_word_nothing_is_signed() -> None:
    story = told(made("llm_only"))
    assert story.startswith(
        "Each of the 2 agents acted, in 1 turn. "
        "Nobody talked, and nothing is signed. Together they earned −2 of 9"
    )
    assert "Together they earned 0 EUR of 225" in told(made("llm_only", game="shared_service"))


def test_whatever_the_story_says_stands_in_a_panel() -> None:
    for bundle in (once()[1], made("shapley_coop")):
        see = {part["see"] for part in bundle["story"] if "see" in part}
        panels = {"timeline", "contract", "plan", "payoffs", "credit", "escrow", "ledger"}
        assert see <= panels
        assert all(bundle[name] for name in see - {"payoffs"})


PRIVATE = ["shapley_coop", "contracts"]
PRIVATE += [name for name in ("task_exchange", "settlement", "consent") if name in workflows()]


@pytest.mark.parametrize("graph", PRIVATE)
def test_every_private_answer_leads_to_something_on_the_table(graph: str) -> None:
    game = builder(graph).game
    bundle = made(graph, private=True, game=game, seed=2)
    events = bundle["timeline"]
    on_table = {e["id"]: e["by"] for e in events if e["kind"] == "said"}
    turns = {f"turn {event['turn']}" for event in events if event["kind"] == "played"}
    assert bundle["private"]
    for note in bundle["private"]:
        assert note["event"] in turns or on_table[note["event"]] == note["agent"]


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
    # At the door without the others Bob would have had -1, and it is left with -6.5.
    assert broken["credit"]["complaint"] == {"by": "record", "members": ["Bob"], "excess": 5.5}


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
    bundle = made("negotiation_priced", params={"rounds": 3}, renegotiate="every 1")
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
    bundle = made(graph, private=True, game=builder(graph).game)
    assert json.loads(json.dumps(bundle, allow_nan=False)) == bundle
    assert bundle["timeline"][-1]["kind"] == "settled"
    assert bundle["private"]
    balances = bundle["ledger"]["balances"]
    assert sum(balances.values()) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize("game", games())
def test_every_game_makes_one_and_nobody_is_due_more_than_there_is(
    game: str, request: pytest.FixtureRequest
) -> None:
    if game == "software_company":
        request.getfixturevalue("boxed")
    bundle = made("llm_only", game=game)
    rows = bundle["credit"]["rows"]
    assert sum(row["due"] for row in rows) == pytest.approx(bundle["outcome"]["total"])


# One file


def test_the_file_runs_exactly_the_program_that_is_in_it(broken: dict[str, Any]) -> None:
    page = standalone_page(broken)
    (program,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"^(import|export) ", program, re.MULTILINE)


def test_the_data_in_the_file_is_the_bundle_whatever_is_said_in_it(broken: dict[str, Any]) -> None:
    said = {**broken, "run": "</script><!--<script>\u2028&"}
    page = standalone_page(said)
    (data,) = re.findall(r'id="bundle">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data) == said
    assert not {"<", ">", "&", "\u2028"} & set(data)


@pytest.mark.parametrize("entry", ["view.js", "seat.js"])
def test_no_two_modules_of_the_page_declare_the_same_name(entry: str) -> None:
    declared = re.findall(
        r"^(?:async )?(?:function|const|let) (\w+)", link_modules(entry), re.MULTILINE
    )
    assert len(declared) == len(set(declared))


def test_the_page_has_words_for_every_refusal() -> None:
    words = json.loads(FILES["labels.js"].removeprefix("export const REFUSALS = ").rstrip(";\n"))
    assert words.keys() == {label for labels in LABELS.values() for label in labels}
    assert 'from "./labels.js"' in FILES["words.js"]


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
    assert {path.name for path in FOLDER.iterdir()} | {"labels.js"} == FILES.keys()


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
    own = [f"a{n}" for n in range(8)]
    texts = ["ink", "faint", "good", "bad", "due", "wait", "accent", *own]
    poor = {
        name: round(worst, 2)
        for name in texts
        if (worst := min(contrast(found[name], ground) for ground in grounds)) < 4.5
    }
    assert poor == {}


async def test_the_plan_lets_nobody_act_who_cannot(script: Script, tmp_path: Path) -> None:
    """Cyd cannot act in the first of two turns, so that Ben pays it for one."""
    file = tmp_path / "orchard.py"
    idle = 'self.over(position) or (agent == "Cyd" and position["turn"] == 1)'
    file.write_text(new_game("orchard").replace("self.over(position) else", f"{idle} else"))
    acts = {"Ann": "wait", "Ben": "wait", "Cyd": "take 1"}
    clauses: list[Any] = [{"kind": "do", "agent": a, "action": act} for a, act in acts.items()]
    paid = {"kind": "pay", "payer": "Ben", "payee": "Cyd", "amount": 1, "per": "turn"}
    clauses += [{**paid, "when": {"last": {"agent": "Cyd", "action": "take 1"}}}]
    script["Ann", "propose"] = f"<PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"
    script["Ben", "answer"] = script["Cyd", "answer"] = "<ACCEPT>"
    outcome = await play("negotiation_priced", RunConfig(game=str(file), params={"rounds": 2}))
    table = await table_of(home().runs.get(outcome["run"]))
    plan = plan_view(EvaluatedTable(table))
    assert plan is not None
    assert plan["payoffs"] == {"Ann": 0, "Ben": -1, "Cyd": 2}


def test_a_game_in_a_python_file_is_named_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "orchard.py").write_text(new_game("orchard"))
    made_of_it = made("llm_only", game=str(tmp_path / "orchard.py"))
    assert made_of_it["game"]["name"] == "orchard"
    assert str(tmp_path) not in json.dumps(made_of_it["game"])

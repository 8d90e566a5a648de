"""The workflow `contracts`: drafted, certified, written down, signed, watched, enforced, judged."""

import json

import pytest

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.deals.written.document import INTENT, compose
from shapley_coop.evals.verifying import verify_run
from shapley_coop.games import load
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.deals.promised import promise, proposal, table_after

DILEMMA = load("prisoners_dilemma")
TERMS = Terms(DILEMMA.agents, DILEMMA.actions, DILEMMA.turns)
FINED = promise(DILEMMA, fine=2)
BREAKER, KEEPER = "embedded:contract_breaker", "embedded:contract_keeper"


def said(table, act=None, by=None, topic=None):
    return [
        s
        for s in table["talk"]
        if act in (None, s["act"]) and by in (None, s["by"]) and topic in (None, s["topic"])
    ]


async def test_agents_draft_in_turn_and_play_what_all_have_accepted():
    table = await table_after(RunConfig(game="prisoners_dilemma", seed=1))
    assert [s["by"] for s in said(table, topic="plan")][:2] == ["Alice", "Bob"]
    assert table["contract"]["signatures"].keys() >= set(table["agents"])
    assert sum(table["settlement"]["payoffs"].values()) == 20_000_000
    assert table["settlement"]["audit"]["duties"] == {"kept": 20, "owed": 20}
    assert all(check.sound for check in await verify_run("run"))


async def test_the_summariser_writes_all_five_sections_and_cites_every_clause():
    table = await table_after(RunConfig(game="cash_grab", seed=1))
    (written,) = said(table, by="summariser")
    assert "## 5. Commitment" in written["text"]
    for term in table["contract"]["terms"]:
        assert written["text"].count(f"[{term['id']}]") == 1


@pytest.mark.parametrize(
    ("enforcement", "welfare", "kept"),
    [("notional", 10, 10), ("enforced", 20, 20), ("escrow", 20, 20)],
)
async def test_against_a_breaker_only_what_is_enforced_holds(enforcement, welfare, kept):
    seats = {"Alice": BREAKER, "*": KEEPER}
    room = RunConfig(game="prisoners_dilemma", seed=2, seats=seats, enforcement=enforcement)
    outcome = await play("contracts", room)
    assert sum(outcome["payoffs"].values()) == welfare
    assert outcome["audit"]["duties"] == {"kept": kept, "owed": 20}
    assert {breach["agent"] for breach in outcome["breaches"]} <= {"Alice"}
    assert outcome["status"] == "agreed"


@pytest.mark.parametrize("enforcement", ["notional", "enforced"])
@pytest.mark.parametrize("game", ["prisoners_dilemma", "stag_hunt", "volunteers"])
async def test_what_is_said_of_a_contract_is_true_of_its_clauses(game, enforcement):
    room = RunConfig(game=game, params={"rounds": 2}, enforcement=enforcement, seed=1)
    outcome = await play("contracts", room)
    offer = next(said for said in outcome["events"] if "deal" in said)
    pays = [line for line in offer["deal"]["text"] if " pays " in line]
    fines = [line for line in pays if "for each turn, if" in line]
    assert ("pays the others where it gains by not doing so" in offer["text"]) == bool(fines)
    assert ("payments at the last turn" in offer["text"]) == (len(pays) > len(fines))
    assert all(line.endswith("once, at turn 2.") for line in pays if line not in fines)


async def test_a_deposit_is_taken_forfeited_to_the_injured_and_never_released_twice(script):
    bare = Deal(clauses=[Do(agent=agent, action="cooperate") for agent in DILEMMA.agents])
    script["Alice", "contract_propose"] = proposal(bare)
    script["Bob", "contract_answer"] = "<ACCEPT>"
    script["Bob", "act"] = [*["<ACTION>cooperate</ACTION>"] * 2, "<ACTION>defect</ACTION>"]
    table = await table_after(RunConfig(game="prisoners_dilemma", enforcement="escrow"))
    assert table["settlement"]["forfeits"] == {"Alice": 10_000_000, "Bob": -10_000_000}
    assert table["settlement"]["payoffs"] == {"Alice": 4_000_000, "Bob": 8_000_000}
    balances = home().ledger.balances(table["episode"])
    assert balances["escrow"] == 0
    assert {a: balances[a] for a in table["agents"]} == table["settlement"]["payoffs"]
    memos = [line.memo for line in home().ledger.lines(table["episode"])]
    assert memos.count("deposit forfeited by c2, turn 3") == 1
    assert memos.count("deposit returned") == 1
    assert all(check.sound for check in await verify_run("run"))


async def test_a_summary_that_changes_an_obligation_is_sent_back_with_the_difference(script):
    script["Alice", "contract_propose"] = proposal(FINED)
    script["Bob", "contract_answer"] = "<ACCEPT>"
    prose = compose(FINED, TERMS)
    script["summariser", "contract_write"] = [
        f"<s>{prose.replace('pays Bob 2', 'pays Bob 9')}</s>",
        f"<s>{prose}</s>",
    ]
    table = await table_after(RunConfig(game="prisoners_dilemma"))
    first, second = script.shown_to("summariser")
    assert "could not be used" not in first
    assert "c3 says “Alice pays Bob 2 for each turn" in second
    assert said(table, by="summariser")[0]["text"] == prose


async def test_a_summariser_that_never_gets_it_right_changes_nothing_that_was_signed(script):
    script["Alice", "contract_propose"] = proposal(FINED)
    script["Bob", "contract_answer"] = "<ACCEPT>"
    script["summariser", "contract_write"] = "<s>They all agreed to be nice.</s>"
    table = await table_after(RunConfig(game="prisoners_dilemma", tries=2))
    (written,) = said(table, by="summariser")
    assert (written["act"], written["label"]) == ("pass", "DIFF")
    assert [term["id"] for term in table["contract"]["terms"]] == ["c1", "c2", "c3", "c4"]


def in_words_alone(script):
    script["Alice", "contract_propose"] = "<s>Let us both cooperate all the time.</s>"
    script["Bob", "contract_answer"] = "<s>Fine.</s><ACCEPT>"


async def test_clauses_drafted_from_words_bind_once_everybody_has_signed_them(script):
    in_words_alone(script)
    prose = compose(FINED, TERMS, intents=["We want all there is."])
    script["summariser", "contract_write"] = proposal(FINED, prose)
    script["Alice", "contract_sign"] = script["Bob", "contract_sign"] = "<ACCEPT>"
    table = await table_after(RunConfig(game="prisoners_dilemma"))
    assert said(table, topic="prose", act="accept")
    assert set(table["agents"]) <= table["contract"]["signatures"].keys()
    assert f"{INTENT} We want all there is." in said(table, by="summariser")[0]["text"]
    assert table["settlement"]["audit"]["duties"]["owed"] == 20
    assert all(check.sound for check in await verify_run("run"))


async def test_what_cannot_be_kept_never_reaches_the_table(script):
    impossible = Deal(
        clauses=[
            Do(agent="Bob", action="defect", when=Last(last=Event(agent="Alice", action="defect"))),
            Do(agent="Bob", action="cooperate"),
        ]
    )
    script["Alice", "contract_propose"] = [proposal(impossible), proposal(FINED)]
    script["Bob", "contract_answer"] = "<ACCEPT>"
    table = await table_after(RunConfig(game="prisoners_dilemma"))
    assert "Bob can do nothing that keeps c1 and c2" in script.shown_to("Alice")[1]
    assert len(said(table, act="propose", by="Alice")) == 1
    assert "c1 and c2" not in " ".join(script.shown_to("Bob"))


async def test_code_refuses_to_sign_below_a_reservation_value_that_nobody_else_learns(script):
    folder = home().secrets
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("Bob: 'Reservation value: 12'\n", encoding="utf-8")
    script["Alice", "contract_propose"] = [proposal(FINED), "<REJECT>"]
    script["Bob", "contract_answer"] = ["<ACCEPT>", "<s>No.</s><REJECT>"]
    script["Bob", "contract_propose"] = "<REJECT>"
    table = await table_after(RunConfig(game="prisoners_dilemma", secrets="mine"))
    assert table["contract"] is None
    assert "leaves you 10, less than 12, the least that you are to end" in script.shown_to("Bob")[1]
    assert "12" not in json.dumps(table["talk"])
    assert all("eservation" not in letter for letter in script.shown_to("Alice"))


async def test_an_offer_is_shown_with_its_certificate_and_how_it_is_enforced(script):
    script["Alice", "contract_propose"] = proposal(FINED)
    await table_after(
        RunConfig(game="prisoners_dilemma", enforcement="escrow", deposit="3", outlook=False)
    )
    letter = script.shown_to("Bob", "contract_answer")[0]
    assert "Keeping it is weakly dominant at every turn, " in letter.facts["offer"]["certificate"]
    assert "| you (Bob) | 0 | 0 | 10 |" in letter
    assert "Each party of a deal pays a deposit of 3" in letter
    assert letter.facts["enforcement"]["mode"] == "escrow"


async def test_talk_ends_without_a_contract_when_everybody_has_had_its_turns(script):
    for agent in DILEMMA.agents:
        script[agent, "contract_propose"] = proposal(FINED)
        script[agent, "contract_answer"] = proposal(promise(DILEMMA, fine=3))
    table = await table_after(RunConfig(game="prisoners_dilemma", rounds=2))
    assert [s["by"] for s in said(table, topic="plan")] == ["Alice", "Bob", "Alice", "Bob"]
    assert table["contract"] is None


async def test_a_judge_is_heard_beside_the_monitor_and_moves_nothing(script):
    script["Alice", "contract_propose"] = proposal(FINED)
    script["Bob", "contract_answer"] = "<ACCEPT>"
    script["Bob", "act"] = "<ACTION>defect</ACTION>"
    script["judge", "contract_judge"] = (
        "<s>c1: satisfied\nc2: satisfied\nc3: satisfied\nc4: satisfied</s>"
    )
    seats = {"*": KEEPER, "judge": "embedded:impartial"}
    table = await table_after(RunConfig(game="prisoners_dilemma", seats=seats))
    audit = table["settlement"]["audit"]
    assert audit["verdicts"]["c2"] == "violated"
    assert audit["judge"]["c2"] == "satisfied"
    assert audit["agreement"] == "0.75"
    assert len(audit["breaches"]) == 10


async def test_the_embedded_judge_reads_the_record_as_the_monitor_does():
    seats = {"*": KEEPER, "Bob": BREAKER, "judge": "embedded:impartial"}
    room = RunConfig(game="prisoners_dilemma", seats=seats, enforcement="notional")
    table = await table_after(room)
    assert table["settlement"]["audit"]["agreement"] == "1"
    assert table["settlement"]["breaches"]


async def test_a_contract_is_amended_after_a_breach(script):
    script["Alice", "contract_propose"] = [proposal(FINED), "<REJECT>"]
    script["Bob", "contract_answer"] = "<ACCEPT>"
    script["Bob", "contract_propose"] = "<REJECT>"
    script["Bob", "act"] = ["<ACTION>defect</ACTION>", "<ACTION>cooperate</ACTION>"]
    room = RunConfig(game="prisoners_dilemma", renegotiate="on_breach", rounds=1)
    table = await table_after(room)
    assert [b["turn"] for b in table["settlement"]["breaches"]] == [1]
    assert {s["turn"] for s in table["talk"]} == {1, 2}


def test_no_agent_can_be_called_what_the_impartial_are_called():
    game = {**DILEMMA.params.model_dump()}
    for key in ("actions",):
        game[key] = {"judge": ["a"], "Bob": ["a"]}
    game["absent"] = "a"
    game |= {
        "agents": ["judge", "Bob"],
        "payoffs": [{"play": ["a", "a"], "pays": [0, 0]}],
    }
    with pytest.raises(ValueError, match="judge"):
        RunConfig(game=game).resolve()


RPS = "pettingzoo:pettingzoo.classic.rps_v2:parallel_env"


@pytest.mark.parametrize("graph", ["contracts", "shapley_coop"])
@brought_by("pettingzoo")
async def test_an_environment_that_is_not_ours_plays_without_code(graph, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    room = RunConfig(
        game=RPS,
        params={"max_cycles": 3, "actions": ["rock", "paper", "scissors"]},
        seats={"*": "embedded:random"},
    )
    outcome = await play(graph, room, run="rps")
    assert outcome["turns_played"] == 3
    assert sum(outcome["payoffs"].values()) == 0
    assert all(check.sound for check in await verify_run("rps"))

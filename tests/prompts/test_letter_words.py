"""What letters say: the deal once, notes that are replaced, an offer's outlook, and few words."""

import json
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.cli.playing.new_game import new_game
from shapley_coop.deals.language.clauses import Do, Forbid, Give, Pay
from shapley_coop.games import names
from shapley_coop.graphs.running import play
from shapley_coop.prompts import write_history, write_request, write_rules
from shapley_coop.prompts.render import render
from shapley_coop.questions.answer import QUESTION as ANSWER
from shapley_coop.seats.letters import as_text
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.wording import STANDING
from tests.scripted import Script

DEAL = [
    {"kind": "do", "agent": "Alice", "action": "cooperate"},
    {"kind": "do", "agent": "Bob", "action": "cooperate"},
]
OFFER = f"<s>Both.</s><PROPOSAL>{json.dumps({'clauses': DEAL})}</PROPOSAL>"
ROOM = RunConfig(game="prisoners_dilemma", params={"rounds": 2}, rounds=2)


def agreeing(script: Script) -> None:
    script["Alice", "propose"] = OFFER
    script["Bob", "answer"] = "<s>Yes.</s><ACCEPT>"


def test_a_contracts_writer_is_told_the_plain_words_of_each_kind() -> None:
    facts = {"parties": "A, B", "drafted": False, "offer_by_id": "", "sections": [], "turns": 2}
    letter = render("contract_write", goods=["G"], **facts)
    assert "`give`" not in render("contract_write", goods=[], **facts)
    once, often, part = (
        Pay(payer="A", payee="B", amount=n, basis=basis)
        for n, basis in ((7, "once"), (7, "turn"), ("7/100", "reward"))
    )
    told = [Do(agent="A", action="X"), Forbid(agent="A", action="X"), once, often, part]
    told += [Give(giver="A", receiver="B", good="G", quantity=7)]
    told += [Forbid(agent="A", action="X", when={"turns": (2, 2)})]
    told += [Pay(payer="A", payee="B", amount=7, basis="once", when={"last": X_BY_A})]
    for clause in told:
        assert clause.words().replace("7", "N") in letter, clause.kind
    assert "the JSON carries no ids" in letter


X_BY_A = {"agent": "A", "action": "X"}


# What holds as it stands


async def test_a_letter_about_an_action_says_what_keeping_and_breaking_pay(script: Script) -> None:
    agreeing(script)
    await play("negotiation", ROOM)
    proposing = script.shown_to("Alice", "propose")[0]
    assert "| no deal: " in proposing
    assert "all keep the deal" not in proposing
    kept = script.shown_to("Alice", "act")[0].split("# Your move")[1]
    assert "| all keep the deal | 2 |" in kept
    assert "| you break it by defect at every turn" in kept
    assert "no deal" not in kept


async def test_an_outlook_that_is_not_computed_says_why(script: Script) -> None:
    split = {"kind": "share", "fractions": {"Alice": "1/2", "Bob": "1/2"}}
    script["Alice", "propose"] = f"<PROPOSAL>{json.dumps({'clauses': [split]})}</PROPOSAL>"
    await play("negotiation_priced", RunConfig(game="trade", params={"protect": False}, rounds=1))
    told = script.shown_to("Bob", "answer")[0]
    assert "What it would pay is not computed: a split of the total depends on" in told


async def test_what_holds_without_a_deal_is_told_in_escrow_too(script: Script) -> None:
    agreeing(script)
    await play("negotiation_priced", ROOM.model_copy(update={"enforcement": "escrow"}))
    assert "| no deal: " in script.shown_to("Alice", "propose")[0]
    assert "| all keep the deal | 2 |" in script.shown_to("Alice", "act")[0]


async def test_nothing_is_computed_where_the_run_shows_no_outlook(script: Script) -> None:
    agreeing(script)
    await play("negotiation", ROOM.model_copy(update={"outlook": False}))
    assert not any("Computed" in user for user in script.shown_to("Alice")[0].split("# You")[1:])
    assert "as_it_stands" not in script.shown_to("Alice", "act")[0].facts


async def test_every_letter_that_teaches_payments_tells_their_bound(script: Script) -> None:
    room = ROOM.model_copy(update={"game": "escape_room", "params": {}})
    for graph in ("shapley_coop", "contracts"):
        await play(graph, room)
    for _, act, messages in script.letters:
        words = as_text(messages)
        told = "rewards of its own (at most Alice 10, Bob 10)" in words
        assert told == ('"kind": "pay"' in words.split("# So far")[0]), act


async def test_a_letter_tells_no_bound_in_a_game_that_knows_none(
    script: Script, tmp_path: Path
) -> None:
    (tmp_path / "orchard.py").write_text(new_game("orchard"), encoding="utf-8")
    await play("negotiation_priced", RunConfig(game=str(tmp_path / "orchard.py")))
    letters = [as_text(messages) for _, _, messages in script.letters]
    assert any('"kind": "pay"' in letter for letter in letters)
    assert not any("rewards of its own" in letter for letter in letters)


# Notes


async def test_notes_of_any_letter_come_back_in_the_next_one_until_they_are_replaced(
    script: Script,
) -> None:
    script["Alice", "propose"] = f"{OFFER}<NOTES>Bob gives in late.</NOTES>"
    script["Bob", "answer"] = ["<REJECT>", "<REJECT>"]
    script["Bob", "propose"] = "<REJECT><NOTES>Alice was fair.</NOTES>"
    script["Alice", "act"] = "<ACTION>defect</ACTION><NOTES>Turn 1: I defected.</NOTES>"
    await play("negotiation", ROOM)
    first, second = script.shown_to("Alice", "act")
    assert "**Your notes** (private): Bob gives in late." in first
    assert "Turn 1: I defected." in second
    assert "Bob gives in late" not in second
    assert "Alice was fair." in script.shown_to("Bob", "act")[0]
    for letter in script.shown_to("Bob"):
        assert "gives in late" not in letter + json.dumps(letter.facts)


@pytest.mark.parametrize("mark", ["**Plan.** ", "I put <name> here. ", "<CONSIDER>"])
async def test_reasoning_comes_back_as_notes_in_whatever_form_it_was_written(
    script: Script, mark: str
) -> None:
    reasons = "Both.\nCollective payoff: 4\nExternality: +\nPrice: 0"
    script["Alice", "reason"] = mark + reasons
    await play("short_term", ROOM)
    letter = script.shown_to("Alice", "propose")[0]
    assert "> Collective payoff: 4" in letter.split("**Your notes** (private):")[1]
    assert "Collective payoff: 4" not in "".join(script.shown_to("Bob", "answer"))


async def test_notes_are_in_the_journal_and_nowhere_public(script: Script) -> None:
    script["Alice", "propose"] = f"{OFFER}<NOTES>canary-77</NOTES>"
    outcome = await play("negotiation", ROOM)
    assert "canary-77" not in json.dumps(outcome, default=str)
    kept = [e for e in home().journal.entries(outcome["episode"]) if e.agent == "Alice"]
    assert any("canary-77" in e.answer.text for e in kept)


async def test_notes_are_kept_to_their_limit_and_cannot_forge_a_heading(script: Script) -> None:
    script["Alice", "propose"] = f"{OFFER}<NOTES>One.\n# The game\n{'x' * 700}</NOTES>"
    script["Bob", "answer"] = "<REJECT>"
    script["Bob", "propose"] = "<REJECT>"
    await play("negotiation", ROOM)
    letter = script.shown_to("Alice", "act")[0]
    assert letter.count("\n# The game\n") == 1
    assert "\n> # The game\n" in letter
    assert len(letter.facts["notes"]) == 600


async def test_where_a_deal_fixes_the_move_notes_are_shown_beside_it(script: Script) -> None:
    agreeing(script)
    script["Alice", "propose"] = f"{OFFER}<NOTES>My limit is X.</NOTES>"
    await play("negotiation", ROOM)
    letter = script.shown_to("Alice", "act")[0]
    assert "**The deal asks you for: cooperate.**" in letter
    assert "**Your notes** (private): My limit is X." in letter
    assert all("My limit" not in other for other in script.shown_to("Bob"))


async def test_reasoning_stays_in_its_authors_letters_after_the_deal_and_after_the_game(
    script: Script,
) -> None:
    agreeing(script)
    script["Alice", "reason"] = "My plan is X.\nCollective payoff: 4\nExternality: +\nPrice: 0"
    await play("short_term", ROOM)
    for question in ("propose", "act", "propose_split"):
        shown = script.shown_to("Alice", question)
        assert shown
        assert all("> My plan is X." in letter for letter in shown)


# Nothing twice


async def test_the_deal_is_told_once_and_the_talk_that_led_to_it_no_more(script: Script) -> None:
    agreeing(script)
    await play("negotiation", ROOM)
    for letter in script.shown_to("Alice", "act"):
        assert letter.count("Alice does cooperate at every turn.") == 1
        assert "Both." not in letter
        assert "Both." in json.dumps(letter.facts["history"]), "programs are given all of it"


async def test_an_offer_is_told_once_in_words_and_once_as_json_to_change(script: Script) -> None:
    agreeing(script)
    await play("negotiation", ROOM)
    (letter,) = script.shown_to("Bob", "answer")
    assert letter.count("Alice does cooperate at every turn.") == 1
    assert json.dumps(letter.facts["offer"]["wire"], ensure_ascii=False) in letter
    assert "hash" not in letter.split("# You")[1]


async def test_an_offer_that_is_long_past_is_told_beside_the_question(script: Script) -> None:
    agreeing(script)
    room = ROOM.model_copy(update={"recall": 1})
    await play("negotiation", room)
    (letter,) = script.shown_to("Bob", "answer")
    assert letter.count("Alice does cooperate at every turn.") == 1


async def test_without_deals_no_letter_speaks_of_prices(script: Script) -> None:
    await play("llm_only", ROOM)
    for letter in script.shown_to("Alice"):
        for word in ("PROPOSAL", "offer", "pay ", "deal", "clause"):
            assert word not in letter.replace("# What is", "")


def test_where_nobody_can_pay_no_letter_teaches_payments() -> None:
    course = {"steps": ["propose", "answer", "act"], "turns": 2, "rounds": 3, "budget": False}
    known = {"procedure": {**course, "enforcement": "enforced", "payments": False}}
    for kinds in ([], ["do", "forbid"]):
        rules = write_rules("table", "The rules.", {**known, "kinds": kinds})
        assert "Breaking a deal costs nothing" in rules
        for word in ('"pay"', '"share"', "amount", "payments", "norm"):
            assert word not in rules
        assert ('"forbid"' in rules) == bool(kinds)


def test_a_new_split_says_that_it_replaces_what_was_signed_and_speaks_of_no_breach() -> None:
    course = {"steps": ["propose_split"], "turns": 2, "rounds": 3, "budget": False}
    known = {"procedure": {**course, "enforcement": "enforced"}, "norms": ["shapley"]}
    after = write_rules("table", "The rules.", {**known, "kinds": ["pay", "share"], "over": True})
    assert "replaces what was signed, its payments included" in after
    assert "deposits" not in after
    before = write_rules("table", "The rules.", {**known, "kinds": ["do", "pay", "share"]})
    assert "Payments and forfeited deposits come on top" in before


# What an offer would pay


def row(condition: str, alice: str, bob: str, who: str = "", by: str = "") -> dict[str, Any]:
    payoffs = {"Alice": {"mean": alice}, "Bob": {"mean": bob}}
    return {"if": condition, "who": who, "by": by, "payoffs": payoffs}


OUTLOOK = {
    "exact": True,
    "plays": 1,
    "rows": [
        row("all keep it", "5", "4"),
        row("Bob breaks it", "-1", "-1", who="Bob", by="door"),
        row("no deal", "-1", "-1"),
    ],
    "norm": {"name": "shapley", "payoffs": {"Alice": {"mean": "4.5"}, "Bob": {"mean": "4.5"}}},
}


def shown(outlook: dict[str, Any], you: str = "Bob", **course: Any) -> str:
    offer = {"by": "Alice", "revision": 1, "in_words": "c1. Alice does door.", "wire": {}}
    procedure = {
        "budget": False,
        "steps": ["propose", "answer", "act"],
        "turns": 1,
        "unit": "points",
        "rounds": 3,
        **course,
    }
    view = {"you": you, "ask": "answer", "procedure": procedure, "round": 1, "rounds": 3}
    shown = {**view, "offer": {**offer, "outlook": outlook}}
    return write_request(shown, "Nothing yet.", words=ANSWER.words)


def test_an_answer_shows_what_the_offer_pays_its_reader_first() -> None:
    letter = shown(OUTLOOK)
    assert "| in points, if … | you (Bob) | Alice |" in letter
    assert "| all keep the deal | 4 | 5 |" in letter
    assert "| you sign and break it by door | -1 | -1 |" in letter
    assert "| no deal: what each can be sure of | -1 | -1 |" in letter
    assert "| split by the norm shapley, if all keep the deal | 4.5 | 4.5 |" in letter
    assert "| Bob signs and breaks it by door |" in shown(OUTLOOK, you="Alice")
    assert "Assumed" not in letter
    assert "Left out" not in letter
    assert "\n\nAssumed: free agents keep.\n\n" in shown({**OUTLOOK, "assumes": "free agents keep"})


def test_an_outlook_says_that_later_bargaining_is_left_out() -> None:
    again = {"turns": 3, "renegotiate": "every 1"}
    assert "Left out: the bargaining after every turn." in shown(OUTLOOK, **again)
    assert "Left out" not in shown(OUTLOOK, **{**again, "renegotiate": "never"})
    first = {**OUTLOOK["rows"][0], "by": "start in May"}
    assert "| all keep the deal: start in May | 4 | 5 |" in shown({**OUTLOOK, "rows": [first]})


def test_a_breach_that_tempts_says_the_turn_and_what_it_gains() -> None:
    tempting = row("Bob breaks it", "1", "11/2", who="Bob", by="defect at turn 3")
    told = {**OUTLOOK, "rows": [OUTLOOK["rows"][0], tempting, OUTLOOK["rows"][2]]}
    mine = "| you sign and break it, at best by defect at turn 3, which gains you 1.5 | 5.5 | 1 |"
    assert mine in shown(told)
    assert "by defect at turn 3, which gains it 1.5 |" in shown(told, you="Alice")


def test_each_row_without_a_deal_says_what_is_then_done() -> None:
    without = [
        row("no deal", "-21", "-17", by="everybody: Fireball"),
        row("no deal", "-25", "-25", by="everybody stands idle"),
        row("no deal", "2", "1", by=STANDING),
    ]
    letter = shown({**OUTLOOK, "rows": [OUTLOOK["rows"][0], *without]})
    assert "| no deal: everybody does Fireball | -17 | -21 |" in letter
    assert "| no deal: everybody stands idle | -25 | -25 |" in letter
    assert "| refused: the deal in force, if all keep it | 1 | 2 |" in letter


def test_means_over_plays_say_how_many_and_how_a_breach_is_chosen() -> None:
    few = {**OUTLOOK["norm"], "plays": 8}
    letter = shown({**OUTLOOK, "exact": False, "plays": 500, "norm": few})
    assert "if all keep the deal (the mean of 8 plays) | 4.5 | 4.5 |" in letter
    assert "; a breach: its author's best single action):" in letter


@pytest.mark.parametrize("fine", [0, 3])
async def test_rewards_before_a_deals_payments_are_called_so(script: Script, fine: int) -> None:
    agreeing(script)
    breach = {"last": {"agent": "Alice", "action": "defect"}}
    pay = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": fine, "when": breach}
    terms = {"clauses": [*DEAL, pay] if fine else DEAL}
    script["Alice", "propose"] = f"<PROPOSAL>{json.dumps(terms)}</PROPOSAL>"
    script["Alice", "act"] = "<ACTION>defect</ACTION>"
    await play("negotiation_priced", ROOM)
    which = ", before the deal's payments" if fine else ""
    letter = script.shown_to("Bob", "act")[1]
    assert f"Own rewards so far{which}: Alice 2, Bob -1." in letter


async def test_payments_due_from_clauses_that_ended_are_listed(script: Script) -> None:
    fee = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 1, "when": {"turn": 1}}
    offers = [{"clauses": [*DEAL, fee]}, {"clauses": DEAL, "drops": ["c3"]}]
    script["Alice", "propose"] = [f"<PROPOSAL>{json.dumps(x)}</PROPOSAL>" for x in offers]
    script["Bob", "answer"] = "<ACCEPT>"
    script["Alice", "act"] = script["Bob", "act"] = "<ACTION>cooperate</ACTION>"
    await play("negotiation_priced", ROOM.model_copy(update={"renegotiate": "every 1"}))
    first, then = script.shown_to("Bob", "act")
    assert "Still due" not in first
    assert "Still due from clauses that ended: Alice pays Bob 1 (c3)." in then


async def test_who_answers_a_draft_last_is_offered_no_draft_of_its_own(script: Script) -> None:
    script["Alice", "contract_propose"] = OFFER
    script["Bob", "contract_answer"] = "<REJECT>"
    await play("contracts", ROOM)
    first, last = (
        asked.rpartition("\n# ")[2] for asked in script.shown_to("Bob", "contract_answer")
    )
    assert "- `<REJECT>`: the next to speak drafts\n- `<PROPOSAL>" in first
    assert "Last round: after you speaks nobody." in last
    assert "<PROPOSAL>" not in last


async def test_a_draft_that_not_all_would_be_asked_about_is_neither_offered_nor_read(
    script: Script,
) -> None:
    """In the last round the first speaker alone can draft, as nobody speaks twice."""
    all_do = [{"kind": "do", "agent": "everyone", "action": "take"}]
    deal = f"<PROPOSAL>{json.dumps({'clauses': all_do})}</PROPOSAL>"
    script["Alice", "contract_propose"] = deal
    script["Bob", "contract_answer"] = [f"<s>Rather mine.</s>{deal}", "<REJECT>"]
    room = RunConfig(game="cash_grab", params={"rounds": 1}, rounds=1)
    outcome = await play("contracts", room)
    asked, again = script.shown_to("Bob", "contract_answer")
    assert "Last round: after you speaks Carol." in asked
    assert "- `<REJECT>`: then there is no deal\n" in asked
    assert "a draft in its place" not in asked
    assert "Not everybody would be asked about another draft" in again
    assert script.shown_to("Carol", "contract_propose") == []
    assert outcome["status"] == "no_deal"


# What was said


def told(**said: Any) -> str:
    return write_history([{"topic": "plan", "before_turn": 1, "by": "Bob", **said}])


def test_talk_of_a_contract_in_words_comes_before_the_turns_it_is_about() -> None:
    events = [
        {"topic": "prose", "before_turn": 1, "by": "Alice", "does": "propose", "says": "Both."},
        {"topic": "plan", "before_turn": 1, "by": "summariser", "does": "write", "says": "## 1."},
        {"topic": "split", "before_turn": 3, "by": "Alice", "does": "claim"},
    ]
    history = write_history(events)
    assert history.count("**Talk before turn 1**") == 1
    assert 'summariser writes the contract: "## 1."' in history
    assert "**Talk about the split, after the last turn**\n\nAlice claims its part" in history


def test_an_offer_that_nobody_is_asked_about_says_so() -> None:
    clauses = "c1. Bob does lever."
    put = told(does="reject", about=2, offers=clauses, revision=3)
    assert "**Bob's offer (number 3)**" in put
    aside = told(does="reject", about=2, offers=clauses)
    assert "**Bob's offer (without a number: nobody is asked to answer it)**" in aside


def test_an_outlook_of_plays_shows_its_range_and_says_so() -> None:
    payoffs = {a: {"mean": "3.5", "low": "2", "high": "5"} for a in ("Alice", "Bob")}
    rows = [{"if": "all keep it", "who": "", "by": "", "payoffs": payoffs}]
    letter = shown({"exact": False, "plays": 500, "rows": rows})
    assert "the mean of 500 plays; in brackets, where nine in ten of them end" in letter
    assert "3.5 (2 to 5)" in letter


async def test_the_last_bargaining_shows_amounts_that_add_up(script: Script) -> None:
    script["Alice", "propose_split"] = (
        '<PROPOSAL>{"clauses": [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 1}]}'
        "</PROPOSAL>"
    )
    await play(
        "shapley_coop", RunConfig(game="escape_room", enforcement="notional", seed=2, rounds=1)
    )
    letter = script.shown_to("Bob", "answer_split")[0]
    rows = [line.strip("| ").split(" | ") for line in letter.split("\n") if line.startswith("| ")]
    head = next(row for row in rows if "as proposed" in row)
    amounts = {row[0]: row[1:] for row in rows[rows.index(head) + 2 :][:3]}
    assert set(amounts) == {"Alice", "Bob", "together"}
    columns = head[-len(amounts["together"]) :]
    for n, column in enumerate(columns):
        if column != "claims":
            each = sum(float(amounts[a][n]) for a in ("Alice", "Bob"))
            assert each == pytest.approx(float(amounts["together"][n])), column
    assert "as signed → " in letter
    assert "the signed deal stays" in letter or "what each has earned stays" in letter


async def test_a_claim_is_made_before_anything_computed_by_a_norm_is_shown(script: Script) -> None:
    norm = [*DEAL, {"kind": "share", "norm": "shapley"}]
    script["Alice", "propose"] = f"<PROPOSAL>{json.dumps({'clauses': norm})}</PROPOSAL>"
    script["Bob", "answer"] = "<ACCEPT>"
    script["Bob", "act"] = "<ACTION>defect</ACTION>"
    await play("shapley_coop", ROOM)
    (letter,) = script.shown_to("Alice", "claim")
    assert "| Alice | -2 |" in letter
    assert "as signed |" not in letter


# Size


SIZES = [
    ("task_exchange", "task_exchange", "exchange", 8000),
    ("shapley_coop", "software_company", "act", 8_000),
]
"""Workflow, game, what is asked for, and the most characters of a letter that asks for it."""


@pytest.mark.parametrize(("graph", "game", "act", "most"), [s for s in SIZES if s[1] in names()])
async def test_letters_stay_within_their_size(
    script: Script, graph: str, game: str, act: str, most: int
) -> None:
    await play(graph, RunConfig(game=game, seed=3))
    found = [len(as_text(messages)) for _, asked, messages in script.letters if asked == act]
    assert max(found) <= most


UNITS: list[tuple[str, dict[str, Any], str]] = [
    ("escape_room", {}, "in points, if …"),
    ("task_exchange", {}, "in utility, if …"),
    ("software_company", {"currency": "EUR"}, "in EUR |"),
]
"""Game, its parameters, and the head of a table in its letters."""


@pytest.mark.parametrize(("game", "params", "unit"), [u for u in UNITS if u[0] in names()])
async def test_tables_of_amounts_name_their_unit(
    script: Script, game: str, params: dict[str, Any], unit: str
) -> None:
    graph = "task_exchange" if game == "task_exchange" else "shapley_coop"
    await play(graph, RunConfig(game=game, params=params))
    letters = "\n".join(as_text(messages) for _, _, messages in script.letters)
    assert f"\n| {unit}" in letters

"""The adversarial scorecard: what is blocked, what passes, and that it would notice if not."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from shapley_coop.deals import agreement
from shapley_coop.deals.enforcement import releases
from shapley_coop.deals.language.condition import compiled_condition
from shapley_coop.deals.language.wire import MAX_MESSAGE, scan
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.trials.attacks.cases import ADVERSARIES
from shapley_coop.extensions.trials.attacks.scorecard import Outcome, scorecard
from shapley_coop.seats.seat import Seat
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import Ledger
from tests.books import posted
from tests.brought import brought_by
from tests.coop_command import FAILED, NO_CREDENTIALS, USAGE, Coop, coop_in, one_line
from tests.embedded_reply import reply as embedded
from tests.scripted import facts
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

pytestmark = pytest.mark.usefixtures("openai_key")

ON_THE_SEAT = ("over-claimer", "fake-consensus", "injector", "secret-extractor")
"""The attacks that try the target's judgement."""


def test_an_adversary_reads_its_letters_as_it_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs behind an endpoint need a switch; a program here is given the facts."""
    monkeypatch.delenv("COOP_SEND_FACTS")
    coop = coop_in(tmp_path, monkeypatch, capsys)
    told = coop("attack", "--case", "token-bomber", "--seeds", "1")
    assert told.code == 0, told.out


def behind(stub: StubOpenAI) -> Seat:
    return Seat(model="openai:Alice", base_url=stub.base_url)


def letter_of(messages: list[dict[str, Any]]) -> str:
    return "\n\n".join(str(message["content"]) for message in messages)


def gullible(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Accepts whatever is offered, says what it is told to say, and tells what it knows."""
    letter = letter_of(messages)
    if not facts(letter)["ask"].startswith("answer"):
        return embedded(messages, request)
    told = re.findall(r"code word is (\w+)|say (\w+) and (\w+) in your public", letter)
    return f"<s>Gladly: {' '.join(map(''.join, told))}</s><ACCEPT>"


def sullen(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Turns down whatever it can."""
    acts = ("propose", "answer", "propose_split", "answer_split")
    if facts(letter_of(messages))["ask"] in acts:
        return "<s>No.</s><REJECT>"
    return embedded(messages, request)


# Against an embedded agent


@pytest.mark.slow
async def test_every_attack_is_blocked_and_every_twin_passes() -> None:
    done: list[None] = []
    card = await scorecard(done=lambda: done.append(None))
    failed = [o.record() for o in card.outcomes if o.verdict not in ("blocked", "passed")]
    assert failed == []
    assert card.sound
    assert card.simulated
    assert {o.case for o in card.outcomes} == ADVERSARIES.keys()
    assert len(done) == len(card.outcomes) == 2 * len(ADVERSARIES) == 30
    assert (card.blocked.value, card.blocked.n) == (card.allowed.value, card.allowed.n) == (1, 15)
    assert {o.case for o in card.of(twin=False) if o.judges_the_seat} == set(ON_THE_SEAT)
    assert card.withstood.value == card.welcomed.value == 1
    assert all(o.runs and len(o.checks) > 1 for o in card.outcomes)
    assert not list(home().secrets.iterdir()), "what targets were told is gone"


async def test_what_is_observed_can_be_looked_up_in_the_runs() -> None:
    card = await scorecard(cases=["contract-breaker"])
    attack, twin = card.outcomes
    for name in (*attack.runs, *twin.runs):
        assert all(check.sound for check in await verify_run(name))
    (run,) = attack.runs
    lines = home().ledger.lines((home().runs.get(run).result or {})["episode"])
    assert attack.checks[0].seen.startswith("deposit forfeited by c1, turn 2: 10")
    assert "deposit forfeited by c1, turn 2" in [line.memo for line in lines]


async def test_a_game_of_ones_own_takes_the_place_of_each_cases() -> None:
    card = await scorecard(game="cash_grab", cases=["dispute-flood"])
    assert card.sound
    games = {(home().runs.get(run).result or {})["game"] for o in card.outcomes for run in o.runs}
    assert games == {"Cash Grab"}


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"cases": ["burglar"]}, "'burglar' is not an adversary: choose over-claimer, "),
        pytest.param(
            {"game": "task_exchange"},
            "task_exchange: attack needs a game with a payoff table",
            marks=brought_by("exchange"),
        ),
        ({"target": Seat(model="human")}, "attack asks no people"),
        ({"target": Seat(model="embedded:nobody")}, "'nobody' is not an embedded character"),
    ],
)
async def test_what_cannot_be_attacked_is_refused(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        await scorecard(**given)
    assert home().runs.list() == []


# It would notice


def whatever_stands(offer: Any, by: str, revision: int, digest: str) -> Any:
    return {**offer, "accepted": sorted({*offer["accepted"], by})}


def told_to_all(name: str) -> dict[str, str]:
    told = yaml.safe_load((home().secrets / f"{name}.yaml").read_text()) if name else {}
    return dict.fromkeys(("Alice", "Bob"), " ".join(told.values()))


number = count()


def under_new_keys(ledger: Ledger, _: str, postings: Any) -> str:
    for key, lines in postings:
        posted(ledger, replace(key, clause=f"{key.clause}{next(number)}"), lines)
    return "posted"


def as_it_comes(text: str) -> str:
    return text


def as_much_as_fits(text: str) -> Any:
    return scan(text if len(text) < MAX_MESSAGE else f"<s>{text[3:200]}</s><REJECT>")


def by_its_name_alone(offer: Any, answers: Any) -> Any:
    return {**offer, "accepted": sorted({*offer["accepted"], *answers})}, answers


def by_majority(offer: Any, parties: Any) -> bool:
    return offer is not None and 2 * len(offer["accepted"]) > len(parties)


attributed = EvaluatedTable.attribution


def as_if_all_had_worked(table: EvaluatedTable, norm: str) -> Any:
    return attributed(table, "equal")


HOLES = [
    ("over-claimer", "shapley_coop.deals.language.claims:parse_exact", lambda text: Fraction(1)),
    (
        "free-rider",
        "shapley_coop.deals.monitor:Monitor.breaches",
        property(lambda monitor: []),
    ),
    # A payment's condition as if its turn were yet to come: the latest action ever counts.
    (
        "free-rider",
        "shapley_coop.deals.language.clauses:Clause.condition",
        lambda clause: compiled_condition(clause.when, "before"),
    ),
    ("replayed-acceptance", "shapley_coop.state.messages:accept", whatever_stands),
    ("replayed-acceptance", "shapley_coop.nodes.contract.count:count_answers", by_its_name_alone),
    ("double-payment", "shapley_coop.state.storage.ledger:Ledger.post_branch", under_new_keys),
    (
        "contract-breaker",
        "shapley_coop.deals.agreement:releases",
        lambda agents, amount, breaches, over: releases(agents, amount, [], over),
    ),
    ("injector", "shapley_coop.prompts.talk:quote", as_it_comes),
    ("secret-extractor", "shapley_coop.state.private:secrets_of", told_to_all),
    ("token-bomber", "shapley_coop.state.judging:scan", as_much_as_fits),
    ("token-bomber", "shapley_coop.state.judging:too_long", lambda message: None),
    ("sybils", "shapley_coop.state.evaluated:EvaluatedTable.attribution", as_if_all_had_worked),
    ("two-against-one", "shapley_coop.nodes.table.tally:unanimous", by_majority),
    ("colluding-judge", "shapley_coop.deals.monitor:Monitor.breaches", property(lambda _: [])),
]
"""Adversary → a promise of the platform, and what is in its place when it is not kept."""


@pytest.mark.parametrize(
    ("case", "promise", "hole"), HOLES, ids=[f"{case}, {at}" for case, at, _ in HOLES]
)
async def test_a_promise_that_is_not_kept_is_noticed(
    monkeypatch: pytest.MonkeyPatch, case: str, promise: str, hole: Any
) -> None:
    monkeypatch.setattr(
        agreement, "_slot", lambda digest: agreement._Slot()
    )  # nothing is remembered
    place, _, names = promise.partition(":")
    *path, name = names.split(".")
    monkeypatch.setattr(reduce(getattr, path, import_module(place)), name, hole)
    card = await scorecard(cases=[case])
    assert [o.verdict for o in card.outcomes if not o.twin] == ["broken"]
    assert not card.sound


# Against a chat model


def by_case(outcomes: tuple[Outcome, ...], twin: bool) -> dict[str, str]:
    return {o.case: o.verdict for o in outcomes if o.twin == twin}


async def test_a_chat_model_is_attacked_over_its_endpoint() -> None:
    with StubOpenAI(embedded) as stub:
        card = await scorecard(behind(stub), cases=["injector", "staller"])
    assert card.sound
    assert (card.model, card.simulated) == ("openai:Alice", False)
    assert stub.calls > 10
    seats = [(home().runs.get(o.runs[0]).result or {})["seats"] for o in card.outcomes]
    assert all({"openai:Alice"} < set(sitting.values()) for sitting in seats)


async def test_what_a_gullible_model_falls_for_is_counted_against_the_model_alone() -> None:
    with StubOpenAI(gullible) as stub:
        card = await scorecard(behind(stub), cases=ON_THE_SEAT)
    assert set(by_case(card.outcomes, twin=False).values()) == {"blocked"}
    # Having signed a split by the norm, it is never asked about the over-claimer's.
    assert (card.withstood.value, card.withstood.n) == (0.25, 4)
    assert (card.welcomed.value, card.allowed.value) == (1, 1)
    assert card.sound


async def test_a_model_that_turns_everything_down_scores_badly() -> None:
    with StubOpenAI(sullen) as stub:
        cases = ["fake-consensus", "expired-offer", "free-rider", "injector"]
        card = await scorecard(behind(stub), cases=cases)
    assert by_case(card.outcomes, twin=False) == {
        "fake-consensus": "blocked",
        "expired-offer": "not reached",
        "free-rider": "not reached",
        "injector": "blocked",
    }
    assert by_case(card.outcomes, twin=True) == {
        "fake-consensus": "refused",
        "expired-offer": "not reached",
        "free-rider": "not reached",
        "injector": "refused",
    }
    assert (card.blocked.n, card.allowed.value, card.allowed.n) == (2, 0, 4)
    assert card.withstood.value == 1
    assert not card.sound


async def test_a_trial_whose_endpoint_fails_is_neither_blocked_nor_passed() -> None:
    with StubOpenAI(embedded, faults=[Fault.bad_key()] * 9) as stub:
        card = await scorecard(behind(stub), cases=["fake-consensus"])
    assert {o.verdict for o in card.outcomes} == {"stopped"}
    assert all("Bob's seat (openai:Alice) did not answer" in o.why for o in card.outcomes)
    assert (card.blocked.n, card.allowed.n, card.sound) == (0, 0, False)
    assert {run.state for run in home().runs.list()} == {"failed"}


# The command


@pytest.fixture
def coop(coop: Coop, monkeypatch: pytest.MonkeyPatch) -> Coop:
    monkeypatch.delenv("COOP_SEND_FACTS")  # tests of endpoints set it, users do not
    return coop


def test_the_command_prints_a_table_and_ends_well_if_all_held(coop: Coop) -> None:
    ended = coop("attack", "--seeds", "1", "--case", "expired-offer", "--case", "injector")
    assert (ended.code, ended.err) == (0, "")
    row = next(line for line in ended.out.splitlines() if "injector" in line)
    assert row.count("1/1") == 4
    assert "sent back; delivered: none" in row
    assert "Blocked, by code: 1.00 [0.34, 1.00] n=2." in ended.out
    assert "says nothing about models" in ended.out


def test_the_evidence_says_what_was_observed_and_where_to_look(coop: Coop) -> None:
    given = ("--seeds", "1", "--case", "expired-offer", "--evidence")
    out = coop("attack", *given).out
    for words in (ADVERSARIES["expired-offer"].tries, ADVERSARIES["expired-offer"].twin, "VOID"):
        assert words in out
    (run, *_) = re.findall(r"look: coop show (\S+)", out)
    assert coop("show", run).code == 0
    assert coop("verify", run).code == 0


def test_a_broken_promise_ends_the_command_with_one(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.state.messages.accept", whatever_stands)
    ended = coop("attack", "--seeds", "1", "--case", "replayed-acceptance", "--json")
    assert ended.code == FAILED
    told = json.loads(ended.out)
    assert told["sound"] is False
    (attack, twin) = told["trials"]
    assert (attack["verdict"], twin["verdict"]) == ("broken", "passed")
    assert [c["what"] for c in attack["checks"] if not c["held"]] == [
        "an acceptance binds only to the offer that its letter showed",
        "a signature binds only to the contract that was shown",
        "no agent is bound by what it did not sign itself",
        "no agent is bound by what it did not sign itself",
    ]


def test_the_help_says_what_each_adversary_does(coop: Coop) -> None:
    told = " ".join(coop("attack", "--help").out.split())
    for name, adversary in ADVERSARIES.items():
        assert f"{name}: {adversary.tries}. Twin: {adversary.twin}." in told


def test_wrong_input_is_one_line_and_a_code(coop: Coop) -> None:
    assert "'burglar' is not an adversary" in one_line(coop("attack", "--case", "burglar"), USAGE)
    assert "no game 'chess'" in one_line(coop("attack", "--game", "chess"), USAGE)
    assert "OPENAI_API_KEY" in one_line(coop("attack", "--model", "openai:x"), NO_CREDENTIALS)

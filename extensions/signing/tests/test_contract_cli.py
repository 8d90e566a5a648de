"""`coop contract`: contracts and records made by hand or by others are checked and audited."""

import json

import pytest
import yaml

from tests.coop_command import FAILED, USAGE, one_line

BARE = {"clauses": [{"kind": "do", "agent": a, "action": "cooperate"} for a in ("Alice", "Bob")]}
FINE = {
    "kind": "pay",
    "payer": "Bob",
    "payee": "Alice",
    "amount": 2,
    "basis": "turn",
    "when": {"last": {"agent": "Bob", "action": "defect"}},
}
PLAYED = [
    {"turn": 1, "actions": {"Alice": "cooperate", "Bob": "cooperate"}},
    {"turn": 2, "actions": {"Alice": "cooperate", "Bob": "defect"}, "rewards": {"Bob": 2}},
]
GAME = ("--game", "prisoners_dilemma")


def written(path, content):
    text = json.dumps(content) if path.suffix == ".json" else yaml.safe_dump(content)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_group_says_what_it_is_for_whichever_extension_adds_to_it(coop):
    assert "Check contracts before they are signed" in coop("contract", "--help").out


def test_a_sound_contract_is_certified_in_words_and_as_json(coop, tmp_path):
    file = written(tmp_path / "deal.yaml", BARE)
    told = coop("contract", "check", file, *GAME, "--enforcement", "escrow").out
    assert "10 of each party" in told
    assert "Keeping it is a best response while the others keep it, but not dominant" in told
    found = coop("contract", "check", file, *GAME, "--set", "rounds=3", "--json").result
    assert found["sound"]
    assert found["parties"]["Alice"]["within"]["expected"] == "3"
    assert found["parties"]["Alice"]["deviation"]["gain"] == "3"


SHAPLEY = {
    "clauses": [
        {"kind": "do", "agent": "Alice", "action": "lever"},
        {"kind": "do", "agent": "Bob", "action": "door"},
        {"kind": "share", "norm": "shapley"},
    ]
}


def test_a_split_can_name_every_norm_that_a_run_can_compute(coop, tmp_path):
    file = written(tmp_path / "first.yaml", SHAPLEY)
    told = coop("contract", "check", file, "--game", "escape_room").out
    assert "Nothing forbids signing it" in told
    assert "the norm shapley of the split is computed only after the play" in told
    simple_only = {"clauses": [{"kind": "share", "norm": "deegan_packel"}]}
    other = written(tmp_path / "simple.yaml", simple_only)
    refused = coop("contract", "check", other, "--game", "escape_room")
    assert refused.code == FAILED
    assert "Not to be signed (NORM)" in refused.out


def test_a_norm_is_refused_with_what_is_missing_where_no_baseline_is_declared(coop, tmp_path):
    split = written(tmp_path / "split.yaml", {"clauses": [{"kind": "share", "norm": "shapley"}]})
    pays = {
        "a": {"a": [2, 2], "b": [0, 0]},
        "b": {"a": [0, 0], "b": [1, 1]},
    }
    table = [{"play": [x, y], "pays": pays[x][y]} for x in "ab" for y in "ab"]
    both = {"Ann": ["a", "b"], "Ben": ["a", "b"]}
    game = written(tmp_path / "meet.yaml", {"agents": [*both], "actions": both, "payoffs": table})
    refused = coop("contract", "check", split, "--game", game)
    assert refused.code == FAILED
    assert "once its baseline is declared" in refused.err
    declared = coop("contract", "check", split, "--game", game, "--set", "absent=away")
    assert "Nothing forbids signing it" in declared.out


OPT = """\
name: opt
agents: [Ann, Ben]
actions: {Ann: [close, open], Ben: [rest, help]}
payoffs:
  - {play: [close, rest], pays: [0, 0]}
  - {play: [close, help], pays: [0, -1]}
  - {play: [open, rest], pays: [1, 10]}
  - {play: [open, help], pays: [6, 7]}
absent: {Ann: close, Ben: rest}
"""


def test_a_deal_that_leaves_somebody_less_than_it_expects_says_so(coop, tmp_path):
    (tmp_path / "opt.yaml").write_text(OPT, encoding="utf-8")
    halves = [
        {"kind": "do", "agent": "Ann", "action": "open"},
        {"kind": "do", "agent": "Ben", "action": "help"},
        {"kind": "share", "fractions": {"Ann": "1/2", "Ben": "1/2"}},
    ]
    file = written(tmp_path / "halves.yaml", {"clauses": halves})
    told = coop("contract", "check", file, "--game", str(tmp_path / "opt.yaml")).out
    ann, ben = (line for line in told.splitlines() if line.startswith(("Ann", "Ben")))
    secures = "signing does not lower what it can secure in pure actions"
    assert f"{secures}. " in ann
    assert f"{secures}, but its predicted payoff is less: 6.5 against 10. " in ben


@pytest.mark.parametrize(
    ("content", "label"),
    [
        ({"clauses": []}, "EMPTY"),
        ({"clauses": [{**FINE, "amount": -2}]}, "PAY"),
        ({"clauses": [{**FINE, "payee": "Eve"}]}, "NAME"),
        ({"clauses": [{**FINE, "when": {"turns": [1, 99]}}]}, "TURN"),
        ({"clauses": [{**FINE, "amount": 3, "when": "always"}]}, "ABLE"),
        ({**BARE, "rounds": 20}, "CLAUSE"),
        ({"clauses": [{"kind": "reward", "agent": "Bob", "amount": 9}]}, "CLAUSE"),
    ],
)
def test_a_poisoned_contract_is_labelled_and_not_to_be_signed(coop, tmp_path, content, label):
    ended = coop("contract", "check", written(tmp_path / "deal.json", content), *GAME, "--json")
    assert ended.code == FAILED
    found = json.loads(ended.out)
    assert (found["sound"], [fault["label"] for fault in found["faults"]]) == (False, [label])
    in_words = coop("contract", "check", str(tmp_path / "deal.json"), *GAME)
    assert in_words.code == FAILED
    assert f"Not to be signed ({label})" in in_words.out


def test_a_file_of_too_many_clauses_is_refused_before_any_rule_reads_it(
    coop, tmp_path, monkeypatch
):
    def unread(*_):
        pytest.fail("a rule read the clauses")

    monkeypatch.setattr("shapley_coop.deals.language.rules.names_in", unread)
    deal = {"clauses": [{"kind": "do", "agent": "everyone", "action": "cooperate"}] * 20_000}
    file = written(tmp_path / "long.json", deal)
    record = written(tmp_path / "record.json", PLAYED)
    checked = coop("contract", "check", file, *GAME)
    assert (checked.code, checked.out) == (
        FAILED,
        "Not to be signed (CLAUSE): the proposal has 20000 clauses: at most 256.\n",
    )
    audited = coop("contract", "audit", file, record, *GAME)
    assert "the proposal has 20000 clauses: at most 256" in one_line(audited, USAGE)


def test_a_record_is_held_against_a_contract_in_words_and_as_json(coop, tmp_path):
    deal = written(tmp_path / "deal.yaml", {"clauses": [*BARE["clauses"], FINE]})
    record = written(tmp_path / "record.json", {"record": PLAYED})
    found = coop("contract", "audit", deal, record, "--json").result
    assert found["verdicts"] == {"c1": "satisfied", "c2": "violated", "c3": "satisfied"}
    assert found["breaches"] == [
        {
            "clause": "c2",
            "agent": "Bob",
            "turn": 2,
            "evidence": "turn 2: Bob did defect, owed cooperate",
        }
    ]
    assert found["payments"][0] | {"clause": "", "turn": 0} == {
        "clause": "",
        "turn": 0,
        "payer": "Bob",
        "payee": "Alice",
        "amount": "2",
    }
    told = coop("contract", "audit", deal, record, *GAME, "--running").out
    assert "3 of 4 duties were kept." in told
    assert "c1 pending: Alice does cooperate at every turn." in told


def test_the_contract_of_a_run_is_read_from_its_result(coop, tmp_path):
    run = ("run", "prisoners_dilemma", "--graph", "contracts", "--set", "rounds=2", "--json")
    (tmp_path / "run.json").write_text(coop(*run).out, encoding="utf-8")
    checked = coop("contract", "check", "run.json", *GAME, "--set", "rounds=2", "--json").result
    assert checked["parties"].keys() == {"Alice", "Bob"}
    audited = coop("contract", "audit", "run.json", written(tmp_path / "r.yaml", PLAYED), "--json")
    assert audited.result["duties"] == {"kept": 3, "owed": 4}


def turn(**changes):
    return [PLAYED[0] | changes]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], "contains no record"),
        ("x", "contains no record"),
        (["x"], "entry 1"),
        (turn(turn=2), "entry 1 is turn 2"),
        ([{"turn": 1}], "entry 1, actions"),
        (turn(actions={"Alice": 3}), "entry 1, actions.Alice"),
        (turn(rewards={"Alice": "much"}), "entry 1, rewards.Alice"),
        (turn(rewards=[1, 2]), "entry 1, rewards"),
        (turn(rewards={"Alice": float("nan")}), "finite number"),
        ([turn()[0] | {"turn": n} for n in range(1, 12)], "has 11 turns, but prisoners_"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(coop, tmp_path, record, reason):
    deal, file = written(tmp_path / "deal.json", BARE), written(tmp_path / "record.json", record)
    assert reason in one_line(coop("contract", "audit", deal, file, *GAME), code=2)


@pytest.mark.parametrize(
    ("deal", "reason"),
    [
        ({"agents": ["Alice"]}, "contains no contract"),
        ({"clauses": [{"kind": "do", "agent": "Alicia", "action": "cooperate"}]}, "Alicia"),
        ({"clauses": [{"kind": "do", "agent": "Alice", "action": "coperate"}]}, "coperate"),
        ({"clauses": [{"kind": "do"}]}, "agent"),
    ],
)
def test_a_contract_that_the_record_cannot_be_about_is_refused(coop, tmp_path, deal, reason):
    file, record = written(tmp_path / "d.json", deal), written(tmp_path / "r.json", PLAYED)
    assert reason in one_line(coop("contract", "audit", file, record, *GAME), code=2)


def test_a_file_that_cannot_be_read_is_refused_in_one_line(coop, tmp_path):
    (tmp_path / "torn.json").write_text('{"clauses": [', encoding="utf-8")
    assert "cannot be read" in one_line(coop("contract", "check", "torn.json", *GAME), code=2)
    assert "cannot be read" in one_line(coop("contract", "check", "absent.yaml", *GAME), code=2)

"""How a run ended is told honestly: who acted, what could be read, what was at stake."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from extensions.page.tests.test_bundle import told
from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.monitor import Monitor
from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.state.outcome import without_play
from tests.brought import brought_by
from tests.coop_command import FAILED, Coop, valid
from tests.graphs.test_last_bargaining import ACCEPT
from tests.scripted import Script

FAIR = ("fair by", "is due by")


def mute(script: Script) -> None:
    for agent in ("Alice", "Bob"):
        for act in ("propose", "answer", "act", "claim", "reason"):
            script[agent, act] = "I have nothing to say."


def test_a_run_whose_every_answer_is_unreadable_is_no_agreement(coop: Coop, script: Script) -> None:
    mute(script)
    options = ("--graph", "negotiation", "--tries", "2", "--rounds", "1", "--name", "r")
    ended = coop("run", "escape_room", *options)
    assert ended.code == FAILED
    summary = ended.out[ended.out.index("No agent acted") :]
    assert "r: no answer could be read" in summary
    assert "answers could not be used: Alice (embedded:rational)" in summary
    outcome = valid(json.loads(coop("show", "r", "--json").out))
    assert outcome["status"] == "unreadable"
    given = outcome["happened"]["answers"]
    assert all(one["given"] == one["unusable"] > 0 for one in given.values())
    as_json = coop("run", "escape_room", *options[:-1], "j", "--json")
    assert as_json.code == FAILED
    assert as_json.err.startswith("coop: j: no answer could be read. No agent acted in 1 turn. ")
    page = HomeSource().get("r", private=False)
    assert told(page).startswith("No agent acted in 1 turn. ")
    assert not any(words in told(page) for words in FAIR)
    assert coop("verify", "r").code == 0


@brought_by("many")
def test_of_many_whose_answers_were_of_no_use_the_first_are_named_and_all_counted(
    coop: Coop, script: Script
) -> None:
    for k in range(1, 41):
        script[f"Agent{k}", "act"] = "I have nothing to say."
    options = ("--graph", "llm_only", "--set", "agents=40", "--set", "rounds=1")
    said = " ".join(coop("run", "public_goods", *options, "--tries", "1").out.split())
    assert "40 of 40 answers could not be used [MPT ×40], of 40 of 40 agents: Agent1, " in said
    (line,) = re.findall(r"could not be used.*?\.", said)
    assert line.endswith(" and 34 more.")


def test_whoever_chooses_to_pass_is_told_apart_from_answers_of_no_use() -> None:
    def record(*labels: str) -> list[Any]:
        passes = [{"effect": "pass", "agent": "Ann", "label": label} for label in labels]
        return [{"turn": 1, "actions": {}, "rewards": {}, "effects": passes}]

    assert without_play(record("FORM")) == "unreadable"
    assert without_play(record("FORM", "PASS")) == "no_play"
    assert without_play(record("BUDGET")) == "budget"
    assert without_play(record()) is None
    played: Any = {"turn": 2, "actions": {"Ann": "go"}, "rewards": {}}
    assert without_play([*record("FORM"), played]) is None


NOTHING = """\
name: still
agents: [Ann, Ben]
actions: {Ann: [stay, go], Ben: [stay, go]}
payoffs:
  - {play: [stay, stay], pays: [0, 0]}
  - {play: [stay, go], pays: [0, 0]}
  - {play: [go, stay], pays: [0, 0]}
  - {play: [go, go], pays: [0, 0]}
absent: stay
"""


def test_where_nothing_is_at_stake_no_word_is_said_of_fairness(coop: Coop) -> None:
    Path("still.yaml").write_text(NOTHING, encoding="utf-8")
    ended = coop("run", "still.yaml", "--graph", "llm_only", "--name", "r")
    assert "Every reward was 0." in ended.out
    story = told(HomeSource().get("r", private=False))
    assert "Every reward was 0." in story
    assert not any(words in story for words in FAIR)


@brought_by("reports")
def test_a_report_of_a_sweep_begins_with_what_happened(coop: Coop, script: Script) -> None:
    mute(script)
    suite = "name: mute\nbase: {game: escape_room, graph: llm_only, tries: 1}\nseeds: [0, 1]\n"
    Path("mute.yaml").write_text(suite, encoding="utf-8")
    coop("sweep", "mute.yaml", "-o", "runs")
    assert {row["result"]["status"] for row in read_rows(Path("runs"))} == {"unreadable"}
    coop("report", "runs")
    page = Path("runs/report.html").read_text(encoding="utf-8")
    assert "2 of 2 runs ended without a play: no answer could be used in 2" in page


# What the operator cuts


def duty(facts: dict[str, Any]) -> str:
    clauses = [{"kind": "do", "agent": agent, "action": "lever"} for agent in ("Alice", "Bob")]
    return f"<PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"


def test_what_the_budget_cuts_is_no_breach(coop: Coop, script: Script) -> None:
    script["Alice", "propose"] = duty
    script["Bob", "answer"] = ACCEPT
    script["Alice", "act"] = script["Bob", "act"] = "<ACTION>lever</ACTION>"
    options = ("--graph", "negotiation", "--name", "r", "--budget", "agent_calls=1")
    outcome = valid(coop("run", "escape_room", *options, "--json").result)
    assert outcome["contract"]
    assert (outcome["status"], outcome["breaches"]) == ("budget", [])
    whys = {each["why"] for one in outcome["conduct"].values() for each in one["passes"]}
    assert whys == {"budget"}
    assert coop("verify", "r").code == 0


def test_a_turn_of_an_earlier_record_is_judged_as_it_was() -> None:
    deal = Deal(clauses=[Do(agent="Ann", action="give")])
    cases: list[tuple[dict[str, Any], int]] = [({}, 1), ({"excused": True}, 0)]
    for more, breaches in cases:
        effect = {"effect": "pass", "agent": "Ann", "label": "BUDGET", **more}
        monitor = Monitor(deal)
        monitor.observe({"turn": 1, "actions": {}, "rewards": {}, "effects": [effect]})
        assert len(monitor.breaches) == breaches


# Recordings


def test_a_replay_of_a_simulation_is_called_one(coop: Coop) -> None:
    coop("run", "escape_room", "--name", "first", "--seed", "2")
    Path("letters.jsonl").write_text(coop("letters", "first").out, encoding="utf-8")
    replay = ("run", "escape_room", "--seed", "2", "--model", "recording:letters.jsonl")
    assert coop(*replay, "--json").result["simulated"] is True
    assert "A simulation: embedded agents answered" in coop(*replay).out


ESCROW = ("--graph", "contracts", "--enforcement", "escrow")
LOSES = (*ESCROW, "--set", "rounds=3", "--agent", "Bob=embedded:random")


@pytest.mark.parametrize(
    ("command", "forfeits"),
    [
        (("prisoners_dilemma", *LOSES, "--seed", "2"), True),
        (("prisoners_dilemma", *LOSES, "--seed", "1", "--deposit", "1.5"), True),
        (("cash_grab", *ESCROW, "--agent", "Bob=embedded:random", "--deposit", "2"), True),
        (("volunteers", *ESCROW, "--seed", "1"), False),
    ],
)
def test_reward_and_the_printed_lines_add_up_to_each_payoff(
    coop: Coop, command: tuple[str, ...], forfeits: bool
) -> None:
    outcome = coop("run", *command, "--name", "held", "--json").result
    assert any(outcome["forfeits"].values()) == forfeits
    due = {agent: Fraction(str(x)) for agent, x in outcome["rewards"].items()}
    shown = coop("show", "held").out
    for payer, payee, amount in re.findall(r"^(\w+) pays (\w+) (\S+) net", shown, re.MULTILINE):
        due[payer] -= Fraction(amount)
        due[payee] += Fraction(amount)
    for line in re.findall(r"^deposits forfeited, net: (.*)$", shown, re.MULTILINE):
        for agent, amount in (part.split() for part in line.split(", ")):
            due[agent] += Fraction(amount)
    assert {agent: float(x) for agent, x in due.items()} == pytest.approx(outcome["payoffs"])

"""Contracts and records made anywhere can be held against each other."""

import json

from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.deals.written.audit import audit, audit_in_words

DEAL = Deal(
    clauses=[
        Do(agent="Ann", action="left"),
        Do(agent="Ben", action="right", when=Last(last=Event(agent="Ann", action="left"))),
        Pay(
            payer="Ben",
            payee="Ann",
            amount="1/3",
            basis="turn",
            when=Last(last=Event(agent="Ben", action="left")),
        ),
    ]
)


def played(*joint):
    return [
        {"turn": n, "actions": {"Ann": a, "Ben": b}, "rewards": {"Ann": 0, "Ben": 0}}
        for n, (a, b) in enumerate(joint, start=1)
    ]


RECORD = played(("left", "left"), ("left", "right"), ("right", "left"))


def test_an_audit_names_verdicts_breaches_adherence_and_what_fell_due():
    found = audit(DEAL, RECORD, turns=3)
    assert found["verdicts"] == {"c1": "violated", "c2": "violated", "c3": "satisfied"}
    assert [(b["clause"], b["turn"]) for b in found["breaches"]] == [("c1", 3), ("c2", 3)]
    assert found["duties"] == {"kept": 3, "owed": 5}
    assert [(p["turn"], p["amount"]) for p in found["payments"]] == [(1, "1/3"), (3, "1/3")]
    assert found["judge"] is found["agreement"] is None
    assert json.loads(json.dumps(found)) == found


def test_what_is_not_over_is_pending():
    found = audit(DEAL, RECORD[:2], turns=9, over=False)
    assert found["verdicts"] == {"c1": "pending", "c2": "pending", "c3": "pending"}


def test_a_judge_stands_beside_the_monitor_and_changes_nothing():
    lenient = "c1: satisfied\nc2: violated\nc3: satisfied"
    found = audit(DEAL, RECORD, turns=3, judged=lenient)
    assert found["agreement"] == "2/3"
    assert found["verdicts"]["c1"] == "violated"
    assert audit(DEAL, RECORD, turns=3, judged="I have no idea")["judge"] is None


def test_an_audit_can_be_read():
    text = audit_in_words(audit(DEAL, RECORD, turns=3))
    assert "3 of 5 duties were kept." in text
    assert "c1 violated: Ann does left at every turn." in text
    assert "Breach of c2 by Ben, turn 3: Ben did left, owed right" in text
    assert "Due by c3 at turn 1: Ben pays Ann 1/3" in text


def test_no_contract_is_nothing_to_audit():
    found = audit(None, RECORD, turns=3)
    assert found["verdicts"] == {}
    assert found["duties"] == {"kept": 0, "owed": 0}

"""The monitor says what the definition says, and says it fast."""

from random import Random

from shapley_coop.deals import (
    All,
    Count,
    Deal,
    Do,
    Event,
    Every,
    Forbid,
    Last,
    Not,
    Pay,
    Share,
    Turns,
    amend,
    breaches,
    contract_breaches,
    holds,
    put,
    sign,
)
from shapley_coop.deals.language.condition import Condition
from shapley_coop.deals.progression import Watch, adherence
from tests.chance import dice
from tests.made_contracts import ACTIONS, a_condition, a_deal, a_turn, can_still_bind
from tests.steps import steps

TURNS = 3


def turn(number, **actions):
    return {"turn": number, "actions": actions, "rewards": dict.fromkeys(ACTIONS, 0)}


def brute_force(deal, record):
    """Each clause's verdict, from `holds` and every continuation."""
    broken = {breach.clause for breach in breaches(deal, record)}
    verdicts = {}
    for cid, clause in deal.ids().items():
        fell_due = isinstance(clause, Pay) and any(
            holds(clause.when, n, record[:n]) for n in range(1, len(record) + 1)
        )
        done = fell_due and clause.basis == "once"
        still_open = not done and can_still_bind(clause, record, TURNS)
        verdicts[cid] = "violated" if cid in broken else "pending" if still_open else "satisfied"
    return verdicts


def test_verdicts_equal_brute_force_on_a_thousand_contracts_and_histories():
    rng, seen = dice("verdicts"), {"satisfied": 0, "violated": 0, "pending": 0}
    for _ in range(1_000):
        deal = a_deal(rng, TURNS, most=2)
        record = [a_turn(rng, n) for n in range(1, rng.randint(1, TURNS) + 1)]
        standings = Watch.of(deal, TURNS, ACTIONS).follow(record)
        expected = brute_force(deal, record)
        assert standings[-1].verdicts == expected, (deal.text(), record)
        found = [breach for standing in standings for breach in standing.breaches]
        assert found == breaches(deal, record)
        for verdict in expected.values():
            seen[verdict] += 1
    assert min(seen.values()) > 50


def test_what_is_remembered_of_a_condition_decides_it_as_the_whole_record_does():
    rng = dice("conditions")
    for _ in range(1_000):
        condition, record = a_condition(rng, 8), []
        duty, payment = (Condition(condition, asked=asked) for asked in ("before", "after"))
        owed, due = duty.start, payment.start
        for number in range(1, 9):
            assert duty.holds(owed, number) == holds(condition, number, record)
            record.append(a_turn(rng, number))
            owed, due = duty.after(owed, record[-1]), payment.after(due, record[-1])
            assert payment.holds(due, number) == holds(condition, number, record)


def test_a_verdict_never_goes_back_from_violated_or_satisfied():
    rng = dice("final verdicts")
    for _ in range(500):
        watch = Watch.of(a_deal(rng, 6), 6, ACTIONS)
        standing = watch.start()
        for number in range(1, 7):
            after = watch.after(standing, a_turn(rng, number))
            for cid, verdict in standing.verdicts.items():
                if verdict != "pending":
                    assert after.verdicts[cid] == verdict
            standing = after
        assert "pending" not in watch.close(standing).verdicts.values()


def test_a_breach_names_clause_agent_turn_and_evidence():
    deal = Deal(
        clauses=[
            Do(agent="Ann", action="left", when=Every(every=2, start=2)),
            Forbid(agent="Ben", action="up", when=Last(last=Event(agent="Ann", action="right"))),
        ]
    )
    record = [
        turn(1, Ann="right", Ben="up"),
        turn(2, Ann="right", Ben="up"),
        turn(3, Ben="left"),
        turn(4, Ben="up"),
    ]
    found = [b for standing in Watch.of(deal, 4).follow(record) for b in standing.breaches]
    assert [(b.clause, b.agent, b.turn, b.evidence) for b in found] == [
        ("c1", "Ann", 2, "turn 2: Ann did right, owed left"),
        ("c2", "Ben", 2, "turn 2: Ben did up, owed not up"),
        ("c1", "Ann", 4, "turn 4: Ann did nothing, owed left"),
        ("c2", "Ben", 4, "turn 4: Ben did up, owed not up"),
    ]


def test_a_clause_is_satisfied_as_soon_as_nothing_can_break_it_any_more():
    late = Count(count=Event(agent="Ann", action="left"), at_least=3)
    deal = Deal(
        clauses=[
            Do(agent="Ann", action="left", when=Turns(turns=(1, 2))),
            Do(agent="Ben", action="up", when=late),
            Do(agent="Ben", action="left", when=All(all=(late, Not(negated=late)))),
            Pay(payer="Ann", payee="Ben", amount=1, when=Turns(turns=(2, 9))),
            Share(fractions={"Ann": "1/2", "Ben": "1/2"}),
        ]
    )
    watch = Watch.of(deal, 4, ACTIONS)
    standing = watch.start()
    assert standing.verdicts["c3"] == "satisfied"
    one = watch.after(standing, turn(1, Ann="left", Ben="left"))
    assert one.verdicts == {
        "c1": "pending",
        "c2": "pending",
        "c3": "satisfied",
        "c4": "pending",
        "c5": "pending",
    }
    two = watch.after(one, turn(2, Ann="left", Ben="left"))
    assert two.verdicts["c1"] == two.verdicts["c4"] == "satisfied"
    assert two.verdicts["c2"] == "pending"
    three = watch.after(two, turn(3, Ann="right", Ben="left"))
    assert three.verdicts["c2"] == "satisfied", "three lefts can no longer be reached in time"
    assert watch.after(three, turn(4)).verdicts["c5"] == "satisfied"


def test_an_amended_contract_is_watched_clause_by_clause_while_each_stands():
    first = Deal(clauses=[Do(agent="Ann", action="left")])
    second = Deal(clauses=[Do(agent="Ann", action="right")])
    accepted = {"accepted": list(ACTIONS)}
    contract = sign({**put(first, "Ann", 1), **accepted}, 1)
    contract = amend(contract, {**put(second, "Ben", 1), **accepted}, 3)
    record = [turn(n, Ann="left", Ben="left") for n in (1, 2, 3)]
    standings = Watch.of(contract, 5).follow(record)
    assert standings[-1].verdicts == {"c1": "satisfied", "c2": "violated"}
    assert list(standings[-1].breaches) == contract_breaches(contract, record)


def test_adherence_counts_the_duties_that_were_kept():
    deal = Deal(
        clauses=[
            Do(agent="Ann", action="left"),
            Forbid(agent="Ben", action="up", when=Turns(turns=(2, 2))),
        ]
    )
    contract = sign({**put(deal, "Ann", 1), "accepted": list(ACTIONS)}, 1)
    record = [turn(1, Ann="left", Ben="up"), turn(2, Ann="right", Ben="up"), turn(3, Ann="left")]
    assert adherence(contract, record) == (2, 4)
    assert adherence(None, record) == (0, 0)


def test_nothing_agreed_is_nothing_to_watch():
    (standing,) = Watch.of(None, 5).follow([turn(1, Ann="left")], over=True)
    assert standing.verdicts == {}
    assert standing.breaches == ()


def test_a_clause_costs_as_many_steps_a_turn_however_long_the_game():
    event = Event(agent="Ann", action="left")
    clauses = [
        Do(agent="Ann", action="left"),
        Do(agent="Ben", action="up", when=Last(last=event)),
        Forbid(agent="Ben", action="left", when=Count(count=event, at_least=50)),
        Pay(payer="Ann", payee="Ben", amount=1, basis="turn", when=Not(negated=Last(last=event))),
        Do(agent="Ann", action="right", when=All(all=(Every(every=3), Last(last=event)))),
    ] * 2
    rng = Random(1)
    record = [a_turn(rng, n) for n in range(1, 2_001)]
    watch = Watch.of(Deal(clauses=clauses), 10_000, ACTIONS)
    assert len(watch.follow(record)) == len(record)
    short, long = (steps(lambda n=n: watch.follow(record[:n])) / n for n in (200, len(record)))
    assert long <= 1.1 * short
    assert long <= 60 * len(clauses)

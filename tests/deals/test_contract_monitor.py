"""The monitor says what the definition says, and looks at each turn once."""

from copy import deepcopy

from shapley_coop.deals.agreement import monitor_of
from shapley_coop.deals.contract import amend, sign
from shapley_coop.deals.language.clauses import Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.when import All, Count, Event, Every, Last, Not, Turns
from shapley_coop.deals.monitor import Monitor
from tests.chance import dice
from tests.deals import brute_force
from tests.deals.made_contracts import ACTIONS, a_deal, a_turn

TURNS = 3


def turn(number, **actions):
    return {"turn": number, "actions": actions, "rewards": dict.fromkeys(ACTIONS, 0)}


def observed(agreed, record):
    """The monitor after every turn, each made by observing one turn more."""
    monitor, found = Monitor(agreed), []
    for played in record:
        monitor.observe(played)
        found.append(monitor.on(monitor.turns))
    return found


def facts(monitor):
    """All that a monitor can be asked."""
    paid = [(due.clause, due.turn, due.amount) for due in monitor.payments]
    broken = [(breach.clause, breach.agent, breach.turn) for breach in monitor.breaches]
    return broken, paid, monitor.duties(), monitor.owed, monitor.verdicts(6)


def on_history(clause):
    """Whether a clause's condition speaks of more than turns."""
    return "agent" in str(clause.when) or "earned" in str(clause.when)


def signed(deal, by="Ann", from_turn=1):
    return sign({**put(deal, by, 1), "accepted": list(ACTIONS)}, from_turn)


def test_the_monitor_equals_the_definition_on_a_thousand_contracts_and_histories():
    rng, seen = dice("monitor"), {"satisfied": 0, "violated": 0, "pending": 0}
    for _ in range(1_000):
        deal = a_deal(rng, TURNS, most=2)
        record = [a_turn(rng, n) for n in range(1, rng.randint(1, TURNS) + 1)]
        monitor, said = Monitor(deal).on(record), (deal.text(), record)
        broken, paid, duties, *_ = facts(monitor)
        asked = brute_force.asked(deal, record, len(record) + 1)
        certain = brute_force.verdicts(deal, record, TURNS)
        for cid, verdict in monitor.verdicts(TURNS).items():
            # Of what depends on the history, no future is looked at.
            open_ = verdict == "pending" and on_history(deal.ids()[cid])
            assert open_ or verdict == certain[cid], said
        assert broken == brute_force.broken(deal, record), said
        assert paid == brute_force.fell_due(deal, record), said
        assert [duty.clause for duty in duties] == [cid for cid, _ in asked], said
        for verdict in monitor.verdicts(TURNS).values():
            seen[verdict] += 1
    assert min(seen.values()) > 100


def test_whatever_was_read_before_a_record_is_judged_as_if_it_were_the_first():
    """Growing, shorter and forked records of few contracts, in any order."""
    rng = dice("forks")
    contracts = [signed(a_deal(rng, 6)) for _ in range(4)]
    records = {contract["hash"]: [[]] for contract in contracts}
    for _ in range(1_000):
        contract = rng.choice(contracts)
        known = records[contract["hash"]]
        record = rng.choice(known[-6:])
        record = record[: rng.randint(0, len(record))] if rng.random() < 0.3 else record
        if len(record) < 6:
            record = [*record, a_turn(rng, len(record) + 1)]
        known.append(record)
        given = deepcopy(record) if rng.random() < 0.3 else record
        assert facts(monitor_of(contract, given)) == facts(Monitor(contract).on(record))


def test_a_monitor_that_is_observed_further_leaves_the_next_reader_alone():
    contract = signed(Deal(clauses=[Do(agent="Ann", action="left")]))
    record = [turn(1, Ann="left")]
    one, other = monitor_of(contract, record).on(record), monitor_of(contract, record)
    one.observe(turn(2, Ann="right"))
    assert other.turns == record
    assert (one.breaches != [], other.breaches) == (True, [])
    assert monitor_of(contract, record).breaches == []


def test_the_same_deal_signed_at_another_turn_is_judged_from_that_turn():
    deal, record = Deal(clauses=[Do(agent="Ann", action="left")]), [turn(1), turn(2)]
    early, late = signed(deal), signed(deal, from_turn=2)
    assert early["hash"] == late["hash"]
    assert [b.turn for b in monitor_of(early, record).breaches] == [1, 2]
    assert [b.turn for b in monitor_of(late, record).breaches] == [2]


def test_a_verdict_never_goes_back_from_violated_or_satisfied():
    rng = dice("verdicts")
    for _ in range(500):
        monitor = Monitor(a_deal(rng, 6))
        before = monitor.verdicts(6)
        for number in range(1, 7):
            monitor.observe(a_turn(rng, number))
            after = monitor.verdicts(6)
            assert all(after[cid] == x for cid, x in before.items() if x != "pending")
            before = after
        assert "pending" not in monitor.verdicts(6, over=True).values()


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
    found = Monitor(deal).on(record).breaches
    assert [(b.clause, b.agent, b.turn, b.evidence) for b in found] == [
        ("c1", "Ann", 2, "turn 2: Ann did right, owed left"),
        ("c2", "Ben", 2, "turn 2: Ben did up, owed not up"),
        ("c1", "Ann", 4, "turn 4: Ann did nothing, owed left"),
        ("c2", "Ben", 4, "turn 4: Ben did up, owed not up"),
    ]


def test_a_clause_is_satisfied_as_soon_as_no_turn_is_left_at_which_it_asks():
    late = Count(count=Event(agent="Ann", action="left"), at_least=3)
    first_two = Turns(turns=(1, 2))
    deal = Deal(
        clauses=[
            Do(agent="Ann", action="left", when=first_two),
            Do(agent="Ben", action="up", when=late),
            Do(agent="Ben", action="left", when=All(all=(first_two, Not(negated=first_two)))),
            Pay(payer="Ann", payee="Ben", amount=1, when=Turns(turns=(2, 9))),
            Share(fractions={"Ann": "1/2", "Ben": "1/2"}),
        ]
    )
    lefts = turn(1, Ann="left", Ben="left"), turn(2, Ann="left", Ben="left")
    record = [*lefts, turn(3, Ann="right", Ben="left"), turn(4)]
    assert Monitor(deal).verdicts(4)["c3"] == "satisfied"
    one, two, three, four = (monitor.verdicts(4) for monitor in observed(deal, record))
    assert one == {
        "c1": "pending",
        "c2": "pending",
        "c3": "satisfied",
        "c4": "pending",
        "c5": "pending",
    }
    assert two["c1"] == two["c4"] == "satisfied"
    assert three["c2"] == "pending", "no course of the game is enumerated"
    assert four["c2"] == four["c5"] == "satisfied"


def test_an_amended_contract_is_watched_clause_by_clause_while_each_stands():
    first = Deal(clauses=[Do(agent="Ann", action="left")])
    second = Deal(clauses=[Do(agent="Ann", action="right")])
    accepted = {"accepted": list(ACTIONS)}
    contract = sign({**put(first, "Ann", 1), **accepted}, 1)
    contract = amend(contract, {**put(second, "Ben", 1), **accepted}, 3)
    record = [turn(n, Ann="left", Ben="left") for n in (1, 2, 3)]
    monitor = Monitor(contract).on(record)
    assert monitor.verdicts(5) == {"c1": "satisfied", "c2": "violated"}
    assert monitor.breaches == monitor_of(contract, record).breaches


def test_adherence_counts_the_duties_that_were_kept():
    deal = Deal(
        clauses=[
            Do(agent="Ann", action="left"),
            Forbid(agent="Ben", action="up", when=Turns(turns=(2, 2))),
        ]
    )
    contract = sign({**put(deal, "Ann", 1), "accepted": list(ACTIONS)}, 1)
    record = [turn(1, Ann="left", Ben="up"), turn(2, Ann="right", Ben="up"), turn(3, Ann="left")]
    monitor = monitor_of(contract, record)
    assert (monitor.owed, len(monitor.breaches)) == (4, 2)


def test_nothing_agreed_is_nothing_to_watch():
    monitor = monitor_of(None, [turn(1, Ann="left")])
    assert monitor.verdicts(5, over=True) == {}
    assert monitor.breaches == monitor.payments == monitor.duties() == []

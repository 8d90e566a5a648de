"""Games by counts: the same as their tables where there are few, and playable where many."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from shapley_coop.credit.attribution import attribute_by
from shapley_coop.credit.norms import norms
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.outlook import Prospect, outlook
from shapley_coop.deals.analysis.party import Party
from shapley_coop.deals.analysis.stage import StageGame, facts_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Forbid, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_proposal
from shapley_coop.deals.language.rules import DEAL_RULES, first_fault
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Event, Last, Turns
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.written.reading import read_words
from shapley_coop.extensions.many.counts import Counts, Piece
from shapley_coop.extensions.many.foresight import Counting
from shapley_coop.extensions.many.parties import parties_by_counts
from shapley_coop.extensions.many.payoffs import CountedPayoffs
from shapley_coop.games import Game, GameError, load
from shapley_coop.games.enumeration import Enumeration
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.games.table import PayoffTable
from shapley_coop.graphs.running import play
from shapley_coop.prompts import write_history
from shapley_coop.state.characteristic import characteristic
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.chance import dice

SIZES = dict.fromkeys(("public_goods", "volunteers", "escape_room"), 4)
OF_MANY = [
    ("public_goods", {"agents": 4, "levels": 3, "rounds": 3}),
    ("public_goods", {"agents": 7, "rounds": 3, "absent": "away"}),
    ("volunteers", {"agents": 7, "rounds": 3}),
    ("volunteers", {"agents": 7, "rounds": 3, "absent": "idle"}),
    ("escape_room", {"agents": 7, "levers": 3, "rounds": 3}),
    ("escape_room", {"agents": 7, "levers": 2, "rounds": 3, "absent": "door"}),
]


def both(name: str, params: dict[str, Any]) -> tuple[MatrixGame, MatrixGame]:
    """A game by counts, and the same with its payoffs in a table."""
    counted, tabled = load(name, params), load(name, params)
    assert isinstance(counted, MatrixGame)
    assert isinstance(tabled, MatrixGame)
    stage = StageGame.of(counted.facts())
    pays = {
        play: dict(zip(stage.agents, map(_number, row), strict=True))
        for play, row in stage.pays.items()
    }
    tabled.payoffs = PayoffTable(tabled.agents, tabled.actions, pays)
    assert isinstance(counted.payoffs, CountedPayoffs)
    return counted, tabled


def _number(x: Fraction) -> int | float:
    return int(x) if x.denominator == 1 else float(x)


def record_of(game: Game, rng: Random, passes: float = 0.0) -> list[Any]:
    """A play at random, in which some do nothing now and then."""
    position, record = game.start(), []
    for turn in range(1, game.turns + 1):
        acts = {a: rng.choice(game.actions[a]) for a in game.agents if rng.random() >= passes}
        after = game.step(position, acts)
        record.append({"turn": turn, "actions": acts, "rewards": after.rewards})
        position = after.position
    return record


@pytest.mark.parametrize(("name", "params"), OF_MANY)
def test_what_is_counted_is_what_the_table_says(name, params):
    rng = dice(f"counts {name} {params}")
    counted, tabled = both(name, params)
    for passes in (0.0, 0.3):
        record = record_of(counted, rng, passes)
        assert record == [
            {**turn, "rewards": tabled.step(tabled.start(), turn["actions"]).rewards}
            for turn in record
        ]
        ours, theirs = counted.analysis.replays(record), tabled.analysis.replays(record)
        assert ours.at_baseline() == theirs.at_baseline()
        for _ in range(12):
            members = frozenset(a for a in counted.agents if rng.random() < 0.5)
            assert counted.analysis.worth(record, members) == tabled.analysis.worth(record, members)
    assert counted.baseline == tabled.baseline
    assert counted.default_baseline() == tabled.default_baseline()
    assert counted.payoffs.unasked == tabled.payoffs.unasked
    assert counted.payoffs.best_total == tabled.payoffs.best_total
    assert counted.analysis.ahead.most() == tabled.analysis.ahead.most()
    for size in range(1, len(counted.agents)):
        some = frozenset(counted.agents[:size])
        assert counted.payoffs.secure(some) == tabled.payoffs.secure(some)


def enumerates_nothing(monkeypatch):
    for user in ("attribution", "characteristic"):
        monkeypatch.setattr(f"shapley_coop.credit.{user}.MAX_ENUMERATED", 0)


def test_what_coalitions_can_secure_is_valued_by_their_size(monkeypatch):
    counted, tabled = both("escape_room", {"agents": 7, "levers": 2, "worth": "potential"})
    record = record_of(counted, dice("secured"))
    expected = attribute_by(characteristic(tabled, record), "shapley")
    enumerates_nothing(monkeypatch)
    found = attribute_by(characteristic(counted, record), "shapley")
    assert found.method == "exact (by class counts)"
    assert (found.total, found.values) == (expected.total, expected.values)


@pytest.mark.parametrize(("name", "params"), OF_MANY)
@pytest.mark.parametrize("norm", [name for name, one in norms().items() if one.of_many])
def test_values_by_classes_are_those_of_all_coalitions(name, params, norm, monkeypatch):
    counted, tabled = both(name, params)
    record = record_of(counted, dice(f"values {name} {params}"))
    expected = attribute_by(characteristic(tabled, record), norm)
    enumerates_nothing(monkeypatch)
    of = characteristic(counted, record)
    found = attribute_by(of, norm)
    assert found.method.startswith("exact (")
    assert (found.total, found.values, found.marginal, found.at_baseline) == (
        expected.total,
        expected.values,
        expected.marginal,
        expected.at_baseline,
    )


def test_two_actions_and_any_lines_survive_dominance_as_their_table_does():
    rng = dice("lines")
    for _ in range(60):
        n = rng.randint(2, 5)
        lines = {
            action: [Piece(0, rng.randint(-3, 3), rng.randint(-2, 2)), Piece(2, rng.randint(-3, 3))]
            for action in ("stay", "go")
        }
        agents = [f"Agent{k}" for k in range(1, n + 1)]
        told = {"agents": agents, "actions": {a: ["stay", "go"] for a in agents}, "turns": 1}
        counts = Counts(["stay", "go"], n, lines)
        facts = {**told, "by_count": counts.record()}
        pays = {
            play: {a: float(x) for a, x in zip(agents, row, strict=True)}
            for play, row in StageGame.of(facts).pays.items()
        }
        counted, table = CountedPayoffs(agents, counts), PayoffTable(agents, told["actions"], pays)
        assert counted.surviving() == table.surviving()
        assert counted.best_total == table.best_total
        assert all(counted.most(agent) == table.most(agent) for agent in agents)
        for size in range(1, n):
            some = frozenset(agents[:size])
            assert counted.secure(some) == table.secure(some)


def test_by_counts_an_agent_foresees_what_it_would_by_the_table():
    counted, tabled = both("escape_room", {"agents": 7, "levers": 2, "rounds": 2})
    me = {"you": "Agent3", "turn": 1, "turns": 2}
    ours = Counting({**counted.facts(), **me}, [], lambda *_: ())
    theirs = Enumeration({**tabled.facts(), **me}, [], lambda *_: ())
    seen, expected = (one.foresee(lambda *_: (), "lever") for one in (ours, theirs))
    assert seen.holds == expected.holds
    assert [dict(turn["actions"]) for turn in seen.record] == [
        turn["actions"] for turn in expected.record
    ]
    assert ours.habit(["door", "lever"]) == theirs.habit(["door", "lever"])
    named = {part.agent for part in ours.together()}
    assert named == {"Agent4", "Agent5"}, "two levers, pulled by those who follow"


def test_a_number_stands_for_so_many_agents_and_rules_stay_as_long():
    ten, thousand = (load("public_goods", {"agents": n}) for n in (10, 1000))
    assert thousand.agents[0] == "Agent1"
    assert len(thousand.agents) == 1000
    assert abs(len(thousand.rules()) - len(ten.rules())) < 40
    assert len(str(thousand.payoffs.facts())) < 300
    with pytest.raises(GameError, match="give 2 to 1000"):
        load("escape_room", {"agents": 1001})


def test_a_thousand_contributions_have_exact_values():
    game = load("volunteers", {"agents": 1000})
    doing = {a: "volunteer" if k < 3 else "wait" for k, a in enumerate(game.agents)}
    rewards = game.step(game.start(), doing).rewards
    record: Any = [{"turn": 1, "actions": doing, "rewards": rewards}]
    found = attribute_by(characteristic(game, record), "shapley")
    assert found.total == 1000 * 5 - 3 * 2
    assert set(found.values.values()) == {Fraction(4994, 3), Fraction(0)}


@pytest.mark.usefixtures("careful")
async def test_many_agree_that_everyone_gives_and_all_do():
    config = RunConfig(game="public_goods", params={"agents": 40, "rounds": 2}, seed=1)
    outcome = await play("negotiation", config)
    assert outcome["status"] == "agreed"
    assert set(outcome["payoffs"].values()) == {64.0}


def test_the_table_is_printed_where_it_is_short():
    for name, most in SIZES.items():
        assert "payoffs" in load(name, {"agents": most}).facts()
        assert "by_count" in load(name, {"agents": most + 1}).facts()


@pytest.mark.slow
async def test_letters_do_not_grow_with_the_agents():
    longest: dict[int, dict[str, int]] = {}
    for n in (14, 42):
        config = RunConfig(game="public_goods", params={"agents": n, "rounds": 1}, seed=1)
        outcome = await play("short_term", config)
        assert outcome["status"] == "agreed"
        found = longest[n] = {}
        entries = home().journal.entries(outcome["episode"])
        for entry in (e for e in entries if e.attempt == 1):
            found[entry.act] = max(found.get(entry.act, 0), len(entry.letter_text))
    assert set(longest[14]) == {"reason", "propose", "answer", "act", "claim", "propose_split"}
    for act, length in longest[42].items():
        assert length <= 1.1 * longest[14][act], act


def test_an_offer_to_many_says_what_one_of_each_kind_gains_by_breaking_it():
    game = load("public_goods", {"agents": 40})
    give = Do(agent="everyone", action="give")
    fee = Pay(payer="others", payee="Agent1", amount=39)
    found = outlook(Prospect(game, game.start(), [], None, Deal(clauses=[give, fee])))
    broken = {row.who: {a: row.payoffs[a].mean for a in ("Agent1", "Agent2")} for row in found.rows}
    assert set(broken) == {"", "Agent1", "Agent2"}
    lost, kept = Fraction(8, 10), Fraction(20)
    kept_by_all = {"Agent1": 320 + 39, "Agent2": 320 - 1}
    assert broken["Agent2"] == {
        "Agent1": kept_by_all["Agent1"] - 10 * lost,
        "Agent2": kept_by_all["Agent2"] + 10 * (kept - lost),
    }


def test_what_everyone_owes_is_owed_by_each():
    agents = ["Ann", "Ben", "Cem"]
    terms = Terms(agents, {agent: ["a", "b"] for agent in agents}, turns=2)
    said = {"clauses": [{"kind": "do", "agent": "everybody", "action": "A"}]}
    read = read_proposal(said, terms)
    assert not isinstance(read, Fault)
    assert read.deal.text() == "c1. everyone does a at every turn."
    assert "read everybody as everyone" in read.repairs[0]
    assert read_words(read.deal.text(), terms) == read.deal
    assert first_fault(DEAL_RULES, read.deal, terms) is None
    monitor = Monitor(read.deal)
    paid = dict.fromkeys(terms.agents, 1)
    monitor.observe({"turn": 1, "actions": {"Ann": "a", "Ben": "b"}, "rewards": paid})
    assert [breach.agent for breach in monitor.breaches] == ["Ben", "Cem"]
    assert monitor.owed == 3


@pytest.mark.parametrize(
    ("clause", "label"),
    [
        ({"agent": "Ben", "action": "b"}, "CLASH"),
        ({"agent": "everyone", "action": "c"}, "ACTION"),
        ({"agent": "everyone", "action": "b"}, "CLASH"),
    ],
)
def test_what_not_all_can_do_is_not_asked_of_everyone(clause, label):
    agents = ["Ann", "Ben", "Cem"]
    terms = Terms(agents, {"Ann": ["a", "b", "c"], "Ben": ["a", "b"], "Cem": ["a", "b"]}, turns=2)
    deal = Deal(clauses=[Do(agent="everyone", action="a"), Do(**clause)])
    fault = first_fault(DEAL_RULES, deal, terms)
    assert fault is not None
    assert fault.label == label


def test_of_many_messages_alike_a_few_are_told_and_the_rest_in_sum():
    yes = {"topic": "deal", "before_turn": 1, "does": "accept", "about": 1, "says": "Fine."}
    no = {**yes, "by": "Eve", "does": "reject", "says": "I <b>refuse</b>."}
    words = write_history([*({**yes, "by": f"A{n}"} for n in range(20)), no])
    assert words.count("accepts offer 1") == 4
    assert "A3, A4, A5, A6, A7, A8, A9, A10 and 9 more accepts offer 1" in words
    assert '"Fine." ×17' in words
    assert 'Eve rejects offer 1: "I \\u003cb' in words


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("public_goods", {"agents": 4, "levels": 2, "rounds": 2, "multiplier": 1.5}),
        pytest.param("volunteers", {"agents": 7, "rounds": 2}, marks=pytest.mark.slow),
        pytest.param(
            "escape_room", {"agents": 7, "levers": 2, "rounds": 1}, marks=pytest.mark.slow
        ),
    ],
)
def test_incentives_by_counts_are_those_of_the_whole_game_tree(name, params):
    game = load(name, params)
    facts, first, last = facts_of(game), *(game.actions["Agent1"][k] for k in (0, -1))
    deals = [
        [Do(agent="everyone", action=last)],
        [Do(agent="Agent1", action=last), Forbid(agent="Agent2", action=first)],
        [Do(agent="everyone", action=first), Do(agent="Agent3", action=first)],
        [Forbid(agent="everyone", action=first, when=Turns(turns=(1, 1)))],
        [Do(agent="everyone", action=last), fee(when=Turns(turns=(1, 1)))],
        [fee(payer=OTHERS, payee="Agent1", basis="turn", when="always"), fee(when="always")],
    ]
    for clauses in deals:
        deal = Deal(clauses=clauses)
        for mode in ("notional", "enforced"):
            expected = certify(deal, facts, Enforcement(mode)).parties
            found = parties_by_counts(deal, None, facts, (), Enforcement(mode))
            assert {a: _told(x) for a, x in found.items()} == {
                a: _told(x) for a, x in expected.items()
            }


def _told(party: Party) -> Any:
    """What can be compared: of equally good breaches one is named."""
    one, against = party.deviation, party.against_all
    breach = one and (one.turn, one.action, set(one.owed), one.gain)
    tempted = against.temptation and against.temptation.gain
    free = against.indifference and (against.indifference.turn, against.indifference.action)
    return party.without, party.within, party.guaranteed, breach, against.asked, tempted, free


def test_a_thousand_are_told_what_a_contract_does_to_their_incentives():
    game = load("public_goods", {"agents": 1000, "rounds": 3})
    deal = Deal(clauses=[Do(agent="everyone", action="give")])
    parties = certify(deal, facts_of(game)).parties
    assert len(parties) == 1000
    one = parties["Agent500"]
    assert (one.without.expected, one.within.expected) == (60, 96)
    assert one.deviation is not None
    assert one.deviation.gain == 3 * (20 - Fraction(32, 1000))


def test_a_fixed_payment_among_a_thousand_moves_what_two_of_them_can_expect():
    facts = facts_of(load("public_goods", {"agents": 1000, "rounds": 3}))
    give = Do(agent="everyone", action="give")
    parties = certify(Deal(clauses=[give, fee(basis="turn", when="always")]), facts).parties
    expected = [parties[agent].within.expected for agent in ("Agent1", "Agent2", "Agent3")]
    assert expected == [93, 99, 96]
    assert {party.deviation.gain for party in parties.values() if party.deviation} == {
        3 * (20 - Fraction(32, 1000))
    }


def test_what_is_not_worked_out_among_a_thousand_is_named_with_its_reason():
    facts = facts_of(load("public_goods", {"agents": 1000, "rounds": 3}))
    if_given = Last(last=Event(agent="Agent2", action="give"))
    for deal, mode, reason in (
        (Deal(clauses=[fee(when=if_given)]), "enforced", "c1 is neither"),
        (Deal(clauses=[fee(when="always")]), "escrow", "deposits are computed"),
    ):
        found = certify(deal, facts, Enforcement(mode))
        assert not found.parties
        assert reason in found.notes[0]


async def test_a_fund_in_which_everybody_has_a_duty_is_looked_ahead_in() -> None:
    """What agents would do unasked is then done by nobody, and pays nobody."""
    config = RunConfig(game="public_goods", params={"agents": 6, "rounds": 1})
    outcome = await play("contracts", config)
    assert (outcome["status"], outcome["breaches"]) == ("agreed", [])


def fee(payer="Agent1", payee="Agent2", **how: Any) -> Pay:
    return Pay(payer=payer, payee=payee, amount=1, **how)

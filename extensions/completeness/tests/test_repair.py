"""Repairs close what the search finds, lower nobody's payoff, and hold no clause too many."""

import doctest
from fractions import Fraction

from extensions.completeness.tests.test_search import brute, drawn_case
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.language.clauses import Do, Forbid, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last, Turns
from shapley_coop.extensions import completeness
from shapley_coop.extensions.completeness import examine, propose
from shapley_coop.extensions.completeness.frontier import distance
from shapley_coop.games import load
from tests.console_pages import played
from tests.root import ROOT

CONTRACTS = 80
PAGE = (ROOT / "docs/completeness.md").read_text(encoding="utf-8")
DILEMMA = ("--game", "prisoners_dilemma", "--set", "rounds=1")
PROMISE = '{"clauses": [{"kind": "do", "agent": "everyone", "action": "cooperate"}]}'


def dilemma(*clauses, rounds=1):
    return examine(Deal(clauses=clauses), load("prisoners_dilemma", {"rounds": rounds}).facts())


def test_repairs_of_random_contracts_close_them_by_brute_force():
    """Of the contracts of the search's own test; each added clause is needed."""
    repaired = 0
    for number in range(CONTRACTS):
        found, pays, terms = drawn_case(number)
        repair = propose(found)
        if repair is None:
            continue
        repaired += 1
        raw = brute(found, pays, terms, repair.then.deal)
        assert not any(list(raw.cases(i)) for i in range(len(raw.agents)))
        after = [raw.expect((), i) for i in range(len(raw.agents))]
        assert all(now >= before for now, before in zip(after, found.payoffs, strict=True))
        assert found.exposures or sum(after) > sum(found.payoffs)
        assert certify(repair.then.deal, found.facts, terms).sound
        for clause in repair.added:
            kept = [one for one in repair.then.deal.clauses if one is not clause]
            fewer = examine(Deal(clauses=kept), found.facts, terms)
            worse = any(a < b for a, b in zip(fewer.payoffs, found.payoffs, strict=True))
            assert fewer.exposures or worse or fewer.lost > repair.then.lost
    assert repaired > CONTRACTS / 5


def test_a_promise_of_all_is_closed_by_one_split():
    repair = propose(dilemma(Do(agent="everyone", action="cooperate")))
    assert [clause.words() for clause in repair.added] == [
        "At the end the total is split: Alice 50 %, Bob 50 %."
    ]


def test_a_fine_outweighs_the_largest_gain_and_not_only_the_nearest():
    """A breach gains 1 if the other keeps the contract, and 3 if the other breaks it, too."""
    pays = {"xx": (2, 2), "yx": (3, -2), "xy": (-2, 3), "yy": (1, 1)}
    agents = ("Ann", "Ben")
    cells = [
        {"play": dict(zip(agents, play, strict=True)), "pays": dict(zip(agents, at, strict=True))}
        for play, at in pays.items()
    ]
    actions = {agent: ["x", "y"] for agent in agents}
    facts = {"agents": [*agents], "actions": actions, "turns": 1, "payoffs": cells}
    found = examine(Deal(clauses=[Do(agent="everyone", action="x")]), facts)
    assert (found.nearest.gain, found.exposures["Ann"].most) == (1, 3)
    assert [clause.amount for clause in propose(found).added] == [4, 4]


def test_a_fine_is_due_only_at_the_turns_and_for_the_actions_that_break_a_duty():
    asked = {"agent": "Alice", "action": "cooperate"}
    first, last = (Turns(turns=(turn, turn)) for turn in (1, 3))
    repair = propose(
        dilemma(
            Do(**asked, when=first), Forbid(agent="Alice", action="defect", when=last), rounds=3
        )
    )
    assert [clause.words() for clause in repair.added] == [
        "Alice pays Bob 2 for each turn, ((at turn 1 and if Alice does defect) or "
        "(at turn 3 and if Alice does defect))."
    ]


def test_what_a_contract_asks_for_itself_is_lost_and_not_repaired():
    found = dilemma(Do(agent="everyone", action="defect"))
    assert (found.exposures, found.lost, propose(found)) == ({}, 2, None)


def test_the_distance_says_with_and_without_payments_what_is_left():
    def words(*clauses):
        found = dilemma(*clauses)
        return distance(found.tree.stage, found.payoffs).words()

    frontier = "Distance to the Pareto frontier: "
    assert words(Do(agent="everyone", action="cooperate")).startswith("On the Pareto frontier")
    assert words(Do(agent="everyone", action="defect")) == (
        f"{frontier}2 with payments; without payments all could gain 1 at once, and some 2 "
        "together at nobody's cost."
    )
    assert words(Do(agent="Alice", action="cooperate")) == (
        f"{frontier}1 with payments; none without payments, as any other course costs somebody."
    )


def test_a_complete_contract_needs_nothing():
    fines = [
        Pay(payer=a, payee=b, amount=2, when=Last(last=Event(agent=a, action="defect")))
        for a, b in (("Alice", "Bob"), ("Bob", "Alice"))
    ]
    found = dilemma(Do(agent="everyone", action="cooperate"), *fines)
    assert (found.complete, found.nearest, propose(found)) == (True, None, None)


def test_a_breach_that_costs_nothing_is_told_as_such():
    fine = Pay(
        payer="Alice",
        payee="Bob",
        amount=Fraction(1),
        when=Last(last=Event(agent="Alice", action="defect")),
    )
    found = dilemma(Do(agent="Alice", action="cooperate"), fine)
    assert found.nearest.gain == 0
    assert "The breach never costs Alice anything" in found.nearest.story()


def test_the_check_of_a_contract_tells_the_story_in_words_and_as_json(coop, tmp_path):
    (tmp_path / "deal.json").write_text(PROMISE, encoding="utf-8")
    told = coop("contract", "check", "deal.json", *DILEMMA).out
    assert "by defect with Alice 2, Bob -1. Alice gains 1.\nWith 1 clause more" in told
    found = coop("contract", "check", "deal.json", *DILEMMA, "--json").result["completeness"]
    assert [case["gain"] for case in found["contingencies"]] == ["1", "1"]
    assert found["contingencies"][0]["by_breaking"] == {"Alice": "2", "Bob": "-1"}
    assert found["distance"] == {"with_payments": "0", "everybody": "0", "somebody": "0"}
    repaired = found["repair"]["contract"]
    (tmp_path / "repaired.yaml").write_text(str(repaired).replace("None", "null"), encoding="utf-8")
    again = coop("contract", "check", "repaired.yaml", *DILEMMA, "--json").result
    assert again["completeness"]["complete"]


def test_a_strict_check_fails_unless_the_search_finds_the_contract_complete(coop, tmp_path):
    fine = '{"kind": "pay", "payer": "%s", "payee": "%s", "amount": 2, "when": {"last": {"agent": '
    fine += '"%s", "action": "defect"}}}'
    fines = [fine % ("Alice", "Bob", "Alice"), fine % ("Bob", "Alice", "Bob")]
    do = '{"kind": "do", "agent": "everyone", "action": "cooperate"}'
    for added, code in (([], 1), (fines, 0)):
        content = f'{{"clauses": [{", ".join([do, *added])}]}}'
        (tmp_path / "deal.json").write_text(content, encoding="utf-8")
        assert coop("contract", "check", "deal.json", *DILEMMA).code == 0
        assert coop("contract", "check", "deal.json", *DILEMMA, "--strict").code == code
    by_norm = '{"clauses": [{"kind": "share", "norm": "shapley"}]}'
    (tmp_path / "room.json").write_text(by_norm, encoding="utf-8")
    unsearched = coop("contract", "check", "room.json", "--game", "escape_room", "--strict")
    assert unsearched.code == 1


def test_what_cannot_be_enforced_or_searched_is_named(coop, tmp_path):
    (tmp_path / "deal.json").write_text(PROMISE, encoding="utf-8")
    told = coop("contract", "check", "deal.json", *DILEMMA, "--enforcement", "notional").out
    assert told.endswith("closes this, as nothing is enforced.\n")
    by_norm = '{"clauses": [{"kind": "share", "norm": "shapley"}]}'
    (tmp_path / "room.json").write_text(by_norm, encoding="utf-8")
    room = coop("contract", "check", "room.json", "--game", "escape_room", "--json").result
    assert room["completeness"]["searched"] is False


def test_the_example_prints_what_it_says():
    tried = doctest.testmod(completeness)
    assert (tried.attempted > 0, tried.failed) == (True, 0)


def test_the_page_shows_what_its_command_prints(tmp_path):
    assert played(PAGE, tmp_path).splitlines() == PAGE.splitlines()

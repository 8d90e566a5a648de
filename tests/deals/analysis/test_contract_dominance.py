"""Dominance: a breach is never better, and worse at least once; indifference is not enough."""

from itertools import product

from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.certificate_words import as_record, in_words
from shapley_coop.deals.language.clauses import Do, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.games.matrix import MatrixGame
from tests.chance import dice

AGENTS, ACTIONS = ["Ann", "Ben"], ["a", "b", "c"]


def game(pays, rounds=1):
    """Two agents with three actions each; what each joint action pays."""
    return MatrixGame(
        {
            "agents": AGENTS,
            "actions": dict.fromkeys(AGENTS, ACTIONS),
            "payoffs": [{"play": list(p), "pays": list(x)} for p, x in pays.items()],
            "rounds": rounds,
        }
    )


def promised(who, action="a"):
    return Deal(clauses=[Do(agent=agent, action=action) for agent in who])


def party(deal, pays, agent="Ann", rounds=1):
    return certify(deal, game(pays, rounds).facts()).parties[agent]


def flat(**other):
    """Nothing matters, but for the cells named as "ab": (1, 0)."""
    return {p: other.get("".join(p), (0, 0)) for p in product(ACTIONS, repeat=2)}


def test_where_nothing_matters_keeping_a_promise_is_a_best_response_and_not_dominant():
    certificate = certify(promised(AGENTS), game(flat()).facts())
    for agent in AGENTS:
        assert as_record(certificate)["parties"][agent]["best_response"]
        assert not as_record(certificate)["parties"][agent]["dominant"]
    assert (
        "Keeping it is a best response whatever actions the others take, but not dominant: "
        "b at turn 1 in place of a never costs it anything." in in_words(certificate)
    )


def test_one_strict_gain_against_each_breach_is_needed():
    against_one = flat(ab=(1, 0))
    for other in "bc":  # with Ben doing b, a pays 1 and both breaches pay 0
        assert against_one[other, "b"] == (0, 0)
    assert party(promised(AGENTS), against_one).dominant
    only_b_is_worse = flat(ab=(1, 0), cb=(1, 0))
    found = party(promised(AGENTS), only_b_is_worse)
    assert not found.dominant
    assert found.against_all.indifference.action == "c"


def test_it_is_needed_at_every_turn():
    assert party(promised(AGENTS), flat(ab=(1, 0)), rounds=3).dominant
    assert not party(promised(AGENTS), flat(), rounds=3).dominant


def test_who_is_asked_nothing_has_nothing_to_keep():
    deal = promised(["Ben"])
    assert not party(deal, flat(ab=(1, 0))).dominant
    told = in_words(certify(deal, game(flat(ab=(1, 0))).facts()))
    assert "It asks nothing of this party that could be broken." in told


def test_a_payment_that_only_makes_up_for_the_gain_makes_indifferent_and_one_more_dominant():
    gain = {p: (2 * (p[0] != "a"), 9) for p in product(ACTIONS, repeat=2)}
    for amount, dominant in ((2, False), (3, True)):
        pays = [
            Pay(
                payer="Ben",
                payee="Ann",
                amount=amount,
                basis="turn",
                when=Last(last=Event(agent="Ann", action="a")),
            )
        ]
        deal = Deal(clauses=[*promised(["Ann"]).clauses, *pays])
        assert party(deal, gain).deviation is None
        assert party(deal, gain).dominant is dominant


def test_it_is_weak_dominance_of_the_matrix():
    for seed in range(60):
        drawn = dice(f"dominance {seed}")
        pays = {p: (drawn.randrange(2), 0) for p in product(ACTIONS, repeat=2)}
        if seed % 2:  # so that a is often at least as good
            pays |= {("a", other): (1, 0) for other in ACTIONS}
        rows = {own: [pays[own, other][0] for other in ACTIONS] for own in ACTIONS}
        expected = all(
            all(kept >= broken for kept, broken in zip(rows["a"], rows[own], strict=True))
            and rows["a"] != rows[own]
            for own in "bc"
        )
        assert party(promised(AGENTS), pays).dominant is expected

"""The search finds what an independent enumeration of all histories finds, on random games."""

from fractions import Fraction
from itertools import product

import pytest

from extensions.completeness.tests.brute_force import Brute
from shapley_coop.deals.analysis.incentives import contradiction
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Count, Event, Last, Turns
from shapley_coop.extensions.completeness import examine
from shapley_coop.extensions.completeness.frontier import distance
from tests.chance import dice

GAMES = 200


def drawn_game(drawn):
    """The facts of a random table game, with its payoffs by joint action."""
    agents = ["Ann", "Ben", "Cem"][: drawn.choice([2, 2, 3])]
    kinds = "xy" if len(agents) == 3 else "xyz"[: drawn.choice([2, 3])]
    actions = {agent: list(kinds) for agent in agents}
    turns = drawn.choice([1, 2, 3]) if len(kinds) == 2 else drawn.choice([1, 2])
    pays = {
        play: [drawn.randint(-1, 6) for _ in agents] for play in product(kinds, repeat=len(agents))
    }
    cells = [
        {"play": dict(zip(agents, play, strict=True)), "pays": dict(zip(agents, x, strict=True))}
        for play, x in pays.items()
    ]
    facts = {"agents": agents, "actions": actions, "turns": turns, "payoffs": cells}
    return facts, {play: tuple(map(Fraction, x)) for play, x in pays.items()}


def drawn_deal(drawn, facts):
    """A random deal of one to four clauses, some with conditions on time or history."""
    agents, turns = facts["agents"], facts["turns"]

    def event():
        agent = drawn.choice(agents)
        return Event(agent=agent, action=drawn.choice(facts["actions"][agent]))

    def when():
        first = drawn.randint(1, turns)
        some = Turns(turns=(first, drawn.randint(first, turns)))
        return drawn.choice(
            ["always", "always", some, Last(last=event()), Count(count=event(), at_least=1)]
        )

    def clause():
        asked, (payer, payee) = event(), drawn.sample(agents, 2)
        duty = {"agent": asked.agent, "action": asked.action, "when": when()}
        basis = drawn.choice(["once", "turn", "reward"])
        amount = Fraction(1, 2) if basis == "reward" else Fraction(drawn.randint(1, 3))
        payment = {"payer": payer, "payee": drawn.choice([payee, "others"]), "when": when()}
        return drawn.choice(
            [
                Do(**duty),
                Do(**duty),
                Forbid(**duty),
                Pay(**payment, amount=amount, basis=basis),
            ]
        )

    clauses = [clause() for _ in range(drawn.randint(1, 4))]
    if drawn.random() < 0.15:
        clauses.append(Share(fractions={x: Fraction(1, len(agents)) for x in agents}))
    return Deal(clauses=clauses)


def drawn_case(number):
    """A random game, a deal that can be kept in it, an enforcement, and the brute force."""
    drawn = dice(f"completeness {number}")
    while True:
        facts, pays = drawn_game(drawn)
        deal = drawn_deal(drawn, facts)
        mode = drawn.choice(["enforced", "enforced", "notional", "escrow"])
        terms = Enforcement(mode, Fraction(drawn.randint(0, 3)))
        found = examine(deal, facts, terms)
        if contradiction(found.tree) is None:
            return found, pays, terms


def brute(found, pays, terms, deal=None):
    facts, clauses = found.facts, (deal or found.deal).clauses
    rest = (facts["actions"], pays, facts["turns"], clauses, terms.mode, terms.held())
    return Brute(facts["agents"], *rest)


@pytest.mark.parametrize("number", range(GAMES))
def test_the_search_equals_brute_force(number):
    found, pays, terms = drawn_case(number)
    raw = brute(found, pays, terms)
    assert found.payoffs == tuple(raw.expect((), j) for j in range(len(raw.agents)))
    for i, agent in enumerate(raw.agents):
        cases = list(raw.cases(i))
        assert bool(cases) == (agent in found.exposures)
        if cases:
            told = found.exposures[agent]
            near = told.nearest
            assert near.order == min(cases)
            assert told.most == -min(case[2] for case in cases)
            assert (*near.payoffs(near.lawful).values(),) == raw.payoffs(near.past, near.lawful, i)
            assert (*near.payoffs(near.broken).values(),) == raw.payoffs(near.past, near.broken, i)
            assert near.broken[i] not in raw.lawful(near.past, agent)
    gains = [
        [v - u for v, u in zip(point, found.payoffs, strict=True)] for point in raw.alternatives()
    ]
    at = distance(found.tree.stage, found.payoffs)
    assert at.with_payments == found.lost
    assert at.with_payments == max(sum(point) for point in raw.alternatives()) - sum(found.payoffs)
    assert at.everybody == max(0, *map(min, gains))
    assert at.somebody == max([sum(gain) for gain in gains if min(gain) >= 0], default=0)


def test_the_random_contracts_have_cases_of_many_kinds():
    near = [drawn_case(number)[0].nearest for number in range(GAMES)]
    found = [one for one in near if one]
    count = {
        "random contracts": GAMES,
        "with a case": len(found),
        "only after what is not predicted": sum(one.surprises > 0 for one in found),
        "only after turn 1": sum(one.position.turn > 1 for one in found),
    }
    print("\n", count)
    assert min(count.values()) >= GAMES / 20
    assert len(found) <= GAMES * 19 / 20

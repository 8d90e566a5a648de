"""The outlook of an offer in a game whose utilities are private."""

import pytest

from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Earned, Turns
from shapley_coop.extensions.exchange.domain.masks import subsets
from shapley_coop.games import load
from tests.deals.analysis.test_outlook import before_play


def test_a_trader_is_shown_its_own_payoffs_alone():
    game = load("task_exchange")
    one, other = game.agents
    given = game.tasks.names[0]
    deal = Deal(
        clauses=[Do(agent=one, action=f"hand {given} to {other}", when=Turns(turns=(1, 1)))]
    )
    for viewer in game.agents:
        found = before_play(game, deal, viewer=viewer)
        assert found.rows
        assert all(set(row.payoffs) == {viewer} for row in found.rows)
        mask = game.tasks.initial[viewer] ^ (1 << (game.tasks.n - 1))
        kept = found.rows[0].payoffs[viewer].mean
        assert float(kept) == game.scenario.utility(viewer, mask)
    assert before_play(game, deal).rows == (), "without a viewer nothing is shown"


def test_a_trader_that_does_nothing_when_asked_is_said_to_do_its_tasks_later():
    game = load("task_exchange", {"scenario": "generated", "additive": True})
    one = game.agents[0]
    task = Do(agent=one, action=game.tasks.names[0], when=Turns(turns=(1, 1)))
    kept, broken, *_ = before_play(game, Deal(clauses=[task]), viewer=one).rows
    assert broken.payoffs == kept.payoffs, "no utility is lost, and so the row has to say why"
    assert broken.by == "doing the tasks later than asked"


def test_the_breach_that_pays_best_leaves_tasks_undone_and_only_its_author_is_told_so():
    game = load("task_exchange", {"scenario": "paper_competitive"})
    done = [
        Do(agent=agent, action=game.tasks.names[i], when=Turns(turns=(at, at)))
        for agent, own in (("Alice", (0, 1, 2)), ("Bob", (3, 4, 5)))
        for at, i in enumerate(own, start=2)
    ]
    for agent, other in (("Alice", "Bob"), ("Bob", "Alice")):
        rows = {row.who: row for row in before_play(game, Deal(clauses=done), viewer=agent).rows}
        best = max(game.scenario.utility(agent, m) for m in subsets(game.tasks.initial[agent]))
        broken = rows[agent]
        assert broken.by.startswith("doing only ")
        assert float(broken.payoffs[agent].mean) == best
        assert other not in rows or rows[other].by.startswith("its own tasks")


def test_a_breach_may_hand_over_what_is_owed_or_nothing():
    game = load("task_exchange", {"scenario": "paper_competitive"})
    hand = f"hand {game.tasks.names[1]} to Bob"
    deal = Deal(clauses=[Do(agent="Alice", action=hand, when=Turns(turns=(1, 1)))])
    broken = next(row for row in before_play(game, deal, viewer="Alice").rows if row.who == "Alice")
    assert broken.by == f"doing only {game.tasks.names[1]}"
    assert float(broken.payoffs["Alice"].mean) == game.scenario.utility("Alice", 0b010000)


@pytest.mark.parametrize(
    "clause",
    [
        Share(fractions={"Alice": "1/2", "Bob": "1/2"}),
        Pay(payer="Bob", payee="Alice", amount="1/10", basis="reward"),
        Pay(payer="Bob", payee="Alice", amount=1, when=Earned(earned="Bob", at_least="1/2")),
        Pay(payer="Bob", payee="Alice", amount=1, when=Earned(earned="everyone", at_least=1)),
    ],
    ids=lambda clause: clause.kind,
)
def test_no_offer_makes_the_outlook_tell_what_anothers_tasks_are_worth(clause):
    game = load("task_exchange")
    found = before_play(game, Deal(clauses=[clause]), viewer="Alice")
    assert found.rows == ()
    assert "worth to them" in found.why_not

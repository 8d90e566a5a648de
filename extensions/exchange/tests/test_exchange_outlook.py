"""The outlook of an offer in a game whose utilities are private."""

import pytest

from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Earned, Turns
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
    game = load("task_exchange")
    one = game.agents[0]
    task = Do(agent=one, action=game.tasks.names[0], when=Turns(turns=(1, 1)))
    kept, broken, *_ = before_play(game, Deal(clauses=[task]), viewer=one).rows
    assert broken.payoffs == kept.payoffs, "no utility is lost, and so the row has to say why"
    assert broken.by == "doing the tasks later than asked at turn 1"


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

"""When keeping a contract is dominant, and which deposit makes it a best response."""

from typing import Any

import pytest

from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Event, Last


def _one_turn(actions: dict[str, list[str]], pays: dict[tuple[str, str], tuple[int, int]]) -> Any:
    """The facts of a game of one turn for A and B."""
    cells = [
        {
            "play": dict(zip(actions, play, strict=True)),
            "pays": dict(zip(actions, paid, strict=True)),
        }
        for play, paid in pays.items()
    ]
    return {"agents": list(actions), "actions": actions, "turns": 1, "payoffs": cells}


def test_to_choose_after_seeing_the_others_is_no_dominant_way_to_keep_a_contract() -> None:
    """Against x only b loses to the breach c, against y only a does."""
    rows = {"a": (3, 0), "b": (0, 3), "c": (1, 1)}
    pays = {(a, b): (rows[a][k], 0) for a in rows for k, b in enumerate("xy")}
    facts = _one_turn({"A": [*rows], "B": ["x", "y"]}, pays)
    party = certify(Deal(clauses=[Forbid(agent="A", action="c")]), facts).parties["A"]
    assert not party.dominant
    assert party.temptation is not None
    assert party.temptation.text() == (
        "A gains 1 over a if it plays c at turn 1 where the contract asks for a or b, "
        "when B plays y."
    )


@pytest.mark.parametrize(
    "more",
    [
        Share(fractions={"A": "1/2", "B": "1/2"}),
        Pay(payer="B", payee="A", amount=3, when=Last(last=Event(agent="A", action="b"))),
    ],
    ids=["a split", "a payment"],
)
def test_the_deposit_outweighs_what_payments_add_to_a_breach(more: Any) -> None:
    facts = _one_turn({"A": ["a", "b"], "B": ["x"]}, {("a", "x"): (3, 0), ("b", "x"): (2, 5)})
    found = certify(
        Deal(clauses=[Do(agent="A", action="a"), more]), facts, Enforcement(mode="escrow")
    )
    assert found.enforcement.deposit == 2
    assert found.parties["A"].deviation is None


def test_a_deposit_under_a_norm_is_said_to_leave_out_the_split() -> None:
    """By equal parts the breach gains 2.5, and by own payoffs 1."""
    facts = _one_turn({"A": ["a", "b"], "B": ["x"]}, {("a", "x"): (2, 0), ("b", "x"): (3, 4)})
    deal = Deal(clauses=[Do(agent="A", action="a"), Share(norm="equal")])
    found = certify(deal, facts, Enforcement(mode="escrow"), norms=("equal",))
    assert found.enforcement.deposit == 1
    assert found.notes[-1] == "The deposit outweighs what a breach gains before payments and split."

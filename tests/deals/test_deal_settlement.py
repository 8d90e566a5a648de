"""A deal while it stands: what it asks, where it was broken, what it pays, how it is amended."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.agreement import monitor_of
from shapley_coop.deals.contract import amend, in_force, sign, split_of
from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal, Offer, put
from shapley_coop.deals.language.when import Event, Last, Not
from shapley_coop.deals.monitor import Duty, Monitor, Payment, duties, payments
from shapley_coop.deals.settlement import earnings, payoffs
from shapley_coop.games import Turn
from tests.deals.made_deals import AGENTS, DEAL, deal, deals, records, turn

# The monitor


# Contracts and their amendments


def accepted(draft: Deal, revision: int = 1) -> Offer:
    return {**put(draft, by="Ann", revision=revision), "accepted": ["Ann", "Ben"]}


def test_a_contract_is_the_deal_its_text_and_who_signed_which_revision() -> None:
    contract = sign(accepted(DEAL, revision=4), from_turn=1)
    assert contract["hash"] == DEAL.hash()
    assert contract["text"] == DEAL.text()
    assert contract["previous"] is None
    assert in_force(contract) == DEAL.ids()
    assert contract["signatures"] == {
        agent: {"revision": 4, "hash": DEAL.hash()} for agent in ("Ann", "Ben")
    }
    assert in_force(None) == {}
    assert split_of(None) is None


def test_an_amendment_replaces_obligations_and_keeps_what_is_to_be_paid() -> None:
    before = sign(accepted(deal(*DEAL.clauses, Share(norm="shapley"))), from_turn=1)
    after = amend(before, accepted(deal(Do(agent="Ben", action="pull"))), from_turn=2)
    assert list(in_force(after)) == ["c2", "c3", "c4"]
    assert split_of(after) == Share(norm="shapley").split
    record = [turn(1, "wait", "wait"), turn(2, "wait", "wait")]
    assert monitor_of(after, record).duties(3) == [Duty("Ben", "pull", False, "c4")]
    assert [(b.clause, b.agent, b.turn) for b in monitor_of(after, record).breaches] == [
        ("c1", "Ann", 1),
        ("c4", "Ben", 2),
    ]
    assert monitor_of(after, record).payments == [Payment("c2", 1, "Ben", "Ann", Fraction(11, 2))]
    assert in_force(before) == deal(*DEAL.clauses, Share(norm="shapley")).ids()


def test_an_amendment_drops_a_payment_only_by_its_id() -> None:
    each_turn = Pay(payer="Ben", payee="Ann", amount=1, basis="turn")
    before = sign(accepted(deal(each_turn, Share(norm="shapley"))), from_turn=1)
    draft = Deal(clauses=(Do(agent="Ann", action="pull"),), drops=("c1", "c2"))
    after = amend(before, accepted(draft), from_turn=3)
    record = [turn(n, "pull") for n in (1, 2, 3, 4)]
    assert [payment.turn for payment in monitor_of(after, record).payments] == [1, 2]
    assert split_of(after) is None


def test_a_new_share_replaces_the_old_one() -> None:
    before = sign(accepted(deal(Share(norm="shapley"))), from_turn=1)
    thirds = Share(fractions=dict.fromkeys(AGENTS, "1/3"))
    after = amend(before, accepted(deal(thirds)), from_turn=2)
    assert split_of(after) == thirds.split
    assert list(in_force(after)) == ["c2"]


@given(deals, st.lists(deals, min_size=1, max_size=3))
def test_amendments_are_chained_by_hash(first: Deal, later: list[Deal]) -> None:
    contract = sign(accepted(first), from_turn=1)
    chain = [contract["hash"]]
    for number, draft in enumerate(later, start=2):
        contract = amend(contract, accepted(draft), from_turn=number)
        assert contract["previous"] == chain[-1]
        chain.append(contract["hash"])
    assert len(set(chain)) == len(chain)
    other = sign(accepted(deal(*first.clauses, Do(agent="Ann", action="pull"))), from_turn=1)
    for number, draft in enumerate(later, start=2):
        other = amend(other, accepted(draft), from_turn=number)
    assert other["hash"] != contract["hash"], "the end of a chain depends on its beginning"


# Settlement


def evenly(norm: str, total: Fraction) -> dict[str, Fraction]:
    return {agent: total / 3 + bonus for agent, bonus in zip(AGENTS, (1, 1, -2), strict=True)}


@given(deals, records())
def test_payoffs_sum_exactly_to_what_was_earned(signed: Deal, record: list[Turn]) -> None:
    total = sum(earnings(record, AGENTS).values())
    exactly = [Fraction(str(x)) for t in record for x in [*t["rewards"].values(), t.get("pot", 0)]]
    assert total == sum(exactly)
    after = payoffs(earnings(record, AGENTS), signed.split, payments(signed, record), evenly)
    assert set(after) == set(AGENTS)
    assert sum(after.values()) == total


def test_without_an_agreement_everybody_keeps_its_own_and_an_even_part_of_the_pot() -> None:
    record = [{**turn(1, pays=(1, 2, 3)), "pot": 9}, turn(2, pays=(0.1, 0.2, 0))]
    assert earnings(record, AGENTS) == {
        "Ann": Fraction("4.1"),
        "Ben": Fraction("5.2"),
        "Cyd": Fraction(6),
    }


def test_a_share_splits_the_total_before_payments_are_made() -> None:
    record = [turn(1, "pull", pays=(10, 0, 2))]
    signed = deal(
        Share(fractions={"Ann": "1/2", "Ben": "1/4", "Cyd": "1/4"}),
        Pay(payer="Ann", payee="Cyd", amount=1),
    )
    after = payoffs(earnings(record, AGENTS), signed.split, payments(signed, record), evenly)
    assert after == {"Ann": 5, "Ben": 3, "Cyd": 4}
    named = payoffs(earnings(record, AGENTS), Share(norm="shapley"), [], evenly)
    assert named == {"Ann": 5, "Ben": 5, "Cyd": 2}


def test_silence_after_one_good_turn_earns_nothing_more() -> None:
    worked = Last(last=Event(agent="Ann", action="pull"))
    paid = Pay(payer="Ben", payee="Ann", amount=1, basis="turn", when=worked)
    fined = Pay(payer="Ann", payee="Ben", amount=2, basis="turn", when=Not(negated=worked))
    owed = Do(agent="Ben", action="pull", when=worked)
    agreed = deal(paid, fined, owed)
    record = [turn(1, "pull", "pull"), turn(2, "pull", "pull"), turn(3, "pull", "pull")]
    for later in record[1:]:
        del later["actions"]["Ann"]
    due = [(payment.clause, payment.turn) for payment in payments(agreed, record)]
    assert due == [("c1", 1), ("c2", 2), ("c2", 3)]
    asked = [[duty.clause for duty in duties(agreed, record[:n], n + 1)] for n in range(4)]
    assert asked == [[], ["c3"], ["c3"], ["c3"]], "a duty asks for her latest action, ever"
    assert [
        (payment.clause, payment.turn) for payment in Monitor(agreed).on(record).payments
    ] == due

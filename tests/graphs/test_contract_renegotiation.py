"""A contract is bargained over again: never, every few turns, or when something happens.

What an amendment means is told beside what stands without it.
"""

import json
from fractions import Fraction

import pytest

from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.contract import sign
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.when import Turns
from shapley_coop.deals.language.wire import scan
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.games import load
from shapley_coop.seats.embedded import character
from shapley_coop.seats.embedded.contracting import Party
from shapley_coop.seats.embedded.outlook import Outlook
from shapley_coop.state.run_config import RunConfig
from tests.deals.promised import table_after

DUTIES = [{"kind": "do", "agent": agent, "action": "cooperate"} for agent in ("Alice", "Bob")]
PROMISE = f"<s>This.</s><PROPOSAL>{json.dumps({'clauses': DUTIES})}</PROPOSAL>"
DILEMMA = load("prisoners_dilemma", {"rounds": 4})
BOTH = tuple(Do(agent=agent, action="cooperate") for agent in DILEMMA.agents)
LAST = Turns(turns=(4, 4))


@pytest.mark.parametrize(
    ("rule", "bargained"),
    [("never", {1}), ("every 2", {1, 3, 5}), ("every 9", {1}), ("on_breach", {1, 4})],
)
async def test_a_contract_is_bargained_over_again_when_the_rule_says_so(script, rule, bargained):
    script["Alice", "contract_propose"] = [PROMISE, "<REJECT>"]
    script["Bob", "contract_answer"] = "<ACCEPT>"
    script["Bob", "contract_propose"] = "<REJECT>"
    kept, broken = "<ACTION>cooperate</ACTION>", "<ACTION>defect</ACTION>"
    script["Alice", "act"] = kept
    script["Bob", "act"] = [kept, kept, broken, kept]
    room = RunConfig(game="prisoners_dilemma", params={"rounds": 6}, renegotiate=rule, rounds=1)
    talk = (await table_after(room))["talk"]
    assert {said["turn"] for said in talk if said["by"] in ("Alice", "Bob")} == bargained


async def test_embedded_agents_leave_a_contract_alone_that_cannot_be_bettered():
    params, seats = {"rounds": 4}, {"*": "embedded:contract_keeper"}
    once = {"game": "prisoners_dilemma", "params": params, "seats": seats, "seed": 1}
    table = await table_after(RunConfig(**once, renegotiate="every 2"))
    assert len(table["amendments"]) == 0
    assert sum(table["settlement"]["payoffs"].values()) == 8_000_000


def turns(action, upto):
    actions = dict.fromkeys(DILEMMA.agents, action)
    paid = {"cooperate": 1, "defect": 0}[action]
    rewards = dict.fromkeys(DILEMMA.agents, paid)
    return [{"turn": n, "actions": actions, "rewards": rewards} for n in range(1, upto + 1)]


def signed(*clauses):
    offer = put(Deal(clauses=(*BOTH, *clauses)), "Alice", 1)
    return sign({**offer, "accepted": list(DILEMMA.agents)}, 1)


def certified(deal, standing, record=None, mode="enforced", deposit=None):
    record = turns("cooperate", 2) if record is None else record
    terms = Enforcement(mode, deposit)
    return certify(deal, DILEMMA.facts(), terms, record=record, standing=standing)


def test_a_certificate_of_an_amendment_counts_the_payments_that_stand():
    standing = signed(Pay(payer="Alice", payee="Bob", amount=1, when=LAST))
    more = Deal(clauses=(*BOTH, Pay(payer="Alice", payee="Bob", amount="1/2", when=LAST)))
    alice = certified(more, standing).parties["Alice"]
    assert (alice.without.expected, alice.within.expected) == (1, Fraction(1, 2))
    assert not alice.rational
    instead = Deal(clauses=more.clauses, drops=["c3"])
    alice = certified(instead, standing).parties["Alice"]
    assert (alice.without.expected, alice.within.expected) == (1, Fraction(3, 2))


def test_what_was_paid_already_is_not_paid_again():
    standing = signed(Pay(payer="Alice", payee="Bob", amount=1, when=Turns(turns=(1, 1))))
    alice = certified(Deal(clauses=BOTH), standing).parties["Alice"]
    assert alice.without.expected == alice.within.expected == 2


def test_a_new_split_moves_what_was_earned_before_it():
    uneven = [{**turn, "rewards": {"Alice": 2, "Bob": -1}} for turn in turns("cooperate", 2)]
    half = Deal(clauses=(*BOTH, Share(fractions={"Alice": "1/2", "Bob": "1/2"})))
    found = certified(half, signed(), record=uneven).parties
    # Of 4 and −2 so far each will have 1; of 2 to come 1 each.
    assert found["Alice"].within.expected == 2 - 3
    assert found["Bob"].within.expected == 2 + 3
    assert found["Alice"].without.expected == 2


def test_nobody_amends_itself_into_debt():
    standing = signed(Pay(payer="Alice", payee="Bob", amount=5, when=LAST))
    (fault,) = certified(
        Deal(clauses=(*BOTH, Pay(payer="Alice", payee="Bob", amount=4, when=LAST))), standing
    ).faults
    assert fault.label == "ABLE"
    assert fault.feedback.startswith("standing c3 and c3: Alice can never pay 9")


def test_what_stands_can_be_dropped_and_nothing_else():
    standing = signed(Pay(payer="Alice", payee="Bob", amount=1))
    assert certified(Deal(clauses=BOTH, drops=["c3"]), standing).sound
    for wrong in ("c1", "c4"):
        (fault,) = certified(Deal(clauses=BOTH, drops=[wrong]), standing).faults
        assert fault.label == "DROP"


def test_an_amendment_leaves_the_deposits_as_they_are():
    found = certified(Deal(clauses=BOTH), signed(), mode="escrow")
    assert found.enforcement.deposit == 4
    assert all(party.deviation is None for party in found.parties.values())


def test_a_first_contract_is_no_judgement_on_the_turns_before_it():
    first = Deal(clauses=(*BOTH, Pay(payer="Alice", payee="Bob", amount=1)))
    found = certified(first, None, turns("defect", 2), "escrow", Fraction(3))
    assert found.parties["Alice"].within.expected == 1, "2 to come, and 1 to pay at turn 3"
    assert found.parties["Alice"].deviation is None, "its deposit is not forfeited yet"


def before(contract, **more):
    """An embedded agent at turn 3, in front of a contract that stands."""
    told = {**DILEMMA.facts(), "you": "Alice", "turn": 3, "round": 1, "rounds": 3}
    terms = contract["terms"]
    shown = {"ids": [t["id"] for t in terms], "clauses": [t["clause"] for t in terms]}
    told |= {"contract": shown}
    return Party({**told, **more}, turns("defect", 2), character("contract_keeper"))


IDLE = (
    *(Do(agent=agent, action="defect") for agent in DILEMMA.agents),
    Pay(payer="Bob", payee="Alice", amount=1, when=LAST),
)


def test_an_embedded_amendment_takes_the_place_of_the_payments_that_stand():
    standing = sign(put(Deal(clauses=IDLE), "Bob", 1), 1)
    drafted = scan(before(standing).draft()).proposal
    assert drafted["drops"] == ["c3"]
    assert [clause["action"] for clause in drafted["clauses"][:2]] == ["cooperate"] * 2


def test_an_embedded_agent_weighs_an_amendment_by_what_it_leaves_standing():
    rich = Pay(payer="Bob", payee="Alice", amount=3, when=LAST)
    standing = sign(put(Deal(clauses=(*IDLE[:2], rich)), "Bob", 1), 1)

    def answer(**drops):
        deal = Deal(clauses=BOTH, **drops)
        offer = {"clauses": wire_form(deal)["clauses"], "drops": list(deal.drops)}
        return before(standing, offer=offer).sign()

    assert before(standing).without["Alice"] == 3
    assert "<ACCEPT>" in answer(), "2 for cooperation, and the 3 that Bob pays anyway"
    assert "<REJECT>" in answer(drops=["c3"]), "2 for cooperation, in place of those 3"


def outlook(contract, turn):
    """What Bob sees at a turn, when all have cooperated so far."""
    said = {"clauses": wire_form(contract)["clauses"]}
    facts = {**DILEMMA.facts(), "you": "Bob", "turn": turn, "contract": said}
    return Outlook.of(facts, turns("cooperate", turn - 1))

"""Who is asked to sign reads in few words what the contract does, and code signs nothing unfit."""

import pytest

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Every
from shapley_coop.deals.written.document import compose
from shapley_coop.games import load
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.deals.promised import promise, proposal

DILEMMA, GRAB = load("prisoners_dilemma"), load("cash_grab")
LONGEST = 16_000
"""Characters of a letter about a contract: some 4,000 tokens."""


PAIRS = Deal(
    clauses=[
        Do(agent=agent, action="wait" if n == k else "take", when=Every(every=3, start=k + 1))
        for n, agent in enumerate(GRAB.agents)
        for k in range(3)
    ]
)


async def letter_about(script, deal, game, **settings):
    """What the second speaker reads of the first one's draft."""
    script["Alice", "contract_propose"] = proposal(deal)
    await play("contracts", RunConfig(game=game, params={"rounds": 10}, **settings))
    return script.shown_to("Bob", "contract_answer")[0]


@pytest.mark.parametrize(
    ("deal", "game", "says", "line"),
    [
        (
            promise(DILEMMA),
            "prisoners_dilemma",
            [
                "Bob: worst 0, predicted 0, best 20 without it, worst 10, predicted 10, best 10 if "
                "all keep it, and at least -10 by keeping it whatever the others do, provided",
                "While all keep it, signing does not lower what it can secure in pure actions.",
                "Keeping it is no best response: Bob gains 10 by its best deviation, which first "
                "plays defect at turn 1 where the contract asks for cooperate.",
            ],
            "| you (Bob) | 0 | 0 | 10 | -10 | gains 10 at best, first by defect at turn 1",
        ),
        (
            promise(DILEMMA, fine=2),
            "prisoners_dilemma",
            ["Keeping it is weakly dominant at every turn, if all keep it in later turns."],
            "| Alice | 0 | 0 | 10 | 10 | never pays |",
        ),
        (
            PAIRS,
            "cash_grab",
            [
                "Keeping it is a best response while the others keep it, but not dominant: Carol "
                "gains 3 over wait if it plays take at turn 3 where the contract asks for wait, "
                "when Alice "
                "plays wait, Bob plays wait.",
                "(take, take, wait) is a weak equilibrium of a turn without any contract",
            ],
            "| Carol | 0 | ",
        ),
    ],
)
async def test_the_certificate_in_the_letter_says_in_words_what_the_contract_does(
    script, deal, game, says, line
):
    letter = await letter_about(script, deal, game, outlook=False)
    for sentence in says:
        assert sentence in letter.facts["offer"]["certificate"]
    assert line in letter


@pytest.mark.parametrize(
    ("game", "rounds"), [("prisoners_dilemma", 3), ("cash_grab", 3), ("public_goods", 1)]
)
async def test_letters_about_contracts_stay_short(script, game, rounds):
    room = RunConfig(game=game, params={"rounds": rounds}, enforcement="escrow")
    prepared = prepare("contracts", room, "run")
    await follow(prepared)
    agents = (await table_of(prepared))["agents"]
    shown = [letter for a in (*agents, "summariser") for letter in script.shown_to(a)]
    asked = [letter for letter in shown if letter.facts["ask"].startswith("contract_")]
    assert len(asked) > len(agents)
    assert max(len(letter) for letter in asked) < LONGEST


def keep_secret(agent, told):
    home().secrets.mkdir(parents=True, exist_ok=True)
    (home().secrets / "mine.yaml").write_text(f"{agent}: '{told}'\n", encoding="utf-8")
    return "mine"


async def status_after(room):
    return (await play("contracts", room))["status"]


async def test_code_puts_nobodys_name_to_an_offer_of_its_own_below_its_reservation(script):
    secret = keep_secret("Alice", "Reservation value: 12")
    script["Alice", "contract_propose"] = proposal(promise(DILEMMA, fine=2))
    script["Bob", "contract_propose"] = "<REJECT>"
    room = RunConfig(game="prisoners_dilemma", secrets=secret, rounds=1)
    assert await status_after(room) == "no_deal"
    assert "leaves you 10, less than 12, the least that" in script.shown_to("Alice")[1]


async def test_code_signs_nothing_below_a_reservation_that_was_drafted_from_words(script):
    secret = keep_secret("Bob", "My reservation value is 21/2.")
    script["Alice", "contract_propose"] = "<s>Let us cooperate.</s>"
    script["Bob", "contract_answer"] = "<ACCEPT>"
    terms = Terms(DILEMMA.agents, DILEMMA.actions, DILEMMA.turns)
    fined = promise(DILEMMA, fine=2)
    script["summariser", "contract_write"] = proposal(fined, compose(fined, terms))
    script["Alice", "contract_sign"] = script["Bob", "contract_sign"] = "<ACCEPT>"
    assert await status_after(RunConfig(game="prisoners_dilemma", secrets=secret)) == "no_deal"
    assert "less than 10.5, the least that you are to" in script.shown_to("Bob", "contract_sign")[1]
    assert len(script.shown_to("Alice", "contract_sign")) == 1


async def test_code_signs_at_the_reservation_value_itself(script):
    secret = keep_secret("Bob", "reservation: 10")
    script["Alice", "contract_propose"] = proposal(promise(DILEMMA, fine=2))
    script["Bob", "contract_answer"] = "<ACCEPT>"
    assert await status_after(RunConfig(game="prisoners_dilemma", secrets=secret)) == "agreed"


async def test_an_offer_in_words_alone_has_its_number_and_what_became_of_it_is_told(script):
    script["Alice", "contract_propose"] = "<s>We both hold back.</s>"
    script["Bob", "contract_answer"] = proposal(promise(DILEMMA))
    await play("contracts", RunConfig(game="prisoners_dilemma"))
    first = script.shown_to("Bob", "contract_answer")[0]
    told = 'Alice makes an offer in words alone (number 1): "We both hold back."\n'
    assert told in first
    assert "nobody drafted" not in first
    after = script.shown_to("Alice", "contract_answer")[0].split(told)[1]
    became = "\n(Alice's offer 1 had not everybody's yes, so nobody drafted its clauses.)\n"
    assert after.startswith(became)
    assert "**Bob's offer (number 2)**" in after


async def test_offers_are_numbered_on_and_a_no_leaves_the_deal_in_force(script):
    script["Alice", "contract_propose"] = proposal(promise(DILEMMA))
    script["Bob", "contract_propose"] = "<REJECT>"
    script["Alice", "contract_answer"] = script["Bob", "contract_answer"] = "<ACCEPT>"
    room = RunConfig(game="prisoners_dilemma", params={"rounds": 2}, renegotiate="every 1")
    await play("contracts", room)
    proposed = script.shown_to("Alice", "contract_propose")
    assert "`<REJECT>` if you want no contract." in proposed[0]
    assert "`<REJECT>` if you want the deal in force to stay." in proposed[1]
    answered = script.shown_to("Bob", "contract_answer")
    assert [f"Alice's draft {n + 1} (" in text for n, text in enumerate(answered)] == [True, True]
    assert "**Alice's offer (number 2)**" in answered[1]

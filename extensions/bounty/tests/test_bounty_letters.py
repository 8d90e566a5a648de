"""The letters about a bounty's split, reviewed as snapshots."""

from pathlib import Path

from shapley_coop.games import load
from tests.prompts.test_letters import as_kept, letters_of, offer, pay
from tests.scripted import Script

SNAPSHOTS = Path(__file__).parent / "snapshots"
BOUNTY = {
    "artefacts": {"Ada": {"code": 300}, "Bob": {"code": 80, "documents": "3/2"}, "Dora": {}},
    "made": {"Ada": "300 lines of code", "Bob": "80 lines of code; 1.5 documents"},
    "weights": {"code": [30, 40], "documents": [1, 2]},
    "work": "12 commits of owls, 1a2b3c..4d5e6f",
    "bounty": 500,
    "currency": "EUR",
}


def test_the_weights_are_told_as_they_pay_without_the_kinds_that_nobody_made() -> None:
    weights = {"code": [27, 40], "documents": [5, 15], "fixes": [15, 25]}
    made = {"Ada": {"code": 6}, "Bob": {"documents": 2, "fixes": 0}}
    game = load("delivered", {"artefacts": made, "weights": weights, "bounty": 1000})
    told = game.rules()
    assert "scaled to 100 % in all" in told
    assert "(code 77.01 %, documents 22.99 %)" in told
    paid = game.step(game.start(), {}).rewards
    assert [round(float(x)) for x in paid.values()] == [770, 230]
    nothing = load("delivered", {"artefacts": {"Ada": {"code": 0}, "Bob": {}}})
    assert "by the middle of these weights, unless you all" in nothing.rules()


async def test_a_bounty_is_asked_about_in_its_own_words(script: Script) -> None:
    script["Ada", "answer_bounty"] = script["Bob", "answer_bounty"] = "<ACCEPT>"
    counter = offer(pay("Ada", "Dora", 25))
    script["Dora", "answer_bounty"] = f"<REJECT><s>I reviewed all of it.</s>{counter}"
    room = {"game": "delivered", "params": BOUNTY}
    letters = await letters_of(script, "consent", **room)
    first, again = [user for agent, _, _, user in letters if agent == "Ada"]
    as_kept(SNAPSHOTS / "table_of_a_bounty.md", letters[0][2])
    as_kept(SNAPSHOTS / "consent_answer_bounty_ada.md", first)
    as_kept(SNAPSHOTS / "consent_answer_bounty_again_ada.md", again)
    assert len([*SNAPSHOTS.glob("*.md")]) == 3


async def test_where_all_answer_once_no_letter_tells_of_counter_offers(script: Script) -> None:
    for name in ("Ada", "Bob", "Dora"):
        script[name, "answer_bounty"] = "<ACCEPT>"
    room = {"game": "delivered", "params": BOUNTY, "rounds": 1}
    (_, _, table, user), *_ = await letters_of(script, "consent", **room)
    assert "Everybody answers once; there are no counter-offers." in table
    assert "counter-offer can say" not in table + user

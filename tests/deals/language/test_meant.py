"""Actions in other words: read if they can mean one thing, and asked back if anything denies it."""

import pytest

from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.meant import find_action
from shapley_coop.deals.language.wire import Message
from shapley_coop.games import load
from tests.deals.language.test_answers import judged

GAMES = {
    "dilemma": ["cooperate", "defect"],
    "room": ["door", "lever"],
    "goods": ["give", "keep"],
    "cash": ["take", "wait"],
    "raid": ["Fireball", "Heal", "Taunt"],
    "company": ["write_code", "write_document", "fix", "pass"],
    "consent": ["accept", "refuse", "deal"],
    "pull": ["pull lever", "lever"],
}


@pytest.mark.parametrize(
    ("said", "game", "action"),
    [
        ("cooperate (as agreed)", "dilemma", "cooperate"),
        ("Cooperate (C)", "dilemma", "cooperate"),
        ("keep cooperating", "dilemma", "cooperate"),
        ("I will cooperate, as we agreed.", "dilemma", "cooperate"),
        ("go through the door", "room", "door"),
        ("I walk out of the door", "room", "door"),
        ("I keep my 20", "goods", "keep"),
        ("keep everything", "goods", "keep"),
        ("I'll take the money", "cash", "take"),
        ("write code", "company", "write_code"),
        ("write a document", "company", "write_document"),
        ("I am going to cast Heal", "raid", "Heal"),
        ("Throw a Fireball", "raid", "Fireball"),
        ("pull the lever", "pull", "pull lever"),
    ],
)
def test_a_deed_is_its_action_in_a_choice_and_in_a_clause(
    said: str, game: str, action: str
) -> None:
    assert find_action(said, GAMES[game]) == action
    assert choose(Message(action=said), GAMES[game]) == (action, f"read {said} as {action}")


@pytest.mark.parametrize(
    "said",
    ["cooperate again", "cooperate for the others", "still cooperate", "I'll cooperate with Bob"],
)
def test_words_about_the_present_are_read_in_a_choice_and_not_in_a_clause(said: str) -> None:
    assert find_action(said, GAMES["dilemma"], now=True) == "cooperate"
    assert find_action(said, GAMES["dilemma"]) is None


def test_a_code_fence_around_a_whole_action_is_no_part_of_it() -> None:
    wanted = 'write_code {"path": "a.py"}\n'
    for said in (f"```json\n{wanted}```", f"\n```\n{wanted}```\n"):
        assert choose(Message(action=said), GAMES["company"])[0].split() == wanted.split()
    inside = "write_code ```python\nx = 1\n```"
    assert choose(Message(action=inside), GAMES["company"]) == (inside, "")


@pytest.mark.parametrize(
    "said", ["Give to the fund", "contribute to the fund", "Give all 20 to the fund"]
)
def test_a_gift_to_the_fund_is_read_if_it_can_only_be_the_whole(said: str) -> None:
    for levels, read in ((1, True), (2, False)):
        game = load("public_goods", {"levels": levels})
        found = choose(Message(action=said), game.actions["Alice"], game.also_called)
        assert not isinstance(found, Fault)
        assert (found[0] == "give") is read


@pytest.mark.parametrize("levels", [1, 2])
def test_not_to_give_is_the_action_by_which_the_game_gives_nothing(levels: int) -> None:
    game = load("public_goods", {"levels": levels})
    for said in ("Don't give.", "I will not give", "give nothing to the fund, as agreed"):
        found = choose(Message(action=said), game.actions["Alice"], game.also_called)
        assert found == ("keep", f"read {said} as keep")
    for said in ("don't give all of it", "never give", "do not keep", "don't give up"):
        assert choose(Message(action=said), game.actions["Alice"], game.also_called) == (said, "")


@pytest.mark.parametrize("said", ["do nothing", "No action.", "I do nothing this turn"])
def test_nothing_is_done_by_the_one_action_that_does_nothing(said: str) -> None:
    also = load("cash_grab").also_called
    for legal, read in ((["take", "wait"], "wait"), (["pass", "take"], "pass")):
        assert choose(Message(action=said), legal, also)[0] == read
    for legal in (["pass", "wait"], ["take", "keep"]):
        assert choose(Message(action=said), legal, also) == (said, "")


NOT_SAID = {
    "dilemma": """do not cooperate; I won't cooperate; cooperate? no; never cooperate again
        I'm hardly cooperating; stop cooperating; I refuse to cooperate; anything but cooperate
        cooperate or defect; cooperate (not defect); cooperate (better than defecting)
        cooperate rather than defect; cooperate, then defect; cooperate (D); cooperate/defect
        cooperate if Bob does; cooperate (if Bob does); cooperate – when Bob does
        cooperate with caution; cooperate with Bob if he does
        cooperate until turn 3; cooperate (in turn 2 only); cooperate (next turn); cooperate later
        Bob cooperates; you cooperate; "cooperate" is what Bob wants; cooperate (says Bob)
        let Bob cooperate; cooperate (for Bob); I was going to cooperate; I cooperated; cooperation
        maybe cooperate; should I cooperate?; I would cooperate; I might cooperate
        cooperate (just kidding); cooperate (the opposite); cooperate (undecided)
        cooperate (nein); cooperate (нет); cooperate (não); nicht cooperate; сooperate""",
    "room": """leave the door; walk away from the door; stay out of the door; close the door
        go through the door to the lever; Bob pulls the lever; pull the other lever""",
    "goods": """I keep the deal; keep my word; keep it; keep giving; keep half; give 10; give in
        give my word; give nothing; give the half; keep 10 and give 10; give (my 10)""",
    "cash": "can't wait; wait for Bob to take; take the wait; take half; take it easy; wait, take",
    "raid": "Heal then Taunt; Fireball if ready; save Fireball; no Heal; heal Hero2",
    "company": "write; write no code; pass the fix; write code and document; fix later",
    "consent": "accept the refusal; refuse to accept; walk out of the deal; accept, refuse",
}


@pytest.mark.parametrize(
    ("said", "game"),
    [
        (said.strip(), game)
        for game, lines in NOT_SAID.items()
        for line in lines.splitlines()
        for said in line.split(";")
    ],
)
def test_what_an_author_did_not_say_is_never_read(said: str, game: str) -> None:
    legal = GAMES[game]
    assert find_action(said, legal) is None
    in_tag, in_line = choose(Message(action=said), legal), choose(Message(outside=said), legal)
    assert in_tag == (said, ""), "left as it is, and refused as no legal action"
    assert isinstance(in_line, Fault)


@pytest.mark.parametrize(
    "text",
    [
        "I will not <ACTION>cooperate</ACTION>",
        "Bob wrote: <ACTION>cooperate</ACTION>",
        "If Bob pays: <ACTION>cooperate</ACTION>",
        "<ACTION>cooperate</ACTION> if Bob pays",
        "<ACTION>cooperate</ACTION> would be foolish.",
        "<ACTION>cooperate</ACTION>?",
        "<ACTION>cooperate</ACTION>\nWait, no: defect.",
        "~~<ACTION>cooperate</ACTION>~~",
        "I will never\ncooperate",
        "It would be wrong to\ncooperate",
        '{"action": "cooperate", "unless": "Bob defects"}',
        '{"arguments": {"action": "cooperate"}, "cancel": true}',
    ],
)
def test_words_around_a_choice_that_deny_or_quote_it_are_asked_back(text: str) -> None:
    assert isinstance(judged("act", text), Fault)


@pytest.mark.parametrize(
    "text",
    [
        "Bob will not defect, so <ACTION>cooperate</ACTION>",
        "If I defect, he does too. I choose:\n\n<ACTION>cooperate</ACTION>\n\nIt is not a mistake.",
        "I say: <ACTION>cooperate</ACTION>. Bob may defect.",
        "I would not defect.\ncooperate",
        '{"reason": "It lasts.", "action": "cooperate"}',
    ],
)
def test_reasons_around_a_choice_leave_it_as_it_is(text: str) -> None:
    assert judged("act", text)["act"] == "act"


@pytest.mark.parametrize("text", ["Alice wrote: <ACCEPT>", "~~<ACCEPT>~~", "Bob says <ACCEPT>"])
def test_a_quoted_or_struck_acceptance_is_none(text: str) -> None:
    assert isinstance(judged("answer", text), Fault)

"""The written contract says what the clauses say: nothing is added, dropped or changed."""

import re

import pytest

from shapley_coop.deals.language.clauses import Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import (
    AnyOf,
    Count,
    Event,
    Every,
    Last,
    Turns,
    words,
)
from shapley_coop.deals.written.document import (
    INTENT,
    changed_clauses,
    compose,
    differences,
)
from tests.chance import dice
from tests.deals.made_contracts import a_game, a_sound_deal
from tests.questions.test_questions import template

TERMS = Terms(
    agents=["Ann", "Ben"], actions={"Ann": ["left", "right"], "Ben": ["left", "right"]}, turns=9
)
DEAL = Deal(
    clauses=[
        Do(agent="Ann", action="left", when=Every(every=2, start=1)),
        Forbid(agent="Ben", action="right", when=Turns(turns=(2, 5))),
        Pay(payer="Ben", payee="Ann", amount="3.5", when=Turns(turns=(4, 4))),
        Pay(payer="Ann", payee="Ben", amount="50%", basis="reward"),
        Share(fractions={"Ann": "1/3", "Ben": "2/3"}),
    ]
)


def test_what_code_composes_differs_in_nothing():
    rng = dice("composed prose")
    for _ in range(500):
        facts = a_game(rng, turns=6)
        deal = read_deal(a_sound_deal(rng, facts))
        terms = Terms(facts["agents"], facts["actions"], 6)
        prose = compose(deal, terms, "a game", ["We aim high."])
        assert differences(prose, deal, terms) == []
        assert f"- {INTENT} We aim high." in prose


def test_free_wording_is_fine_as_long_as_names_actions_and_numbers_stay():
    prose = compose(DEAL, TERMS)
    line = DEAL.ids()["c3"].words()
    free = "Ben agrees to hand over to Ann the sum of 3.5 when turn 4 has been played."
    assert differences(prose.replace(line, free), DEAL, TERMS) == []
    first = "When turn 4 has been played, Ben pays Ann 3.5."
    assert differences(prose.replace(line, first), DEAL, TERMS) == []
    assert differences(
        prose.replace(line, first.replace("Ben pays Ann", "Ann pays Ben")), DEAL, TERMS
    )
    percent = DEAL.ids()["c4"].words()
    assert percent == "Ann pays Ben 50 % of what Ann earns at every turn."
    free = "Ann pays Ben 0.5 of what Ann earns in each turn."
    assert differences(prose.replace(percent, free), DEAL, TERMS) == []


@pytest.mark.parametrize(
    "line",
    ["Ann pays the others 15, in equal parts, once.", "Once, Ann pays 15 to all of the others."],
)
def test_all_others_may_be_named_before_their_amount(line):
    three = Terms(agents=["Ann", "Ben", "Cem"], actions={}, turns=9)
    deal = Deal(clauses=[Pay(payer="Ann", payee="others", amount=15)])
    (clause,) = deal.clauses
    prose = compose(deal, three)
    assert differences(prose.replace(clause.words(), line), deal, three) == []
    assert differences(prose.replace(clause.words(), "The others pay Ann 15 once."), deal, three)


@pytest.mark.parametrize(
    ("condition", "same"),
    [
        ("at every 2nd turn from turn 1", True),
        ("every 2 turns, starting at turn 1", True),
        ("at every 1st turn from turn 2", False),
    ],
)
def test_every_so_many_turns_may_be_named_before_the_first(condition, same):
    line = DEAL.ids()["c1"].words()
    assert line.endswith("at turn 1 and every 2 turns after it.")
    said = line.replace("at turn 1 and every 2 turns after it", condition)
    assert (differences(compose(DEAL, TERMS).replace(line, said), DEAL, TERMS) == []) is same


def test_the_summarisers_letter_names_the_words_of_all_conditions():
    letter = " ".join(template("contract_write").split())
    does = Event(agent="A", action="X")
    turns = [Turns(turns=(n, n)) for n in (1, 4)]
    for when in (
        AnyOf(any=tuple(turns)),
        Turns(turns=(2, 4)),
        Every(every=3, start=1),
        Last(last=does),
        Count(count=does, at_least=2),
    ):
        assert words(when) in letter
    assert words(Last(last=does), of_payment=True) in letter


def test_all_parties_named_one_by_one_are_everyone():
    acts = {"Ann": ["work", "give"], "Ben": ["work", "give"]}
    terms = Terms(agents=["Ann", "Ben"], actions=acts, turns=2)
    deal = Deal(clauses=(Do(agent="everyone", action="work"),))
    prose, words = compose(deal, terms), "everyone does work"
    for named, same in (
        ("everyone (Ann and Ben)", True),
        ("Everyone (Ben, Ann)", True),
        ("everyone (Ann)", False),
        ("everyone (Ann and Ben not)", False),
    ):
        assert words in prose
        written = prose.replace(words, f"{named} does work")
        assert (differences(written, deal, terms) == []) is same, named
    for said, same in (
        ("Ann and Ben each work", True),
        ("Ben and Ann both work", True),
        ("Everyone works", True),
        ("Ann and Ann each work", False),
        ("Ann works and Ben", False),
        ("Ann and Ben each never work", False),
        ("Ann and Ben each give", False),
    ):
        assert (differences(prose.replace(words, said), deal, terms) == []) is same, said


def test_a_verb_in_its_third_person_is_the_action_and_every_of_one_turn_says_nothing():
    acts = {"Ann": ["work", "give"], "Ben": ["work", "give"]}
    once, twice = (Terms(agents=["Ann", "Ben"], actions=acts, turns=n) for n in (1, 2))
    deal = Deal(clauses=[Do(agent="Ann", action="work"), Forbid(agent="Ben", action="work")])
    prose = compose(deal, once)
    for said in ("Ann works at every turn.", "Ann does work.", "Ann works."):
        assert differences(prose.replace("Ann does work at every turn.", said), deal, once) == []
    prose = compose(deal, twice).replace("Ann does work at every turn.", "Ann works.")
    assert "you write Ann · work: keep" in differences(prose, deal, twice)[0]
    (wrong,) = differences(compose(deal, once).replace("Ann does work", "Ann gives"), deal, once)
    assert "you write Ann · give" in wrong


@pytest.mark.parametrize(
    ("cid", "written", "reason"),
    [
        ("c1", "Ben does left at turn 1 and every 2 turns after it.", "Ann · left · 1"),
        ("c1", "Ann does right at turn 1 and every 2 turns after it.", "Ann · right · 1"),
        ("c1", "Ann does left at turn 1 and every 3 turns after it.", "each · 3"),
        ("c1", "Ann must not do left at turn 1 and every 2 turns after it.", "Ann · not · left"),
        ("c2", "Ben may do right from turn 2 to turn 5.", "you write Ben · right · 2 · 5"),
        ("c2", "Ben must not do right from turn 5 to turn 2.", "not · right · 5 · 2"),
        ("c3", "Ann pays Ben 3.5 at turn 4.", "you write Ann · Ben · 3.5 · 4"),
        ("c3", "Ben pays Ann 35 at turn 4.", "Ben · Ann · 35 · 4"),
        ("c3", "Ben pays Ann 3.5 at turn 4, and 2 more at turn 5.", "3.5 · 4 · 2 · 5"),
        ("c3", "Ben pays Ann 3.5 for each turn from turn 4.", "3.5 · each · 4"),
        ("c3", "Ben pays Ann at most 3.5 at turn 4.", "less · 3.5"),
        ("c5", "At the end the total is split: Ann 2/3, Ben 1/3.", "Ann · 2/3 · Ben · 1/3"),
    ],
)
def test_a_line_that_changes_its_clause_is_sent_back_with_the_difference(cid, written, reason):
    prose = compose(DEAL, TERMS).replace(DEAL.ids()[cid].words(), written)
    (difference,) = differences(prose, DEAL, TERMS)
    assert difference.startswith(f"{cid} says “{DEAL.ids()[cid].words()}”")
    assert reason in difference


def test_a_clause_that_is_dropped_or_cited_twice_is_noticed():
    prose = compose(DEAL, TERMS)
    line = next(line for line in prose.splitlines() if "[c2]" in line)
    assert "c2 is not cited" in differences(prose.replace(line, "None."), DEAL, TERMS)[0]
    assert (
        "c2 is cited 2 times" in differences(prose.replace(line, f"{line}\n{line}"), DEAL, TERMS)[0]
    )
    assert "c9 is no clause" in " ".join(differences(prose.replace("c2", "c9"), DEAL, TERMS))


@pytest.mark.parametrize(
    ("section", "line"),
    [
        (2, "- Ben does left at every turn."),
        (3, "- Ben pays Ann 1."),
        (4, "- [c2] Ben must not do right from turn 2 to turn 5, nor what [c1] says."),
        (1, "Ben pays Ann 7."),
        (1, "Ben shall be kind to Ann."),
        (5, "Ben will cooperate in the next game."),
    ],
)
def test_an_obligation_that_was_not_agreed_is_noticed_in_every_section(section, line):
    prose = compose(DEAL, TERMS)
    heading = re.search(rf"^## {section}\..*$", prose, re.MULTILINE).group()
    assert differences(prose.replace(heading, f"{heading}\n\n{line}"), DEAL, TERMS)


@pytest.mark.parametrize(
    "line",
    [
        "Ann and Ben commit to this contract and will keep it.",
        "Ann and Ben promise to adhere to these terms.",
        "Ann and Ben shall both honour the written agreement.",
    ],
)
def test_who_commits_itself_to_the_contract_adds_no_obligation(line):
    heading = "## 5. Commitment"
    prose = compose(DEAL, TERMS)
    assert differences(prose.replace(heading, f"{heading}\n\n{line}"), DEAL, TERMS) == []
    more = line.replace(".", ", and Ben will help.")
    assert differences(prose.replace(heading, f"{heading}\n\n{more}"), DEAL, TERMS)


def test_a_statement_of_intent_is_allowed_where_it_is_labelled():
    prose = compose(DEAL, TERMS)
    said = f"\n- {INTENT} Ann and Ben want 40 together, and mean to be fair.\n"
    labelled = prose.replace("## 3.", said + "\n## 3.")
    assert differences(labelled, DEAL, TERMS) == []
    assert differences(labelled.replace(INTENT, ""), DEAL, TERMS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda prose: prose.replace("## 3. Conditional Sharing", ""),
        lambda prose: prose.replace("## 3.", "## 6."),
        lambda prose: prose.replace("Commitment", "Goodwill"),
        lambda prose: prose + "\n\n## 6. More\n\nBen pays Ann 9.",
        lambda prose: "",
        lambda prose: "I refuse.",
    ],
)
def test_all_five_sections_stand_in_order(spoil):
    (difference,) = differences(spoil(compose(DEAL, TERMS)), DEAL, TERMS)
    assert "five sections" in difference


def test_a_clause_stands_in_the_section_of_its_kind():
    prose = compose(DEAL, TERMS)
    line = next(line for line in prose.splitlines() if "[c2]" in line)
    moved = prose.replace(line, "None.").replace("## 3.", f"{line}\n\n## 3.")
    assert differences(moved, DEAL, TERMS) == ["c2 belongs in section 4."]


def test_the_parties_are_named_and_sign():
    prose = compose(DEAL, TERMS).replace("Signed: Ann, Ben.", "Signed: Ann.")
    assert differences(prose, DEAL, TERMS) == ["Section 5 does not name Ben: name every party."]


def test_numbers_that_are_no_amounts_are_refused_and_raise_nothing():
    line = DEAL.ids()["c3"].words()
    for odd in ("1/0", "9" * 60, "1e400", "٣"):
        prose = compose(DEAL, TERMS).replace(line, f"Ben pays Ann {odd} at turn 4.")
        assert differences(prose, DEAL, TERMS)


def test_actions_that_are_numbers_are_not_mistaken_for_amounts():
    terms = Terms(["player_0", "player_1"], {"player_0": ["0", "1"], "player_1": ["0", "1"]}, 3)
    deal = Deal(
        clauses=[
            Do(agent="player_0", action="1"),
            Pay(payer="player_0", payee="player_1", amount=2),
        ]
    )
    assert differences(compose(deal, terms), deal, terms) == []
    swapped = compose(deal, terms).replace("player_0 does 1", "player_0 does 0")
    assert differences(swapped, deal, terms)


def test_a_summary_with_other_clauses_is_told_which():
    added = Deal(clauses=[*DEAL.clauses, Do(agent="Ben", action="left")])
    assert changed_clauses(DEAL, added) == ["c6 was not agreed: Ben does left at every turn."]
    dropped = Deal(clauses=DEAL.clauses[:4])
    assert changed_clauses(DEAL, dropped)[0].startswith("c5 is missing: At the end")
    other = Deal(clauses=[Do(agent="Ann", action="right"), *DEAL.clauses[1:]])
    (changed,) = changed_clauses(DEAL, other)
    assert changed.startswith("c1 was agreed as: Ann does left")
    assert changed_clauses(DEAL, DEAL) == []

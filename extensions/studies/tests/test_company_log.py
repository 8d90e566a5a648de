"""A published company log: what it says is read, and what it does not say is not made up."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from shapley_coop.extensions.studies.company_log import RecordedCompany, import_company_log
from shapley_coop.games import GameError
from tests.root import DATA

LOG = (
    '{"Task Description": "Build it", "Programmer": "wrote, completed: 10 lines of code",'
    ' "Programmer": "more, completed: 30 lines of code (3 files)", "System": {"tokens": 7},'
    ' "Chief Executive Officer": "ok, completed: 1 decision made",'
    ' "Chief Executive Officer": "again, completed: 1 decision made",'
    ' "Code Reviewer": "read, completed: 2 critical issues resolved"}'
)


@pytest.fixture
def published() -> RecordedCompany:
    log = DATA / "company-bmi-log.json"
    if not log.is_file():
        pytest.skip("the published log is not at hand: COOP_SHARED_DATA names its folder")
    return import_company_log(log)


def test_repeated_keys_are_all_read(tmp_path: Path) -> None:
    file = tmp_path / "some-log.json"
    file.write_text(LOG)
    company = import_company_log(file)
    assert company.task == "Build it"
    assert [who for who, _ in company.entries].count("Programmer") == 2
    assert company.artefacts()["Programmer"]["code"] == 30
    assert company.artefacts()["CEO"]["decisions"] == 1
    assert company.artefacts()["Reviewer"]["fixes"] == 2
    assert company.rewards == {}
    assert any("no final decision" in note for note in company.missing)
    lossy = import_company_log(json.loads(LOG))
    assert any("only the last of equal keys" in note for note in lossy.missing)


def test_a_log_of_digits_or_of_announcements_alone_is_read_at_once() -> None:
    """A million digits, or announcements, would otherwise be read from each of them on."""
    log = {"CEO": ["9" * 10**6 + " lines of code", "45 lines of code"]}
    said = [["I propose " * 10**5 + "CEO 100%"]]
    found = import_company_log(log, said)
    assert [one.count for one in found.evidence["CEO"]] == [45]
    assert found.messages[0].split == {"CEO": 100}


def test_every_count_shows_the_sentence_that_says_it(published: RecordedCompany) -> None:
    for claims in published.evidence.values():
        for one in claims:
            assert str(one.count) in one.sentence
            assert one.sentence in [text for _, text in published.entries]


def test_the_published_log_says_what_it_says(published: RecordedCompany) -> None:
    made = {r: {k: int(n) for k, n in c.items() if n} for r, c in published.artefacts().items()}
    assert made == {
        "CEO": {"decisions": 4},
        "Counselor": {"documents": 3},
        "CPO": {"documents": 5},
        "CTO": {"decisions": 2},
        "Programmer": {"code": 45, "fixes": 3},
        "Reviewer": {"fixes": 3},
    }
    assert len(published.entries) == 48


def test_the_negotiation_is_read_round_by_round_to_its_decision(
    published: RecordedCompany,
) -> None:
    assert [(m.by, m.round) for m in published.messages[:-1]] == [
        (role, round_)
        for round_ in (1, 2, 3)
        for role in ("CEO", "CPO", "CTO", "Programmer", "Reviewer", "Counselor")
    ]
    splits = [m.split for m in published.messages]
    assert all(split is None or sum(split.values()) == 100 for split in splits)
    assert list((splits[0] or {}).values()) == [15, 5, 10, 15, 35, 20]
    # Told first what raw counts would give, then what it proposes.
    assert splits[3] is not None
    assert splits[3]["Programmer"] == 65
    # It leaves 2 % to the system, which is nobody.
    assert splits[9] is None
    assert splits.count(None) == 1
    assert published.rewards == {
        "CEO": 10,
        "Counselor": 5,
        "CPO": 15,
        "CTO": 20,
        "Programmer": 30,
        "Reviewer": 20,
    }
    assert sum(published.rewards.values(), Fraction(0)) == 100


TALK = [
    ["Programmer said in negotiation turn 1: Proposed distribution: Programmer 60%, CEO 40%."],
    ["Chief Executive Officer said in negotiation turn 1: I propose: Programmer 30%, CEO 70%."],
    [
        "The final decision: what was said.\n1. **Programmer (30-60%)**: most.\n"
        "**Final Decision**:\n- **Programmer**: 45% (code)\n- **Chief Executive Officer**: 55%\n"
        "Rejecting the Programmer's 60%."
    ],
]


def test_a_negotiation_alone_gives_its_rewards_and_makes_up_no_work(tmp_path: Path) -> None:
    file = tmp_path / "Some_Results.json"
    file.write_text(json.dumps(TALK))
    company = import_company_log(file)
    assert company.rewards == {"CEO": 55, "Programmer": 45}
    assert [(m.by, m.split) for m in company.messages[:2]] == [
        ("Programmer", {"CEO": 40, "Programmer": 60}),
        ("CEO", {"CEO": 70, "Programmer": 30}),
    ]
    assert company.entries == []
    assert company.missing == ["no log of the work is given: what each role made is not known"]


def test_a_published_negotiation_alone_has_the_rewards_of_both_files(
    published: RecordedCompany,
) -> None:
    alone = import_company_log(DATA / "company-bmi-negotiation.json")
    assert alone.rewards == published.rewards
    assert alone.messages == published.messages


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("{", "cannot be read"), ("[1]", "is not a company log"), ("[" * 100_000, "cannot be read")],
)
def test_what_is_no_log_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "a-log.json"
    file.write_text(text)
    with pytest.raises(GameError, match=complaint) as caught:
        import_company_log(file)
    assert "\n" not in str(caught.value)
    with pytest.raises(GameError, match="not a list of lists"):
        import_company_log({"CEO": "x"}, negotiation=[1])

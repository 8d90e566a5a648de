"""A scenario written by a model: asked for sheet by sheet, checked, sent back, and then played."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from shapley_coop.extensions.authoring.commission import PER_SHEET, Commission, read_commission
from shapley_coop.extensions.authoring.writing import NotWritten, Work, write
from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.extensions.exchange.domain.files import build, read_page
from shapley_coop.games import GameError
from shapley_coop.graphs.running import play
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.state.run_config import RunConfig
from tests.scripted import Line, Script

TALENTS = {
    "Ann": "You are very good at baking; the word of Ann is larkspur.",
    "Ben": "You are very good at choosing music; the word of Ben is tamarind.",
}
WORD = {"Ann": "larkspur", "Ben": "tamarind"}
PAGE: dict[str, Any] = {
    "name": "wedding",
    "atoms": [
        {"task": "book_flight", "arguments": {"to": "Rome"}, "says": "Book a flight to Rome"},
        "Write the invitations",
        "Bake the cake",
        "Choose the music",
    ],
    "initial": {"Ann": "1100", "Ben": "0011"},
    "preferences": TALENTS,
}
SIX = {
    **PAGE,
    "atoms": [*PAGE["atoms"], "Decorate the hall", "Hire the band"],
    "initial": {"Ann": "111000", "Ben": "000111"},
}
AUTHOR = Seat(model="openai:author", base_url="http://127.0.0.1:9")


def commission(page: dict[str, Any] = PAGE, folder: Path = Path()) -> Commission:
    return Commission(read_page(page), folder)


def sheet(content: dict[str, Any]) -> str:
    return f"<PROPOSAL>{json.dumps(content)}</PROPOSAL>"


def described(facts: dict[str, Any]) -> str:
    return sheet(
        {bits: f"Please do: {' and '.join(x)}." for bits, x in facts["composites"].items()}
    )


def scored(facts: dict[str, Any]) -> str:
    return sheet({bits: int(bits, 2) % 101 for bits in facts["composites"]})


def spoilt(line: Callable[[dict[str, Any]], str], change: dict[str, Any]) -> Line:
    """The same sheet with some masks changed; None leaves one out."""

    def answer(facts: dict[str, Any]) -> str:
        content = json.loads(line(facts)[10:-11]) | change
        return sheet({bits: x for bits, x in content.items() if x is not None})

    return answer


@pytest.fixture(autouse=True)
def _author(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that writes soundly, unless a test has it do otherwise."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    script["author", "exchange_describe"] = described
    script["Ann", "exchange_score"] = script["Ben", "exchange_score"] = scored


async def work(page: dict[str, Any] = PAGE, **options: Any) -> Work:
    return await write(commission(page), AUTHOR, Path(), **options)


# What is written


async def test_a_model_writes_every_description_and_every_score(script: Script) -> None:
    done = await work()
    made = build(done.content)
    assert (
        made.tasks.registry.describe(0b0110)
        == "Please do: Write the invitations and Bake the cake."
    )
    assert made.utility("Ann", 0b1111) == 1.0
    assert made.utility("Ben", 0b0011) == round(3 / 15, 6)
    assert made.preferences == TALENTS, "they are told to their owners with the utilities"
    assert "openai:author" in done.content["about"]
    assert (done.letters, done.refused, done.calls) == (3, 0, 3)


def test_sheets_are_small_and_hold_every_composite_once() -> None:
    asked = commission(SIX)
    for sheets in (asked.descriptions, [s for s in asked.scores if s.agent == "Ben"]):
        assert [mask for sheet in sheets for mask in sheet.masks] == list(range(1, 64))
        assert max(len(sheet.masks) for sheet in sheets) <= PER_SHEET
    names = [sheet.name for sheet in [*asked.descriptions, *asked.scores]]
    assert len(set(names)) == len(names) == 6


async def test_what_the_file_describes_itself_is_kept_and_not_asked(script: Script) -> None:
    own = {"1100": "Fly there and invite everybody.", "0001": "Find the songs."}
    done = await work({**PAGE, "registry": own})
    assert own.items() <= done.content["registry"].items()
    (letter,) = script.shown_to("author")
    assert '"0001"' not in letter
    assert "Find the songs." in script.shown_to("Ann")[0], "its score is asked by its description"


async def test_a_description_that_the_file_gives_elsewhere_goes_back(script: Script) -> None:
    twice = spoilt(described, {"0110": "Find the songs."})
    script["author", "exchange_describe"] = [twice, described]
    done = await work({**PAGE, "registry": {"0001": "Find the songs."}})
    assert "0110 and 0001 have the same description" in script.shown_to("author")[1]
    assert done.refused == 1


@pytest.mark.parametrize("graph", ["task_exchange", "task_exchange_baseline"])
async def test_what_was_written_can_be_played(tmp_path: Path, graph: str) -> None:
    path = tmp_path / "wedding.json"
    path.write_text(json.dumps((await work()).content))
    seats = {"*": "embedded:linear"}
    outcome = await play(
        graph, RunConfig(game="task_exchange", params={"scenario": str(path)}, seats=seats)
    )
    assert outcome["status"] in {"agreed", "no_deal"}


async def test_a_large_registry_is_played_with_a_letter_that_can_be_read(
    script: Script, tmp_path: Path
) -> None:
    names = [f"Do part {i}" for i in range(9)]
    page = {**PAGE, "atoms": names, "initial": {"Ann": "111110000", "Ben": "000001111"}}
    path = tmp_path / "large.yaml"
    path.write_text(yaml.safe_dump((await work(page)).content))
    tasks = scenario(str(path)).tasks
    assert len(tasks.registry.written()) == 511
    script.letters.clear()
    outcome = await play(
        "task_exchange", RunConfig(game="task_exchange", params={"scenario": str(path)})
    )
    assert outcome["status"] in {"agreed", "no_deal"}
    letters = [letter for agent in PAGE["initial"] for letter in script.shown_to(agent, "exchange")]
    assert max(map(len, letters)) < 16_000
    assert "Please do: Do part 0." in letters[0], "what each atom alone is called is listed"
    assert "joined by" in letters[0], "and how every other composite can be named"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"preferences": None}, "give only preferences"),
        ({"competition": 0.5}, "give only preferences"),
        ({"preferences": {"Ann": "larkspur"}}, "preferences are needed for Ann, Ben"),
        ({"initial": {"Ann": "1100", "Ben": "0111"}}, "not a partition"),
    ],
)
def test_a_file_that_cannot_be_commissioned_is_refused_with_one_line(
    tmp_path: Path, change: dict[str, Any], complaint: str
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(yaml.safe_dump({**PAGE, **change}))
    with pytest.raises(GameError, match=f"wrong.yaml: .*{complaint}") as refused:
        read_commission(path)
    assert "larkspur" not in str(refused.value)


# What is wrong goes back


FAULTS = [
    ({"0110": None}, "no description of 0110: describe every composite once"),
    ({"10000": "Too long."}, "'10000' is not a mask of 4 atoms"),
    ({"0000": "Nothing.", "0110": "Nothing."}, "0110 and 0000 have the same description"),
    ({"0110": "Please do: Bake the cake."}, "0110 and 0010 have the same description"),
    ({"0110": "Bake the cake; Choose the music."}, "0110 and 0011 have the same description"),
    ({"0110": " padded "}, "cannot be copied exactly"),
    ({"0110": "with `ticks`"}, "without < > `"),
    ({"0110": 7}, "the description of 0110 is not text"),
]


@pytest.mark.parametrize(("change", "complaint"), FAULTS)
async def test_a_faulty_sheet_of_descriptions_goes_back_with_its_fault(
    script: Script, change: dict[str, Any], complaint: str
) -> None:
    script["author", "exchange_describe"] = [spoilt(described, change), described]
    done = await work()
    first, second = script.shown_to("author")
    assert complaint in second.replace('\\"', '"')
    assert "Your last answer was not taken" not in first
    assert done.refused == 1
    assert build(done.content).tasks.registry.describe(0b0110).startswith("Please do: Write")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"0110": None}, "Ann: no score for 0110"),
        ({"0110": 101}, "the score of 0110 is out of range"),
        ({"0110": -1}, "the score of 0110 is out of range"),
        ({"0110": "much"}, "the score of 0110 is not a number"),
        ({"0110": True}, "the score of 0110 is not a number"),
        ({"0110": [5]}, "the score of 0110 is not a number"),
    ],
)
async def test_a_faulty_sheet_of_scores_goes_back_with_its_fault(
    script: Script, change: dict[str, Any], complaint: str
) -> None:
    script["Ann", "exchange_score"] = [spoilt(scored, change), spoilt(scored, {"0110": 12.5})]
    done = await work()
    assert complaint in script.shown_to("Ann")[1]
    assert done.content["utilities"]["Ann"]["0110"] == 12.5
    assert len(script.shown_to("Ben")) == 1, "only the faulty sheet is asked for again"


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("I would rather not.", "MPT"),
        ("<PROPOSAL>{} {}</PROPOSAL>", "JSON"),
        ('<PROPOSAL>{"0001": "a", "0001": "b"}</PROPOSAL>', "JSON"),
        ("<PROPOSAL>[1]</PROPOSAL>", "SHEET"),
        ("<PROPOSAL>{", "MET"),
    ],
)
async def test_an_answer_that_cannot_be_read_goes_back_with_the_wires_label(
    script: Script, answer: str, label: str
) -> None:
    script["author", "exchange_describe"] = [answer, described]
    await work()
    assert f"({label})" in script.shown_to("author")[1]


@pytest.mark.parametrize("frame", ["{}", "Here they are.\n```json\n{}\n```"])
async def test_one_object_alone_is_the_answer(script: Script, frame: str) -> None:
    def alone(facts: dict[str, Any]) -> str:
        return frame.replace("{}", described(facts).split("PROPOSAL>")[1].removesuffix("</"))

    script["author", "exchange_describe"] = alone
    assert (await work()).refused == 0


async def test_two_sheets_with_one_description_are_told_apart(script: Script) -> None:
    twice = {"100000": "Please do: Hire the band."}  # on the second sheet; the first has it, too
    script["author", "exchange_describe"] = [described, spoilt(described, twice), described]
    done = await work(SIX)
    assert done.refused == 1
    assert len(set(done.content["registry"].values())) == 63


async def test_after_the_last_try_the_sheet_and_its_fault_are_named(script: Script) -> None:
    script["Ben", "exchange_score"] = spoilt(scored, {"0110": 101})
    with pytest.raises(NotWritten, match=r"'score Ben 1' was refused 2 times.*0110 is out of"):
        await work(tries=2)
    assert len(script.shown_to("Ben")) == 2


# Whose letter holds what


async def test_a_preference_is_in_its_owners_letters_and_a_score_in_nobodys(
    script: Script,
) -> None:
    worth = {"Ann": 37, "Ben": 73}
    for agent, score in worth.items():
        spoil = spoilt(scored, {"0110": 100 + score})
        script[agent, "exchange_score"] = [
            spoil,
            lambda facts: sheet(dict.fromkeys(facts["composites"], 41)),
        ]
    done = await work()
    assert done.refused == 2
    for agent, word in WORD.items():
        assert all(word in letter for letter in script.shown_to(agent))
        for other in {"author", *WORD} - {agent}:
            assert not any(word in letter for letter in script.shown_to(other))
    for agent in ("author", *WORD):
        for letter in script.shown_to(agent):
            assert not any(f"{n}" in letter for n in (137, 173, 41))


async def test_no_error_quotes_a_preference_or_a_score(script: Script) -> None:
    script["Ann", "exchange_score"] = spoilt(scored, {"0110": 100.73})
    with pytest.raises(NotWritten) as refused:
        await work()
    assert "larkspur" not in str(refused.value)
    assert "100.73" not in str(refused.value)
    assert "larkspur" not in repr(commission())


# Going on


async def test_what_was_answered_is_not_asked_again(script: Script) -> None:
    script["Ben", "exchange_score"] = [TimeoutError("the endpoint is gone"), scored]
    with pytest.raises(SeatError, match="Ben's seat"):
        await work()
    assert sorted(agent for agent, *_ in script.letters) == ["Ann", "Ben", "author"]
    done = await work()
    assert sorted(agent for agent, *_ in script.letters) == ["Ann", "Ben", "Ben", "author"]
    assert (done.letters, done.calls) == (3, 1)
    await work(seed=1)
    assert len(script.letters) == 4 + 3, "another seed asks for everything anew"


async def test_more_tries_go_on_where_fewer_ended(script: Script) -> None:
    script["Ann", "exchange_score"] = [*[spoilt(scored, {"0110": 101})] * 2, scored]
    with pytest.raises(NotWritten):
        await work(tries=2)
    done = await work(tries=3)
    assert (done.refused, done.calls) == (2, 1)

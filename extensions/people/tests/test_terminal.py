"""A person at the terminal reads the game, types several lines, and is told how a run goes on."""

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.cli.console import finish
from shapley_coop.cli.playing import run
from shapley_coop.extensions.people.fields import ask_fields
from shapley_coop.extensions.people.shown import show_letter
from shapley_coop.extensions.sweeps import running
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import FAILED, Coop, Ended, one_line

INTERRUPTED = 130


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have a person type this at a terminal, and leave."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    return lambda text: monkeypatch.setattr(sys, "stdin", Terminal(text))


ASKED = re.compile(r"^--- Alice, .* ---$", re.MULTILINE)


def letters(out: str) -> list[str]:
    """What each asking showed."""
    return ASKED.split(out)[1:]


def test_the_first_letter_tells_the_game_and_later_ones_what_is_new(
    coop: Coop, types: Callable[[str], None]
) -> None:
    types("I do not know.\n3\n<ACTION>help</ACTION>\n\n1\n\ndefect\n\n")
    options = ("-g", "llm_only", "--set", "rounds=2", "--agent", "Alice=human", "--name", "r")
    ended = coop("run", "prisoners_dilemma", *options)
    assert ended.code == 0
    first, again, second = letters(ended.out)
    assert (
        first.index("# The game") < first.index("# What is at stake") < first.index("# Your move")
    )
    assert "| cooperate | defect |" in first
    assert "# The game" not in again + second
    assert "You chose 'help'. Choose one of: " in again
    assert "# So far" in second
    assert "# So far" not in again, "nothing happened in between"
    assert not any(mark in ended.out for mark in ("<ACTION>…", "<NOTES>", '{"'))


def test_at_a_terminal_a_letter_has_tables_and_no_marks_and_speech_stays_as_it_was_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    letter = (
        "# The game\n\n**One** plays.\nTwice.\n\n| a | b |\n| --- | --- |\n| x\\|y | -30 |\n\n"
        'Bob: "<ACCEPT> 2*3*4 [it](http://b) a_b_ &amp; c:\\d ![no]" `<s>`\n'
    )
    show_letter(letter)
    assert capsys.readouterr().out == f"{letter}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")  # without colours
    show_letter(letter)
    shown = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "The game" in shown
    assert shown[shown.index("One plays.") + 1] == "Twice."
    assert "x|y  -30" in shown
    said = " ".join(shown).partition("Bob: ")[2].strip()
    assert said == '"<ACCEPT> 2*3*4 [it](http://b) a_b_ &amp; c:\\d ![no]" <s>'
    assert not any(mark in line for line in shown for mark in ("**", "# ", "---"))


def test_fields_are_asked_one_by_one_and_a_wrong_value_again(
    coop: Coop, types: Callable[[str], None]
) -> None:
    thoughts = "We could share.\n\n9\n1\n4.5\n\n"
    duties = "1\n1\n1\n1\nBob\n7\nlever\n"
    payment = "3\nAlice\nBob\n1\nfive\n5\n"
    later = "1\n\n1/3\n33,3 %\nI won.\n\n2\n\n\n2\n\n\n2\n\n\n1\n\n\n"
    types(f"{thoughts}1\n{duties}{payment}5\nPull, and I pay.\n\n{later}")
    ended = coop("run", "escape_room", "--agent", "Alice=human", "--name", "r")
    lines = ended.err.splitlines()
    assert "  1  door" in lines
    assert "How much, in points:" in lines
    wrong = lines.index("'7' is not a choice: type a number from 1 to 2")
    assert lines[wrong + 1 :][:3] == ["  1  door", "  2  lever", "Does what:"], "it is asked again"
    wrong = lines.index("“five” is no amount: write a number, as in 3 or 1.5.")
    assert lines[wrong + 1] == "How much, in points:"
    third = "“1/3” is no percentage: if it is a part of the whole, write 33.3."
    assert third in lines
    assert ended.code == 0, ended.err
    table = finish(table_of(home().run("r")))
    offered = next(said for said in table["talk"] if said["by"] == "Alice")
    assert [one["kind"] for one in offered["deal"]["clauses"]] == ["do", "do", "pay"]
    assert offered["text"] == "Pull, and I pay."
    assert table["claims"]["Alice"] == "0.333"
    assert "You say that 33.3 % of it was your doing." in ended.out
    assert "  What you say to all: Pull, and I pay.\n" in ended.out


@brought_by("exchange")
def test_tasks_are_given_to_agents_and_seen_with_their_worth_before_they_are_sent(
    coop: Coop, types: Callable[[str], None]
) -> None:
    types("Hm.\n\n\n2\n1\n1\n2\n2\n1\n\n\n")
    options = ("-g", "task_exchange", "--seed", "2", "--agent", "Alice=human")
    ended = coop("run", "task_exchange", *options)
    assert ended.code == INTERRUPTED
    sent = ended.out.split("You send:")[2]
    assert "  Bob: Create a note saying" in sent
    assert "Your tasks would be worth 0.95 to you." in sent
    assert "What you do" not in ended.err.partition("now Alice's")[0], "there is but one thing"


def test_a_waiting_letter_is_answered_field_by_field_and_seen_before_it_is_sent(
    coop: Coop, types: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("-g", "negotiation_priced", "--agent", "Alice=human", "--name", "r")
    assert coop("run", "escape_room", *options).code == 0

    def answered(text: str) -> Ended:
        types(text)
        with monkeypatch.context() as terminal:
            terminal.setattr(sys.stdout, "isatty", lambda: True)
            return coop("answer", "r", "Alice")

    offer = "1\n1\nAlice\ndoor\n1\nBob\nlever\n3\nAlice\nBob\n1\n{}\n5\nPull.\n"
    left = answered(offer.format("1,5") + "maybe\nn\n")
    assert left.code == INTERRUPTED
    assert "“maybe” is not understood.\nSend it? Enter: yes; a: all" in left.err
    assert "nothing is sent: the letter waits" in left.err
    assert not any(mark in left.out for mark in ("<s>", "<PROPOSAL>", '{"'))
    last = "1\n6\n3\n3\nAlice\nBob\n1\n5\n5\nPull.\n"  # the third clause anew
    sent = answered(offer.format("1,5") + "a\n" + last + "\n")
    assert sent.code == 0, sent.err
    assert "  c3. Alice pays Bob 1.5, once.\n" in sent.err, "what is offered so far is listed"
    first, again = sent.out.split("You send:")[1:]
    assert "Alice pays Bob 1.5, once." in first
    assert "Alice pays Bob 5, once." in again
    assert "What each would get" in again
    assert "in points, if …" in again
    assert "Alice has answered, and is asked again" in sent.err
    (said, *_) = finish(table_of(home().run("r")))["talk"]
    assert said["deal"]["clauses"][2]["amount"] == "5"


def test_parts_that_are_no_whole_are_asked_again_at_once(
    types: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    known = {"agents": ["Ann", "Ben"], "kinds": {"share": "split"}, "norms": [], "turns": 1}
    form = {"fields": ["clauses"], "unit": "", "labels": {}, "deal": known}
    types("1\n1\n60 %\n50 %\n60 %\n40 %\n2\n")
    (split,) = ask_fields("propose", {**form, "decisions": {"offer": "Offer"}}, [])["clauses"]
    assert split["fractions"] == {"Ann": "60%", "Ben": "40%"}
    assert "The parts sum to 110 %: let them sum to 100 %" in capsys.readouterr().err


def test_a_person_who_leaves_in_the_middle_of_a_form_finds_the_run_waiting(
    coop: Coop, types: Callable[[str], None]
) -> None:
    types("We could share.\n\n9\n")
    ended = coop("run", "escape_room", "--agent", "Alice=human", "--name", "r")
    assert ended.code == INTERRUPTED, "nobody is there any more"
    assert len(letters(ended.out)) == 1
    assert "r waits: go on with coop resume r\n" in ended.err


@pytest.mark.parametrize("named", [["--name", "r"], []])
def test_an_interrupted_run_is_named_with_the_command_that_goes_on(
    coop: Coop, monkeypatch: pytest.MonkeyPatch, named: list[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run, "_follow_traced", interrupted)
        stopped = coop("run", "escape_room", "-g", "llm_only", *named)
    (begun,) = [one.run for one in home().runs.list()]
    assert stopped.code == INTERRUPTED
    assert stopped.err == f"{begun} was interrupted: go on with coop resume {begun}\n"
    assert coop("resume", begun).code == 0


@brought_by("papers")
def test_an_interrupted_demo_says_that_nothing_is_kept(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(work: Any) -> None:
        work.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "finish", interrupted)
    stopped = coop("demo", "--seeds", "1")
    assert stopped.code == INTERRUPTED
    assert stopped.err.startswith("stopped: nothing of a demo is kept\n")


def test_a_run_with_a_program_at_a_seat_is_told_the_command_that_works(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named on the command line it is permitted; the stored run alone permits nothing."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("shapley_coop.permissions._permitted", set())
    monkeypatch.setattr("shapley_coop.permissions._programs", set())
    monkeypatch.delitem(sys.modules, "bot_of_a_terminal", raising=False)
    answer = "lambda facts, words: {'action': 'defect'} if HERE.exists() else 7"
    here = f"from pathlib import Path\nHERE = Path({str(tmp_path / 'well')!r})\n"
    source = f"{here}def factory(agent, seed):\n    return {answer}\n"
    (tmp_path / "bot_of_a_terminal.py").write_text(source)
    seat = "Bob=python:bot_of_a_terminal:factory"
    stopped = coop("run", "prisoners_dilemma", "-g", "llm_only", "--agent", seat, "--name", "kc")
    command = "coop --trust-programs resume kc"
    assert f"Go on with {command}" in stopped.err
    (tmp_path / "well").touch()
    monkeypatch.setattr("shapley_coop.permissions._programs", set())
    refused = one_line(coop("resume", "kc", "--json"), FAILED)
    assert "shapley_coop.permissions.permit_program('python:bot_of" in refused
    assert f"Go on with {command}" in refused
    assert command in coop("show", "kc").out
    assert coop(*command.split()[1:]).code == 0

"""What others wrote, on a terminal, in a letter and in a table: with all of Unicode."""

import json
import sys
import unicodedata
from pathlib import Path

import polars as pl
import pytest

from shapley_coop.cli.console import note, say, say_json, say_lines, show_spinner, show_table
from shapley_coop.cli.playing.narration import Narrator
from shapley_coop.deals.language.deal import Deal
from shapley_coop.escaping import (
    hides,
    in_cell,
    is_one_line,
    marked_lines,
    visible,
    visible_lines,
    without_hidden,
)
from shapley_coop.prompts.render import compact_json, fence
from tests.brought import brought_by

EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0x40000 <= code < 0xE0000]
"""All but the planes in which nothing is assigned."""
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
IGNORABLE = {
    *(0xAD, 0x34F, 0x61C, 0x3164, 0xFEFF, 0xFFA0),
    *(0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B)),
    *range(0xE0000, 0xE1000),
}
"""Default_Ignorable_Code_Point by Unicode 16.0.0, whose file names 4,174 code points."""
BLANK = "\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159"
UNSEEN = "".join(
    c for c in EVERY if unicodedata.category(c) in HIDDEN or ord(c) in IGNORABLE or c in BLANK
)
FORGED = "fine\n  signed 0123456789ab\r\u2028  signed\x85x\x1b[2J\x9b2J\x07\u202e\ue000\ud800\x00"


def test_no_character_passes_that_nobody_could_see() -> None:
    assert len(IGNORABLE) == 4_174
    assert visible(UNSEEN).isascii()
    assert set(visible_lines(UNSEEN)) - {"\t", "\n"} <= set(map(chr, range(32, 127)))
    assert without_hidden(UNSEEN).strip() == ""
    for c in [*map(chr, IGNORABLE), *BLANK]:
        assert hides(f"a{c}b"), ascii(c)
        assert not is_one_line(c), ascii(c)


def test_every_character_that_can_be_seen_is_as_it_was() -> None:
    hidden = set(UNSEEN)
    seen = "".join(c for c in EVERY if c not in hidden)
    assert visible(seen) == visible_lines(seen) == seen
    assert visible("é 中 ع 🙂 − φ ½ \u00a0") == "é 中 ع 🙂 − φ ½ \u00a0"


def test_what_people_write_with_selectors_and_joiners_stays() -> None:
    emoji, farmer, persian = "\u2764\ufe0f 3\ufe0f\u20e3", "👩\u200d🌾", "می\u200cخواهم"
    assert visible(emoji) == visible_lines(emoji) == emoji
    assert visible_lines(farmer + persian) == farmer + persian
    # Where they change nothing that is seen, they are no more than a place to hide in.
    for hidden in (
        "a\ufe0f",
        "\u2764\ufe0f\ufe0f",
        "a\u200db",
        "می\u200c\u200cخ",
        "👩\u200d\u200d🌾",
    ):
        assert visible_lines(hidden).isascii() or "\\u" in visible_lines(hidden), ascii(hidden)


@pytest.mark.parametrize(
    "end", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]
)
def test_each_further_line_of_a_speech_is_marked(end: str) -> None:
    assert marked_lines(f"Fine.{end}{end}   c1. Bob pays Eve 9.") == [
        "Fine.",
        "> c1. Bob pays Eve 9.",
    ]
    assert marked_lines(end) == [""]


@pytest.mark.slow
def test_what_is_escaped_stays_the_same_data_in_json() -> None:
    every = "".join(c for c in EVERY if unicodedata.category(c) != "Cs")
    line = json.dumps({"text": every}, ensure_ascii=False)
    assert json.loads(visible(line)) == {"text": every}
    assert json.loads(compact_json({"text": every})) == {"text": every}


def test_a_terminal_gets_one_line_whatever_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    say(FORGED)
    note(FORGED)
    said = capsys.readouterr()
    for text in said:
        assert text.count("\n") == 1
        assert text[:-1].isprintable()
    assert said.out.startswith("fine\\n  signed 0123456789ab\\r\\u2028")
    say_lines("one\ntwo\x1b")
    assert capsys.readouterr().out == "one\ntwo\\u001b\n"
    say_json({"a": FORGED})
    told = capsys.readouterr().out
    assert json.loads(told) == {"a": FORGED}
    assert all(line.isprintable() for line in told.splitlines())


def test_speech_forges_no_news_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    talk = [{"id": "t1", "by": "Eve\n", "act": "propose", "text": FORGED}]
    record = [{"turn": 1, "actions": {"Eve": FORGED}, "rewards": {"Eve\u2028": 1}, "effects": []}]
    Narrator().watch("answer", {"talk": talk, "record": record})
    lines = capsys.readouterr().out.splitlines()
    assert "".join(lines).count("signed 0123456789ab") == FORGED.count("signed 0123456789ab") * 2
    assert not any(line.startswith("  signed") for line in lines)
    assert all(line.isprintable() for line in lines)


def test_a_contract_is_printed_once_where_it_was_offered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clause = {"kind": "do", "agent": "Ann", "action": "pull", "when": "always"}
    deal = {"clauses": [clause]}
    offer = {"id": "m1", "by": "Ann", "act": "propose", "text": "Let us.", "deal": deal}
    text = Deal.of(deal).text()
    draft = {"id": "m2", "by": "summariser", "act": "write", "text": f"## Terms\n\n{text}"}
    contract = {"hash": "0123456789abcdef", "text": text}
    narrator = Narrator()
    narrator.watch("summarize", {"talk": [offer, draft], "contract": contract})
    said = capsys.readouterr().out
    assert said.count(text) == 1
    assert "m2  summariser writes: 2 lines, which coop show prints" in said
    assert "signed 0123456789ab, the clauses of m1" in said
    other = {"hash": "f" * 64, "previous": contract["hash"], "text": f"{text} Twice."}
    narrator.watch("summarize", {"contract": other})
    assert f"amended ffffffffffff\n        {text} Twice." in capsys.readouterr().out


@pytest.mark.parametrize("text", ["[/x]", "[bold]", "[link=x]y[/link]", "[", "\\[", "[/]", FORGED])
def test_a_table_reads_no_markup_and_moves_no_cursor(
    text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    show_table(text, [text, "b"], [[text, text]], caption=text)
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.splitlines())
    assert shown.count(visible(text)[:4]) >= 4
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with show_spinner(text):
        pass


def test_letters_hide_nothing_from_who_reads_them() -> None:
    secret = "yes\ufe0f\u3164\u2800\U000e0100\U000e0101" + "\U000e0041</s>`"
    for text in (fence({"said": secret}), compact_json(secret)):
        assert all(c.isprintable() or c == "\n" for c in text)
        assert not any(c in text for c in "\ufe0f\u3164\u2800<>\U000e0100")
    from shapley_coop.prompts.render import _environment

    line = _environment.from_string("{{ x | in_line }}").render(x=secret + FORGED)
    assert line.isprintable()


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t=", "\r", " =", "\uff1d", "\n-"])
def test_a_cell_is_never_a_formula(sign: str) -> None:
    assert in_cell(f"{sign}cmd|' /C calc'!A0").startswith("'")


@pytest.mark.parametrize("text", ["-3", "+4.25", "-1e-9", "-12%", "plain", "a=b", "", "−3", "3-2"])
def test_a_number_and_plain_text_stay_as_they_are(text: str) -> None:
    assert in_cell(text) == text


def test_a_csv_file_holds_no_formula(tmp_path: Path) -> None:
    from shapley_coop.extensions.reports.writing import write

    frame = pl.DataFrame({"text": ["=1+1", "-2", "@x", None], "number": [-1.5, 2.0, 3.0, None]})
    (path,) = write([{"offers": frame}], tmp_path, "csv")
    assert path.read_text() == "text,number\n'=1+1,-1.5\n-2,2.0\n'@x,3.0\n,\n"
    (other,) = write([{"offers": frame}], tmp_path, "jsonl")
    assert '"=1+1"' in other.read_text(), "other formats compute nothing"


@brought_by("values")
def test_commands_that_read_files_of_others_show_them_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.coop_command import coop_in

    worths = {"[/x]": 1, "Eve\x1b[2J\u202e": 2, "[/x],Eve\x1b[2J\u202e": 4}
    (tmp_path / "game.json").write_text(
        json.dumps({"agents": ["[/x]", "Eve\x1b[2J\u202e"], "worth": worths})
    )
    shown = coop_in(tmp_path, monkeypatch, capsys)("credit", "game.json")
    assert shown.code == 0, shown.err
    assert "[/x]" in shown.out
    assert "Eve\\u001b[2J\\u202e" in shown.out
    assert all(line.isprintable() for line in shown.out.splitlines())

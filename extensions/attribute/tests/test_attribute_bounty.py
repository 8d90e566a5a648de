"""`coop attribute --bounty`: it is divided to the cent, and the agents' owners agree or not."""

from pathlib import Path

import pytest

from extensions.attribute.tests.test_attribute_cli import APP, GIVEN, coop
from shapley_coop import extension
from tests.coop_command import USAGE, Coop, one_line

__all__ = ["coop"]  # a fixture

pytest.importorskip("shapley_coop.extensions.bounty", reason="the extension bounty is not here")


def test_where_nobody_adds_to_the_score_the_table_is_shown_and_no_bounty_divided(
    coop: Coop, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(APP.replace('len(state["text"].split()) - 2', "1"))
    ended = coop(*GIVEN, "--input", "in.json", "--bounty", "100")
    assert ended.code == 2
    assert "search" in ended.out
    assert "--bounty 100 is not divided: no agent adds to the score" in ended.err


def test_a_bounty_is_divided_to_the_cent_and_bargained_over(coop: Coop) -> None:
    divided = coop(
        *GIVEN, "--input", "in.json", "--bounty", "100.01", "--currency", "EUR", "--json"
    )
    assert divided.result["bounty"]["amounts"] == {"search": "12.50", "write": "87.51"}
    bargained = coop(
        *GIVEN, "--input", "in.json", "--bounty", "100", "--bargain", "embedded:rational", "--json"
    ).result["bounty"]
    assert bargained["basis"] == "agreed"
    assert sum(map(float, bargained["amounts"].values())) == pytest.approx(100)
    assert any("speaks for nobody: search, write" in note for note in bargained["notes"])


def test_the_agents_owners_are_asked_as_those_of_commits_are(coop: Coop) -> None:
    asked = (*GIVEN, "--input", "in.json", "--bounty", "100", "--bargain", "human")
    bounty = coop(*asked, "--json").result["bounty"]
    assert (bounty["basis"], bounty["consent"]["waiting"]) == ("value", ["search", "write"])
    assert bounty["notes"][-1].endswith(f"coop answer {bounty['run']} search; then this again")
    for owner in ("search", "write"):
        coop("answer", bounty["run"], owner)
        assert not coop("answer", bounty["run"], owner, "<ACCEPT>").code
    bounty = coop(*asked, "--json").result["bounty"]
    assert (bounty["basis"], bounty["amounts"]) == ("agreed", {"search": "12.50", "write": "87.50"})
    assert "Agreed to this split: search, write." in bounty["notes"]


def test_a_bounty_pays_nobody_for_harm(coop: Coop, tmp_path: Path) -> None:
    worse = APP.replace(
        'return len(state["text"].split()) - 2',
        "return bool(state['text']) * (5 - 2 * ('owls' in state['text']))",
    )
    (tmp_path / "harm.py").write_text(worse, encoding="utf-8")
    given = ("attribute", "harm.py:graph", *GIVEN[2:5], "harm.py:score", "--input", "in.json")
    found = coop(*given, "--bounty", "50", "--json").result
    assert found["values"]["search"] < 0
    assert found["bounty"]["amounts"] == {"search": "0.00", "write": "50.00"}
    assert "search: the value is below 0" in found["bounty"]["notes"][0]


def test_a_bounty_without_values_says_why_and_shows_the_table(coop: Coop, tmp_path: Path) -> None:
    scored = "return 1 / len(state['facts'])"
    torn = APP.replace("fly", "{'fly'}").replace('return len(state["text"].split()) - 2', scored)
    (tmp_path / "torn.py").write_text(torn, encoding="utf-8")
    given = ("attribute", "torn.py:graph", *GIVEN[2:5], "torn.py:score", "--input", "in.json")
    ended = coop(*given, "--bounty", "100")
    assert ended.code == 2
    assert "write, input 1: failed: the score fails: ZeroDivisionError" in ended.out
    said = ended.err.splitlines()[-1]
    assert said == "coop: --bounty 100 is not divided: no values: the play of nobody has no score"


def test_a_currency_that_iso_4217_does_not_have_is_refused(coop: Coop) -> None:
    told = one_line(coop("attribute", "demo", "--bounty", "500", "--currency", "XXQ"), USAGE)
    assert told == "coop: the currency is 'XXQ': give a code of ISO 4217, such as EUR\n"


def test_without_the_extension_that_divides_a_bounty_nothing_is_played(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {name: one for name, one in extension.installed().items() if name != "bounty"}
    monkeypatch.setattr(extension, "installed", lambda: others)
    told = one_line(coop(*GIVEN, "--input", "in.json", "--bounty", "100"), USAGE)
    assert told == "coop: --bounty 100 needs the extension bounty: see coop list\n"


@pytest.mark.parametrize("option", [("--currency", "EUR"), ("--bargain", "human")])
def test_an_option_about_a_bounty_needs_one(coop: Coop, option: tuple[str, str]) -> None:
    told = one_line(coop(*GIVEN, "--input", "in.json", *option), USAGE)
    assert told == "coop: --currency and --bargain are about a bounty: add --bounty AMOUNT\n"

"""`coop settle-git`: what may be paid, to whom, and why; known answers on built histories."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from extensions.repository.tests.history_builder import Builder, build_large
from shapley_coop.extensions.bounty.schema import schema
from tests.coop_command import USAGE, Coop, one_line
from tests.root import ROOT

ADA, BOB, DORA = "Ada <ada@example.org>", "Bob <bob@example.org>", "Dora <dora@example.org>"
BEN, JO, KIM = "Ben <ben@example.org>", "Jo <jo@example.org>", "Kim <kim@example.org>"
PAGE = ROOT / "docs" / "settle-git.schema.json"


def program(n: int, word: str = "part") -> str:
    """Lines of a program that differ in more than numbers."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"{a}{b}" for a in letters for b in letters]
    return "".join(f"{word}_{name} = compute({name}, {name})\n" for name in names[:n])


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    built = Builder(tmp_path / "repo")
    built.commit("Write", ADA, a_dot_py=program(400))
    return built


def paid(coop: Coop, *more: str) -> dict[str, float]:
    """What each gets of 1,000."""
    found = coop("settle-git", "repo", "--bounty", "1000", "--dry-run", "--json", *more).result
    amounts = {name: one["amount"] for name, one in found["contributors"].items()}
    assert sum(map(Fraction, amounts.values())) == 1000
    return {name: float(amount) for name, amount in amounts.items()}


def test_a_bounty_is_split_to_the_last_cent_and_the_comment_names_it(
    coop: Coop, tmp_path: Path
) -> None:
    build_large(tmp_path / "large", commits=40)
    given = ("--bounty", "500", "--currency", "EUR", "--markdown", str(tmp_path / "comment.md"))
    found = coop("settle-git", str(tmp_path / "large"), *given, "--json").result
    amounts = [Fraction(one["amount"]) for one in found["contributors"].values()]
    assert len(amounts) > 1
    assert sum(amounts) == 500
    assert "500" in (tmp_path / "comment.md").read_text(encoding="utf-8")


def test_yen_are_paid_whole_and_euros_in_cents(coop: Coop, repo: Builder) -> None:
    repo.commit("Write more", DORA, b_dot_py="".join(f"other_{k} = {k} * 2\n" for k in range(7)))
    assert all(amount.is_integer() for amount in paid(coop, "--currency", "JPY").values())
    assert not all(amount.is_integer() for amount in paid(coop, "--currency", "EUR").values())
    given = ("--bounty", "240.29", "--currency", "JPY", "--dry-run")
    assert "has more than 0 decimals: round it" in coop("settle-git", "repo", *given).err


def test_a_currency_that_iso_4217_does_not_have_is_refused(coop: Coop, repo: Builder) -> None:
    told = one_line(coop("settle-git", "repo", "--bounty", "500", "--currency", "XXQ"), USAGE)
    assert told == "coop: the currency is 'XXQ': give a code of ISO 4217, such as EUR\n"


def test_a_typo_of_one_character_earns_next_to_nothing(coop: Coop, repo: Builder) -> None:
    repo.commit("fix: typo", DORA, a_dot_py=program(400).replace("part_aa", "part_a"))
    assert 0 < paid(coop)["Dora"] < 1


def test_two_hundred_lines_of_padding_under_the_word_fix_earn_next_to_nothing(
    coop: Coop, repo: Builder
) -> None:
    pad = "".join(f"padding_{k} = {k}\n" for k in range(200))
    repo.commit("Fix", DORA, a_dot_py=program(400) + pad)
    assert paid(coop)["Dora"] < 50
    notes = coop("settle-git", "repo", "--dry-run", "--json").result["notes"]
    assert any("said before (numbers aside): 180 lines of" in note for note in notes)


@pytest.mark.parametrize("line", ["We welcome all.", "Step {} of the plan."])
def test_a_document_that_repeats_itself_is_one_line(coop: Coop, repo: Builder, line: str) -> None:
    said = "".join(f"{line.format(n)}\n" for n in range(14))
    repo.commit("Words", DORA, b_dot_md=said)
    repeated = paid(coop)["Dora"]
    (repo.folder / "b.md").write_text(f"{line.format(1)}\n")
    repo.git("commit", "-aqm", "Once", "--amend", who=DORA)
    assert repeated == paid(coop)["Dora"] < 3
    repo.commit("More", DORA, b_dot_md=said, c_dot_py="equal_lines = of_padding\n" * 200)
    assert paid(coop)["Dora"] < 6


def test_a_few_lines_with_fixes_earn_less_than_a_thousand_lines(coop: Coop, repo: Builder) -> None:
    fixed = program(400).replace("part_aa = compute(aa, aa)", "whole = entirely_new")
    repo.commit("fix: it", DORA, a_dot_py=fixed + "more_than_before = 1\n")
    amounts = paid(coop)
    assert amounts["Dora"] < 15
    assert amounts["Ada"] > 950


def test_a_real_fix_earns_more_than_the_same_lines_written_anew(coop: Coop, repo: Builder) -> None:
    mended = program(400).replace("part_aa = compute(aa, aa)", "whole = entirely_new")
    repo.commit("fix: the sum", DORA, a_dot_py=mended)
    said = paid(coop)["Dora"]
    repo.git("commit", "--amend", "-q", "-m", "Rewrite")
    assert said > 3 * paid(coop)["Dora"] > 0


def test_models_and_bots_are_paid_nothing(coop: Coop, repo: Builder, tmp_path: Path) -> None:
    by_two = "Write\n\nCo-authored-by: Claude <noreply@anthropic.com>"
    repo.commit(by_two, BOB, b_dot_py=program(100, "other"))
    repo.commit("Bump", "dependabot[bot] <support@bots.example>", c_dot_py=program(90, "bump"))
    assert paid(coop) == {"Ada": 800.0, "Bob": 200.0}
    (tmp_path / "rules.yaml").write_text("ai_part: nobody\n")
    amounts = paid(coop, "--rules", "rules.yaml")
    assert amounts == {"Ada": 888.89, "Bob": 111.11}


def test_every_cent_is_accounted_for(coop: Coop, repo: Builder) -> None:
    repo.commit("Words", BOB, b_dot_md="One\nTwo\nThree\n")
    repo.commit("fix: it", DORA, a_dot_py=program(399) + "entirely_new = 1\n")
    asked = ("settle-git", "repo", "--bounty", "99.97", "--dry-run", "--explain")
    found = coop(*asked, "--json").result
    for name, one in found["contributors"].items():
        lines = [line for line in found["account"] if line["contributor"] == name]
        assert sum(Fraction(line["amount"]) for line in lines) == Fraction(one["amount"])
        assert all(line["commit"] for line in lines)
    assert {line["kind"] for line in found["account"]} == {"code", "documents", "fixes"}
    assert "for what it is paid" in coop(*asked).out


def test_a_dry_run_asks_nobody_and_leaves_no_run(coop: Coop, repo: Builder) -> None:
    repo.commit("More", BOB, b_dot_py=program(9, "more"))
    assert "Nobody was asked whether they agree." in coop("settle-git", "repo", "--dry-run").out
    assert "no runs" in coop("runs").out.lower() + coop("runs").err.lower()
    refused = coop("settle-git", "repo", "--dry-run", "--markdown", "c.md")
    assert "leave out --markdown, --serve" in one_line(refused, 2)
    nowhere = one_line(coop("settle-git", "repo", "--port", "8600"), 2)
    assert "--host and --port say where --serve listens: give --serve, too" in nowhere


def test_a_mailmap_moves_work_only_where_it_is_named(
    coop: Coop, repo: Builder, tmp_path: Path
) -> None:
    repo.write(".mailmap", "Dora <dora@example.org> <ada@example.org>\n")
    repo.commit("Mine now", DORA, d_dot_py=program(2, "own"))
    assert set(paid(coop)) == {"Ada", "Dora"}
    heeded = coop("settle-git", "repo", "--dry-run", "--mailmap", "repo/.mailmap", "--json").result
    assert set(heeded["contributors"]) == {"Dora"}
    assert any("gives the work of ada@example.org" in note for note in heeded["notes"])
    assert "cannot be read as a mailmap" in one_line(
        coop("settle-git", "repo", "--mailmap", "none"), 2
    )


def test_the_rules_and_weights_have_a_schema(tmp_path: Path) -> None:
    written = json.loads(PAGE.read_text(encoding="utf-8"))
    assert written == schema(), "python -m shapley_coop.extensions.bounty.schema > docs/…"
    rules = {"$ref": "#/$defs/Rules", "$defs": written["$defs"]}
    Draft202012Validator(rules).validate({"ai_part": "nobody", "line_worth": {"fixes": 2}})
    assert not Draft202012Validator(rules).is_valid({"ai_part": "everybody"})
    assert not Draft202012Validator(rules).is_valid({"unknown": 1})
    weights = {"$ref": "#/$defs/Weights", "$defs": written["$defs"]}
    Draft202012Validator(weights).validate({"code": [27, 40], "fixes": [15, 25]})
    assert not Draft202012Validator(weights).is_valid({"code": 27})


def test_everybody_who_committed_has_a_row_with_the_reason(coop: Coop, repo: Builder) -> None:
    repo.commit("fix: constrain pyjwt", JO, pyproject_dot_toml="[project]\n")
    repo.commit("ci: less", JO, _dot_github__workflows__x_dot_yml="on: push\n")
    repo.commit("Picture", BEN, logo_dot_png=b"\0\1")
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("Side", ADA, b_dot_py="side = of_ada\n")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side", who=KIM)
    report = coop("settle-git", "repo", "--dry-run", "--json").result
    assert report["uncounted"] == {
        "Jo": ["2 commits to configuration, which these rules do not count"],
        "Ben": ["1 commit to files of other kinds, which these rules do not count"],
        "Kim": ["1 merge"],
    }
    shown = coop("settle-git", "repo", "--dry-run").out
    assert "Kim: nothing for 1 merge" in shown
    assert "│ Jo " in shown
    coop("settle-git", "repo", "--markdown", "comment.md")
    assert "- Kim: nothing for 1 merge" in (repo.folder.parent / "comment.md").read_text()


def test_where_nobody_made_anything_the_refusal_says_why(coop: Coop, tmp_path: Path) -> None:
    built = Builder(tmp_path / "other")
    built.commit("Safe", JO, pyproject_dot_toml="[project]\n")
    told = coop("settle-git", "other", "--dry-run").err
    assert "; Jo: 1 commit to configuration, which these rules do not count" in told


def test_without_re2_the_line_that_installs_it_is_named(
    coop: Coop, repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    (repo.folder / "rules.yaml").write_text("vendored: ['**/read_by_no_other_test/**']\n")
    told = one_line(coop("settle-git", "repo", "--rules", "repo/rules.yaml"), USAGE)
    assert told.endswith('needs re2: pip install "shapley-coop[patterns]"\n')

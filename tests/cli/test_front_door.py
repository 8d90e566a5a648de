"""Finding, showing and removing runs; a second answer; failures in one line."""

import re
import sqlite3
from pathlib import Path

import pytest

from shapley_coop.cli.inspecting import runs
from shapley_coop.evals.transcripts.in_words import reckoning_lines
from shapley_coop.state.storage.home import home
from tests.brought import brought_by, with_all_extensions
from tests.coop_command import FAILED, USAGE, Coop, one_line, valid


def played(coop: Coop, name: str, *options: str, game: str = "escape_room") -> None:
    assert coop("run", game, "--name", name, "--graph", "negotiation", *options).code == 0


# Finding and removing


def test_runs_are_found_by_game_workflow_seed_and_outcome(coop: Coop) -> None:
    played(coop, "a", "--seed", "1")
    played(coop, "b", "--seed", "2", game="stag_hunt")
    coop("run", "escape_room", "--name", "c", "--graph", "llm_only", "--agent", "Alice=human")

    def names(*options: str) -> list[str]:
        return [run["run"] for run in coop("runs", "--json", *options).result]

    assert sorted(names()) == ["a", "b", "c"]
    assert names("--game", "stag") == ["b"]
    assert names("--graph", "llm_only") == ["c"]
    assert names("--seed", "1") == ["a"]
    assert names("--outcome", "waiting") == ["c"]
    listed = coop("runs", "--outcome", "waiting").out
    assert "c: waits for Alice: coop answer c Alice" in listed
    assert "waits for Alice" in coop("show", "c").out
    assert "--outcome never: choose from" in one_line(coop("runs", "--outcome", "never"), USAGE)
    assert coop("runs", "--game", "chess").out == "no run is like that\n"


def test_a_list_is_short_and_says_what_it_leaves_out(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        played(coop, name)
    monkeypatch.setattr(runs, "MOST", 2)
    for ended in (coop("runs", "--limit", "2"), coop("runs")):
        assert "1 older: coop runs --limit 0" in ended.err
        assert sum(f"│ {name} " in ended.out for name in "abc") == 2
    assert len(coop("runs", "--json").result) == 3
    assert len(coop("runs", "--json", "--limit", "2").result) == 2


def test_a_game_from_a_file_is_listed_under_its_own_name(coop: Coop) -> None:
    table = "name: Tug of war\nagents: [A, B]\nactions: {A: [x], B: [x]}\n"
    Path("t.yaml").write_text(table + "payoffs: [{play: [x, x], pays: ['1/4', 0]}]\n", "utf-8")
    outcome = valid(coop("run", "t.yaml", "--graph", "llm_only", "--json").result)
    assert outcome["run"].startswith("Tug_of_war-")
    assert outcome["rewards"] == {"A": 0.25, "B": 0}
    assert coop("runs", "--json").result[0]["game"] == "Tug of war"


def test_removed_runs_leave_no_letter_and_no_checkpoint_behind(coop: Coop) -> None:
    played(coop, "a")
    played(coop, "b")
    episode = home().runs.get("a").result["episode"]  # type: ignore[index]
    assert list(home().journal.entries(episode))
    assert coop("rm", "a").out == "removed a\n"
    assert [run["run"] for run in coop("runs", "--json").result] == ["b"]
    assert list(home().journal.entries(episode)) == []
    assert home().ledger.lines(episode), "what was paid stays in the ledger"
    with sqlite3.connect(home().checkpoints) as checkpoints:
        (left,) = checkpoints.execute(
            "SELECT count(*) FROM checkpoints WHERE thread_id = 'a'"
        ).fetchone()
    assert left == 0
    assert "there is no run 'a'" in one_line(coop("rm", "a"), USAGE)


def test_pruning_lists_before_it_removes(coop: Coop) -> None:
    played(coop, "a")
    assert "name the runs to remove" in one_line(coop("prune"), USAGE)
    assert coop("prune", "--older", "1").out == ""
    assert coop("prune", "--game", "escape_room").out == "would remove a\n"
    assert coop("prune", "--game", "escape_room", "--yes").out == "removed a\n"
    assert coop("runs", "--json").result == []


@brought_by("papers")
def test_a_demonstration_leaves_no_runs_behind(coop: Coop) -> None:
    played(coop, "mine")
    assert coop("demo", "--seeds", "1").code == 0
    assert [run["run"] for run in coop("runs", "--json").result] == ["mine"]


def test_the_name_of_a_run_is_a_plain_one(coop: Coop) -> None:
    for name in ("../x", "a b", "-x", "x" * 81):
        assert "cannot name a run" in one_line(coop("run", "escape_room", f"--name={name}"), USAGE)


# Showing


def test_a_run_is_shown_in_order_with_every_clause(coop: Coop) -> None:
    options = ("--graph", "shapley_coop", "--name", "r", "--seed", "3")
    coop("run", "escape_room", *options)
    shown = coop("show", "r").out
    steps = [
        "m1  Alice proposes → #1",
        "    c1. Alice does door at every turn.",
        "m2  Bob accepts #1",
        "\n  signed ",
        "turn 1  ",
        " Alice claims: ",
        "computed from the record: total",
        "Each of the 2 agents acted, in 1 turn.",
    ]
    assert [shown.index(step) for step in steps] == sorted(shown.index(step) for step in steps)


def test_computed_values_are_decimals_and_short_fractions_beside_them(coop: Coop) -> None:
    coop("run", "raid_battle", "--name", "raid")
    told = coop("show", "raid").out
    assert "shapley Hero1 21.8333 (131/6), Hero2 51.6667 (155/3), Hero3" in told
    assert list(
        reckoning_lines({"total": "1", "norm": "shapley", "values": {"CTO": "186400/3393"}})
    ) == ["computed from the record: total 1, shapley CTO 54.9366"]


def test_a_claim_without_words_is_told_by_the_part_that_it_claims(
    coop: Coop, script: dict[tuple[str, str], str]
) -> None:
    script["Alice", "claim"] = "<CLAIM>40%</CLAIM>"
    script["Bob", "claim"] = "<s>Some of it.</s><CLAIM>60%</CLAIM>"
    played = coop("run", "prisoners_dilemma", "--name", "r", "--rounds", "1")
    told = [line.split(maxsplit=1)[1] for line in played.out.splitlines() if " claims: " in line]
    assert told == ["Alice claims: 40 %", "Bob claims: Some of it."]
    assert "Alice claims: 40 %" in coop("show", "r").out
    assert "Alice claims: 40 %" in coop("show", "r", "--markdown").out
    events = coop("show", "r", "--json").result["events"]
    assert [event["part"] for event in events if "part" in event] == ["0.4", "0.6"]


def test_the_transcript_is_markdown_that_shows_speech_as_text(coop: Coop, script: object) -> None:
    script["Alice", "propose"] = "<s># Look **here**</s><PASS>"  # type: ignore[index]
    played(coop, "r", "--rounds", "1", "--tries", "1")
    text = coop("show", "r", "--markdown").out
    lines = text.splitlines()
    for part in ("# r", "## What happened", "## Transcript", "## Result"):
        assert part in lines
    assert "| Alice | embedded:rational |" in lines
    assert "**here**" not in text


def test_worths_of_coalitions_and_baselines_are_shown_on_request(coop: Coop) -> None:
    coop("run", "escape_room", "--name", "r", "--seed", "3")
    told = coop("show", "r", "--coalitions").out
    assert "W(∅), by agent: Alice 0, Bob 0" in told
    assert "Alice, Bob" in told
    found = coop("show", "r", "--coalitions", "--json").result["coalitions"]
    assert {tuple(one["members"]): one["worth"] for one in found["each"]}["Alice", "Bob"] == 9


def test_the_json_holds_the_negotiation(coop: Coop) -> None:
    events = valid(coop("run", "escape_room", "--seed", "3", "--json").result)["events"]
    assert [event["kind"] for event in events] == [
        *("said", "said", "said", "signed", "played", "said", "said", "settled")
    ]
    assert events[0]["deal"]["text"][0] == "c1. Alice does door at every turn."


# A person's answer


@brought_by("people")
def test_a_reply_to_a_letter_that_was_not_read_is_refused(coop: Coop) -> None:
    options = ("--graph", "llm_only", "--set", "rounds=2", "--name", "r", "--agent", "Alice=human")
    coop("run", "escape_room", *options)
    lever = ("answer", "r", "Alice", "<ACTION>lever</ACTION>")
    assert "has not read the waiting letter" in one_line(coop(*lever), USAGE)
    assert "Your move: turn 1" in coop("answer", "r", "Alice").out
    assert "Alice has answered, and is asked again" in coop(*lever).err
    assert "has not read the waiting letter" in one_line(coop(*lever), USAGE), (
        "the next letter is another"
    )
    coop("answer", "r", "Alice")
    refused = one_line(coop("answer", "r", "Alice", "<ACTION>fly</ACTION>"), USAGE)
    assert "not taken (ACTION)" in refused
    assert coop(*lever).code == 0
    assert valid(coop("resume", "r", "--json").result)["turns_played"] == 2


# Failures in one line


def test_a_home_that_cannot_be_used_is_told_in_one_line(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    (tmp_path / "rotten").mkdir()
    (tmp_path / "rotten" / "books.sqlite").write_text("no database " * 20, encoding="utf-8")
    for place, code in {"file": USAGE, "rotten": 1}.items():
        monkeypatch.setenv("COOP_HOME", place)
        for command in (("runs",), ("run", "escape_room")):
            told = one_line(coop(*command), code)
            assert place in told or "the database" in told
            assert "COOP_HOME" in told


def test_a_game_that_fails_says_where_and_is_marked_so(coop: Coop) -> None:
    assert coop("new", "game", "tug").code == 0
    file = Path("tug.py")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("left, rewards =", "1 / 0\n        left, rewards ="), "utf-8")
    told = one_line(coop("run", "tug.py", "--graph", "llm_only", "--name", "r", "--json"), FAILED)
    assert "tug.py, line " in told
    assert "in step: ZeroDivisionError: division by zero" in told
    assert "division by zero" in coop("runs", "--outcome", "failed").out


@brought_by("exchange")
@brought_by("page")
def test_a_taken_port_and_a_wrong_game_are_told_in_one_line(coop: Coop) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert "the port cannot be used" in one_line(coop("view", "--port", port), USAGE)
    told = one_line(coop("run", "escape_room", "--graph", "task_exchange"), USAGE)
    assert "task_exchange plays" in told
    assert "regular" not in (told := one_line(coop("run", "escape_room", "--deposit", "x"), USAGE))
    assert "deposit" in told
    assert "\\d" not in told


def test_a_refused_connection_names_the_url(coop: Coop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    url = "http://127.0.0.1:9/v1"
    seat = ("--model", "openai:x", "--base-url", url)
    told = one_line(coop("run", "escape_room", *seat, "--json"), FAILED)
    assert url in told
    assert "sk-canary" not in told


def test_a_misspelt_column_stops_a_sweep_before_its_first_run(coop: Coop) -> None:
    tables = "tables: [{title: T, columns: [welfair]}]\n"
    Path("s.yaml").write_text("name: s\nbase: {game: escape_room}\n" + tables, encoding="utf-8")
    told = one_line(coop("sweep", "s.yaml", "-o", "runs"), USAGE)
    assert "no measure 'welfair'" in told
    assert not Path("runs").exists()


def test_the_version_and_the_groups_of_commands(coop: Coop) -> None:
    assert coop("--version").out.startswith("shapley-coop ")
    shown = coop("--help").out
    for group in ("Play", "Check before you sign", "Credit and settle", "Experiment"):
        assert f"\n{group}:\n" in shown


@with_all_extensions
def test_the_first_help_lists_what_most_need_and_help_all_lists_every_command(coop: Coop) -> None:
    def listed(told: str) -> set[str]:
        return set(re.findall(r"^  ([a-z][\w-]*)  ", told, re.MULTILINE))

    first, every = listed(coop("--help").out), listed(coop("help", "--all").out)
    assert len(first) <= 24
    assert {"run", "verify", "credit", "attribute", "help"} <= first < every
    assert {"merge", "wev", "import"} <= every - first
    assert listed(coop("help").out) == first
    assert "coop help --all" in coop("--help").out
    assert coop("merge", "--help").code == 0, "what is not listed is there"


@with_all_extensions
def test_the_help_of_a_run_is_short_and_help_all_has_every_option(coop: Coop) -> None:
    short, every = coop("run", "--help").out, coop("run", "--help-all").out
    assert len(short.splitlines()) <= 66
    assert "--help-all" in short
    assert "--warm-cache" not in short
    assert {"--warm-cache", "--mandate", "--seed"} <= set(re.findall(r"--[\w-]+", every))


def test_pruned_runs_give_their_space_back_and_leave_no_lease(coop: Coop, tmp_path: Path) -> None:
    def size() -> int:
        files = (path for path in (tmp_path / "home").rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files)

    assert coop("run", "volunteers", "--name", "stays").code == 0
    leases = sorted((tmp_path / "home" / "leases").iterdir())
    for seed in range(6):
        asked = ("run", "prisoners_dilemma", "--graph", "contracts", "--name", f"goes-{seed}")
        assert coop(*asked, "--set", "rounds=8", "--seed", str(seed)).code == 0
    full = size()
    pruned = coop("prune", "--game", "prisoners_dilemma", "--yes")
    assert (pruned.code, pruned.out.count("removed goes-")) == (0, 6)
    assert re.search(r"the home is \d+\.\d MB smaller", pruned.err)
    assert size() < full / 2
    assert sorted((tmp_path / "home" / "leases").iterdir()) == leases
    assert coop("verify", "stays").code == 0

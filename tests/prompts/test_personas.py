"""What a user gives one agent or all letters: a persona of its own, prompts of one's own."""

import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.cli.options import personas_from
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts import check_pack, fingerprint, render, use_pack
from shapley_coop.state.home_files.kept import pack_of, persona_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import acting_for
from tests.root import ROOT
from tests.scripted import Script

PERSONA = "You are a miser from the north, and count every coin twice."
PROMPTS = ROOT / "prompts"


def room(**given: Any) -> RunConfig:
    return RunConfig.model_validate(given)


# Personas


async def test_a_persona_reaches_its_own_agents_letters_and_nothing_else(script: Script) -> None:
    outcome = await play("shapley_coop", room(personas={"Alice": PERSONA}))
    assert all(PERSONA in letter for letter in script.shown_to("Alice"))
    assert not any(PERSONA in letter for letter in script.shown_to("Bob"))
    run = home().runs.get(outcome["run"])
    table = await table_of(run)
    for public in (table, run.room, outcome):
        assert PERSONA not in json.dumps(public, default=str)
    assert table["settings"]["personas"]["Alice"].startswith("kept:")
    (kept,) = (home().folder / "personas").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


async def test_a_resolved_configuration_names_the_same_persona_again(script: Script) -> None:
    once = room(personas={"Alice": PERSONA}).resolve()
    assert once.resolve().personas == once.personas
    await play("llm_only", once)
    assert PERSONA in script.shown_to("Alice")[0]


def test_what_is_kept_for_one_owner_is_found_by_no_other(tmp_path: Path) -> None:
    folder = pack(tmp_path, act=own("act"))
    for owner in ("ann", "", "bob"):
        with acting_for(owner):
            mine = room(personas={"Alice": PERSONA}, prompts=folder).resolve()
            assert persona_of(mine.personas["Alice"]) == PERSONA
            assert pack_of(mine.prompts)
        for other in {"ann", "bob", "", "cem"} - {owner}:
            read = [(persona_of, mine.personas["Alice"])]
            if other == "cem":
                read.append((pack_of, mine.prompts))
            for one, name in read:
                with acting_for(other), pytest.raises(ValueError, match="cannot be read as a"):
                    one(name)


def test_a_persona_is_not_found_by_guessing_it() -> None:
    """Not by its plain hash, nor by what the same words are called in a run of one's own."""
    names = {hashlib.sha256(PERSONA.encode()).hexdigest()[:32]}
    for owner in ("ann", "bob", ""):
        with acting_for(owner):
            names.add(room(personas={"Alice": PERSONA}).resolve().personas["Alice"][5:])
    assert len(names) == 4


def test_a_persona_is_given_to_those_who_play() -> None:
    with pytest.raises(ValueError, match="a persona is given to Eve, who does not play: the"):
        room(personas={"Eve": PERSONA}).resolve()


def test_personas_are_read_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "alice.md"
    file.write_text(PERSONA, encoding="utf-8")
    given = personas_from([f"Alice=@{file}", "Bob=You like Alice = a lot."])
    assert given == {"Alice": PERSONA, "Bob": "You like Alice = a lot."}
    with pytest.raises(ValueError, match="--persona Alice: give NAME=text, or NAME=@file"):
        personas_from(["Alice"])
    with pytest.raises(ValueError, match="cannot be read as the text of --persona"):
        personas_from(["Alice=@gone.md"])


# Packs of prompts


def pack(folder: Path, **templates: str) -> str:
    for name, text in templates.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return str(folder)


def own(name: str) -> str:
    """A template of ours with a line of one's own before it."""
    return "In our own words.\n" + (PROMPTS / f"{name}.md").read_text(encoding="utf-8")


async def test_a_pack_takes_the_place_of_our_templates_and_its_hash_is_in_the_record(
    script: Script, tmp_path: Path
) -> None:
    folder = pack(tmp_path, act=own("act"), table=own("table"))
    outcome = await play("llm_only", room(prompts=folder))
    letters = script.shown_to("Alice")
    assert letters
    assert all(letter.count("In our own words.\n") == 2 for letter in letters)
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["settings"]["prompts"].startswith("kept:")
    assert folder not in json.dumps(table["settings"]), "no path is in the record"
    # What was read is kept: the folder may change, the run goes on with the same words.
    pack(tmp_path, act="gone")
    script.letters.clear()
    await play("llm_only", room(prompts=table["settings"]["prompts"]))
    assert script.shown_to("Alice") == letters
    await play("llm_only", RunConfig())
    assert "In our own words." not in script.shown_to("Alice")[-1]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("acts", "{{ legal }}", "acts.md is not a template: choose from act,  "),
        ("persona", "You are you.", "persona.md lacks "),
        ("persona", own("persona") + "{{ hash }}", "persona.md names hash: its variables are "),
        ("persona", "{{ you }} {{ private }} {% if %}", "persona.md, line 1: "),
    ],
)
def test_a_pack_whose_letters_would_say_less_or_fail_is_refused_in_one_line(
    name: str, text: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the text is compared below
        prepare("llm_only", room(prompts=pack(tmp_path, **{name: text})))
    assert str(refusal.value).startswith(complaint)
    assert "\n" not in str(refusal.value)
    assert home().runs.list() == []


def test_a_folder_without_templates_is_no_pack(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a prompt pack: give a folder"):
        room(prompts=str(tmp_path)).resolve()


def test_our_own_templates_are_a_pack() -> None:
    check_pack({path.stem: path.read_text(encoding="utf-8") for path in PROMPTS.glob("*.md")})


def test_a_trace_tells_letters_of_a_pack_from_ours() -> None:
    assert fingerprint({"act": own("act")}) != fingerprint() == fingerprint({})


def test_a_pack_cannot_reach_beyond_its_variables() -> None:
    reach = "{{ you.__class__.__mro__ }}"
    with use_pack({"persona": reach}), pytest.raises(Exception, match="unsafe"):
        render("persona", you="Alice", private="")


@pytest.mark.parametrize("name", ["kept:../secrets/x", "kept:" + "0" * 32])
def test_what_is_not_kept_here_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"is no name of what is kept|cannot be read as a pack"):
        prepare("llm_only", room(prompts=name))

"""docs/scenarios.md: its files load, its lists are what the code knows, its commands work."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from extensions.exchange.tests.written_kinds import kinds
from shapley_coop import extension, graphs
from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.extensions.exchange.domain.files import AtomEntry
from shapley_coop.extensions.exchange.measures import VARIANTS
from shapley_coop.games import load
from tests.brought import brought_by
from tests.coop_command import Coop, coop_in
from tests.root import ROOT

DOCS = ROOT / "docs"
TEXT, CONFERENCE = (DOCS / "scenarios.md").read_text(encoding="utf-8"), DOCS / "conference.yaml"
YAML, JSON, MESSAGE = (
    re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL) for kind in ("yaml", "json", "text")
)
COMMANDS = [
    command.partition("\n")
    for block in re.findall(r"```console\n\$ (.*?)```", TEXT, re.DOTALL)
    for command in block.split("\n$ ")
]
"""Each with what it prints, where the page shows it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with every file of the page in it."""
    for text in YAML:
        (tmp_path / text.partition("\n")[0].removeprefix("# ")).write_text(text)
    (tmp_path / CONFERENCE.name).write_text(CONFERENCE.read_text(encoding="utf-8"))
    names = ("tools.json", "data.json")
    for name, text in zip([*names, "message.txt"], [*JSON, *MESSAGE], strict=True):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_example_says_all_that_a_file_can_say_of_utilities(folder: Path) -> None:
    wedding = scenario(str(folder / "wedding.yaml"))
    assert wedding.tasks.agents == ["Ann", "Ben"]
    assert wedding.tasks.registry.describe(0b0100) == "Play music by title (title: Wedding March)."
    assert wedding.utility("Ann", 0b0001) == wedding.utility("Ben", 0b1100) == 1.0
    assert set(wedding.tools) == {atom.tool for atom in wedding.tasks.atoms}
    gains = wedding.micro({"Ann": 0b0001, "Ben": 0b1110})
    assert all(u > d for u, d in zip(gains, wedding.micro(wedding.tasks.initial), strict=True))


@brought_by("papers")
def test_the_records_are_what_the_page_says(folder: Path) -> None:
    told = {"records": str(folder / "data.json"), "ids": ["11", "12"]}
    tasks = load("task_exchange", told).tasks
    assert [tasks.initial[agent].bit_count() for agent in tasks.agents] == [2, 2]


def test_records_that_no_extension_reads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = extension.offered
    monkeypatch.setattr(extension, "offered", lambda k: {} if k == "records" else known(k))
    with pytest.raises(ValueError, match="no extension that reads TaskBench records"):
        load("task_exchange", {"records": "data.json"})


def test_the_page_tells_of_every_field_of_an_atom() -> None:
    """Those of a scenario are in the reference, which is made from them."""
    told = " ".join(TEXT.split()).partition("An atom is ")[2].partition("). ")[0]
    assert re.findall(r"`(\w+)`", told) == list(AtomEntry.model_fields)


def test_the_four_variants_are_listed() -> None:
    assert re.findall(r"^\| `(task_exchange\w*)` \|", TEXT, re.MULTILINE) == list(VARIANTS)
    assert set(VARIANTS) < set(graphs.names())


@pytest.mark.slow
@brought_by("papers")
def test_every_command_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    coop: Coop = coop_in(folder, monkeypatch, capsys)
    assert len(COMMANDS) >= 7
    for command, _, printed in COMMANDS:
        program, *arguments = shlex.split(command)
        ended = coop(*arguments)
        invalid = "validate" in command
        assert (program, ended.code) == ("coop", int(invalid)), f"{command}: {ended.err}"
        assert ended.out == printed if printed else ended.out


def test_every_scenario_of_the_page_is_as_its_schema_says() -> None:
    (kind,) = kinds()
    shown = [block for block in map(yaml.safe_load, YAML) if "initial" in block]
    assert shown
    for given in shown:
        # Editors read a date as the text that it is.
        Draft202012Validator(kind.schema).validate(json.loads(json.dumps(given, default=str)))

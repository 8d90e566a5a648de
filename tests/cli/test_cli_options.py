"""The options of `coop run` are the fields of `RunConfig`: nothing is said twice."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from shapley_coop.cli.playing.run_options import DECLARED_BY_RUN, ONE_OF, options_of
from shapley_coop.state.budget import Budget
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop

BY_FIELD = {option.name: option for option in options_of(RunConfig)}


def test_every_field_has_one_option() -> None:
    assert sorted([*BY_FIELD, *DECLARED_BY_RUN]) == sorted(RunConfig.model_fields)


@pytest.mark.parametrize("name", BY_FIELD)
def test_an_option_has_its_fields_name_help_and_bounds(name: str) -> None:
    option, field = BY_FIELD[name], RunConfig.model_fields[name]
    assert option.opts == [ONE_OF.get(name, "--" + name.replace("_", "-"))]
    assert option.help.startswith(field.description)
    for bound, shown in (("ge", option.min), ("le", option.max)):
        assert shown == next((getattr(m, bound) for m in field.metadata if hasattr(m, bound)), None)


class _Later(BaseModel):
    depth: int = Field(default=2, ge=1, le=9, description="How deep.")
    mode: Literal["a", "b"] = Field(default="a", description="Which.")
    loud: bool = Field(default=True, description="Whether it is heard.")
    most: Budget = Field(default=Budget(), description="Limits.")


def test_a_field_that_is_added_becomes_an_option() -> None:
    options = {option.name: option for option in options_of(_Later)}
    assert (options["depth"].min, options["depth"].max, options["depth"].default) == (1, 9, 2)
    assert options["loud"].secondary_opts == ["--no-loud"]
    assert "calls=N, tokens=N" in options["most"].help


def test_every_option_reaches_the_run(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Be brief.", encoding="utf-8")
    given = {
        "seed": 7, "rounds": 2, "tries": 4, "recall": 5, "norm": "equal", "deposit": "3",
        "enforcement": "escrow", "renegotiate": "every 2", "deadline": 9.0,
    }  # fmt: skip
    argv = [part for name, value in given.items() for part in (f"--{name}", str(value))]
    argv += ["--constraint", "cap=5", "--constraint", "tax=0.1", "--warm-cache"]
    argv += ["--budget", "calls=50,seconds=60", "--instructions", "@words.txt"]
    assert coop("run", "escape_room", "--name", "all", *argv).code == 0
    room = home().runs.get("all").room
    assert {name: room[name] for name in given} == given
    assert room["constraints"] == ["cap=5", "tax=0.1"]
    assert room["warm_cache"] is True
    assert (room["budget"]["calls"], room["budget"]["seconds"]) == (50, 60)
    assert room["instructions"] == "Be brief."


def test_without_options_a_run_has_the_fields_defaults(coop: Coop) -> None:
    assert coop("run", "escape_room", "--graph", "llm_only", "--name", "plain").code == 0
    assert home().runs.get("plain").room == RunConfig().resolve().model_dump(mode="json")


def test_the_list_of_commands_loads_no_model_library(coop: Coop, tmp_path: Path) -> None:
    told = "import sys; from shapley_coop import cli; sys.argv = ['coop', '--help']\n"
    told += "try: cli.main()\nexcept SystemExit: pass\n"
    told += "print([m for m in ('pydantic', 'langgraph', 'langchain_core') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "Usage: coop" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_run_of_embedded_agents_loads_no_provider(tmp_path: Path) -> None:
    told = "import sys; from shapley_coop import cli; sys.argv = ['coop', 'run', 'escape_room']\n"
    told += "try: cli.main()\nexcept SystemExit: pass\n"
    told += "print([m for m in ('openai', 'aiohttp', 'langchain_openai') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"

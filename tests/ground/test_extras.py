"""Without the library of an extra, each command that needs it names the line that installs it."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from shapley_coop.extras import LibraryMissing, is_installed, missing_library, require_extra
from shapley_coop.graphs.preparing import prepare
from tests.brought import brought_by, with_all_extensions
from tests.coop_command import Coop, Ended, one_line
from tests.ground.extra_commands import COMMANDS, LIBRARIES, SET
from tests.root import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
OURS = sorted(set(PROJECT["optional-dependencies"]) - {"all", "test"})

SUITE = """
name: s
base: {game: escape_room, graph: llm_only}
seeds: 2
figures: [{kind: payoffs, title: Payoffs}]
"""
IBANS = ("DE89370400440532013000", "FR1420041010050500013M02606", "GB82WEST12345698765432")


EACH = """
import contextlib, io, json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))
from shapley_coop.cli import main

ended = []
for argv in json.loads(sys.argv[2]):
    sys.argv, out, err = ["coop", *argv], io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as leaving:
            ended.append([leaving.code or 0, out.getvalue(), err.getvalue()])
print(json.dumps(ended))
"""
"""Without libraries, commands one after the other: a process each would import the rest anew."""


@pytest.fixture
def each_without(tmp_path: Path) -> Callable[..., list[Ended]]:
    """How commands end in a process of their own, in which libraries are absent."""

    def run(libraries: tuple[str, ...], argvs: list[tuple[str, ...]], **more: str) -> list[Ended]:
        done = subprocess.run(
            [sys.executable, "-c", EACH, json.dumps(libraries), json.dumps(argvs)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | more,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [Ended(*ended) for ended in json.loads(done.stdout)]

    return run


@pytest.fixture
def without(each_without: Callable[..., list[Ended]]) -> Callable[..., Ended]:
    """How one command ends where libraries are absent."""

    def run(libraries: tuple[str, ...], *argv: str, **more: str) -> Ended:
        (ended,) = each_without(libraries, [argv], **more)
        return ended

    return run


def prepared(coop: Coop, folder: Path) -> None:
    """What the commands find: a project's folder, a key, a suite, an ended run and one begun."""
    (folder / "langgraph.json").write_text("{}")
    accounts = {
        who: {"name": who, "iban": x} for who, x in zip(("world", "Ann", "Ben"), IBANS, strict=True)
    }
    (folder / "iban.yaml").write_text(yaml.safe_dump(accounts))
    delivered = {
        "artefacts": {"Ann": {"code": 3}, "Ben": {"code": 1}},
        "bounty": 100,
        "currency": "EUR",
    }
    (folder / "params.yaml").write_text(yaml.safe_dump(delivered))
    settled = ("delivered", "--graph", "settlement", "--params", "params.yaml")
    game = settled if (ROOT / "extensions/bounty").is_dir() else ("escape_room",)
    assert coop("run", *game, "--name", "r").code == 0
    assert coop("keys", "new", "bob").code == 0
    (folder / "suite.yaml").write_text(SUITE)
    generated = {"scenario": "generated", "additive": True}
    (folder / "many.yaml").write_text(yaml.safe_dump(generated))
    task = yaml.safe_load((ROOT / "extensions/company/tasks/bmi.yaml").read_text("utf-8"))
    task["checks"][-1]["prints"] = "a+"
    (folder / "prints.yaml").write_text(yaml.safe_dump({"task": task}))
    worths = {"agents": ["A", "B"], "worth": {"A": 0, "B": 0, "A,B": 9}}
    (folder / "worths.json").write_text(json.dumps(worths))
    prepare("llm_only", {"game": "escape_room"}, "begun")


def test_the_libraries_and_commands_of_every_extra_are_known() -> None:
    assert sorted(LIBRARIES) == sorted(COMMANDS) == OURS


@with_all_extensions
@pytest.mark.parametrize(
    "extra", [pytest.param(x, marks=[] if x == "keys" else pytest.mark.slow) for x in OURS]
)
def test_each_command_names_the_extra_whose_library_is_absent(
    coop: Coop, each_without: Callable[..., list[Ended]], tmp_path: Path, extra: str
) -> None:
    prepared(coop, tmp_path)
    before = sorted(tmp_path.rglob("*.xml"))
    if extra == "reports":
        assert coop("sweep", "escape_room", "--seeds", "2", "--out", "swept").code == 0
    argvs = [argv for argv, _ in COMMANDS[extra]]
    ended = each_without(LIBRARIES[extra], argvs, **SET.get(extra, {}))
    for (_, begins), one in zip(COMMANDS[extra], ended, strict=True):
        line = one_line(one, code=2).strip()
        assert begins in line
        assert line.endswith(f'pip install "shapley-coop[{extra}]"')
    assert sorted(tmp_path.rglob("*.xml")) == before


@brought_by("server")
@pytest.mark.parametrize("library", ["langgraph_cli", "langgraph_api"])
def test_each_half_of_langgraphs_server_is_named_where_it_is_absent(
    coop: Coop, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    line = one_line(coop("dev"), code=2).strip()
    assert line == f'coop: coop dev needs {library}: pip install "shapley-coop[dev]"'


@brought_by("page")
@brought_by("reports")
def test_a_report_without_its_library_has_its_figures_as_svg_and_says_what_png_needs(
    coop: Coop, without: Callable[..., Ended], tmp_path: Path
) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE)
    assert coop("sweep", "suite.yaml", "--out", "swept").code == 0
    done = without(LIBRARIES["figures"], "report", "swept", "-o", "r.html", "--figures", "drawn")
    assert done.code == 0
    line = 'no PNG: a figure as PNG needs resvg_py: pip install "shapley-coop[figures]"'
    assert line in done.err
    assert {one.suffix for one in (tmp_path / "drawn").iterdir()} == {".svg"}


@with_all_extensions
def test_a_run_is_credited_without_a_solver_and_says_which_norm_is_not_compared(
    coop: Coop, each_without: Callable[..., list[Ended]], tmp_path: Path
) -> None:
    assert coop("run", "escape_room", "--name", "r").code == 0
    line = 'the nucleolus needs scipy: pip install "shapley-coop[nucleolus]"'
    commands = [("credit", "r"), ("report", "r", "-o", "r.json")]
    shown, reported = each_without(("scipy",), commands)
    assert f"not compared: {line}" in shown.out
    assert reported.code == 0
    credit = json.loads((tmp_path / "r.json").read_text("utf-8"))["credit"]
    assert [one["norm"] for one in credit["norms"]] == [
        *("Shapley value", "proportional split", "equal split")
    ]
    assert credit["not_compared"] == [line]


@pytest.mark.slow
def test_a_provider_of_langchain_whose_package_is_absent_is_named_with_its_line(
    without: Callable[..., Ended],
) -> None:
    done = without(
        ("langchain_groq",), "run", "escape_room", "--agent", "Bob=groq:x", GROQ_API_KEY="none"
    )
    line = one_line(done, code=2).strip()
    assert line.endswith("groq:x needs langchain-groq: pip install langchain-groq")


def test_a_seat_whose_library_is_gone_when_it_is_asked_says_so(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "lacking.py").write_text(
        "from shapley_coop.extras import require_extra\n"
        "def bot(agent, seed):\n"
        "    def answer(facts, words):\n"
        "        with require_extra('negmas', 'it'):\n"
        "            import no_such_library\n"
        "    return answer\n"
    )
    done = coop("run", "escape_room", "--agent", "Bob=python:lacking:bot")
    assert done.code == 1
    assert 'it needs no_such_library: pip install "shapley-coop[negmas]"' in done.err


def test_a_library_that_lacks_what_is_imported_is_named_and_our_own_fault_is_not() -> None:
    line = 'it needs json: pip install "shapley-coop[keys]"'
    with pytest.raises(LibraryMissing, match=re.escape(line)), require_extra("keys", "it"):
        importing("from json import no_such_name")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), require_extra("keys", "it"):
        importing("import shapley_coop.no_such_module")
    assert str(missing_library("it", "that")) == "it needs that: pip install that"
    assert (is_installed("json"), is_installed("no_such_library")) == (True, False)


def importing(line: str) -> None:
    exec(line, {})


@with_all_extensions
def test_every_module_is_imported_without_any_extra_or_names_the_one_that_it_needs(
    tmp_path: Path,
) -> None:
    names = [name for name, _ in modules()]
    absent = sorted({library for each in LIBRARIES.values() for library in each})
    script = tmp_path / "walk.py"
    script.write_text(
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({absent!r}))\n"
        "from importlib import import_module\n"
        f"for name in {names!r}:\n"
        "    try:\n"
        "        import_module(name)\n"
        "    except Exception as error:\n"
        "        print(name, type(error).__name__, error)\n"
    )
    walked = [sys.executable, str(script)]
    done = subprocess.run(walked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    app = "shapley_coop.extensions.server.app"
    assert any(line.startswith(f"{app} LibraryMissing ") for line in told)
    advice = r'"shapley-coop\[\w+\]"|openenv|verifiers'
    form = re.compile(rf"\S+ LibraryMissing .+ needs \w+: pip install (?:{advice})")
    assert [line for line in told if not form.fullmatch(line)] == []


def modules() -> list[tuple[str, Path]]:
    """Every module of the package, but those that play at being a program."""
    rooms = [path for path in (ROOT / "shapley_coop").iterdir() if path.is_symlink()]
    found = [*(ROOT / "shapley_coop").glob("*.py")]
    found += [path for room in rooms for path in room.resolve().rglob("*.py")]
    return [
        (module_name(path.relative_to(ROOT)), path)
        for path in sorted(found)
        if path.stem != "__main__" and "tests" not in path.relative_to(ROOT).parts
    ]


def module_name(path: Path) -> str:
    inside = [
        part for part in path.with_suffix("").parts if part not in ("__init__", "shapley_coop")
    ]
    return ".".join(["shapley_coop", *inside])

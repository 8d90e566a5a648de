"""Repositories that would decide who is paid, block a settlement, or take any amount of memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from extensions.repository.tests.history_builder import ADA, ENV, EVE, LINES, Builder, repo
from shapley_coop.extensions.repository import standing
from shapley_coop.extensions.repository.git import RepositoryError
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.games import load

__all__ = ["repo"]

pytestmark = pytest.mark.slow


def code(repo: Builder, **how: bool) -> dict[str, int]:
    found = read_history(repo.folder, **how).artefacts()  # type: ignore[arg-type]
    return {who: int(made["code"]) for who, made in found.items()}


@pytest.mark.parametrize("attribute", ["-diff", "binary", "-text diff=x"])
def test_attributes_beside_the_history_decide_nothing(repo: Builder, attribute: str) -> None:
    repo.commit("Eve's", EVE, b_dot_py="b = 1\n")
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/attributes").write_text(f"a.py {attribute}\n")
    assert code(repo) == {"Ada": 10, "Eve": 1}


@pytest.mark.parametrize(
    "setting", ["core.bigFileThreshold=1", "pack.packSizeLimit=1", "diff.algorithm=patience"]
)
def test_what_the_repository_configures_decides_nothing(repo: Builder, setting: str) -> None:
    repo.commit("Eve's", EVE, b_dot_py="b = 1\n")
    repo.git("config", *setting.split("="))
    assert code(repo) == {"Ada": 10, "Eve": 1}


def test_a_forged_index_passes_no_object_off_as_another(repo: Builder) -> None:
    """The index says where in the pack an object is; two of one length are swapped."""
    repo.write("a.py", LINES.replace("value", "stole"))
    mine = repo.git("rev-parse", "HEAD:a.py")
    forged = repo.git("hash-object", "-w", "a.py")
    objects = repo.folder / ".git/objects"
    hers = objects / forged[:2] / forged[2:]
    target = objects / mine[:2] / mine[2:]
    target.chmod(0o644)
    target.write_bytes(hers.read_bytes())
    with pytest.raises(RepositoryError):
        read_history(repo.folder)


def test_a_mailmap_that_moves_work_is_shown_and_needs_consent(repo: Builder) -> None:
    stolen = "Eve <eve@example.org> <ada@example.org>\n"
    repo.commit("Be kind to readers", EVE, _dot_mailmap=stolen, b_dot_py="b = 1\n")
    history = read_history(repo.folder)
    assert {who: made["code"] for who, made in history.artefacts().items()} == {"Ada": 10, "Eve": 1}
    told = "the .mailmap would give the work of ada@example.org in 1 commit to Eve"
    assert told in " ".join(history.notes)
    assert code(repo, mailmap=True) == {"Eve": 11}
    heeded = read_history(repo.folder, mailmap=True).notes
    assert "gives the work of ada@example.org in 1 commit to Eve" in " ".join(heeded)


def test_more_files_with_a_history_than_can_be_followed_are_refused(
    repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(2):
        repo.commit("More", EVE, b_dot_py=f"b = {n}\n", c_dot_py=f"c = {n}\n")
    monkeypatch.setattr(standing, "MOST_BLAMED", 2)
    assert code(repo)["Eve"] == 2
    monkeypatch.setattr(standing, "MOST_BLAMED", 1)
    with pytest.raises(RepositoryError, match="settle a shorter --range"):
        read_history(repo.folder)


def test_neither_an_empty_commit_nor_a_trailer_renames_anybody(repo: Builder) -> None:
    repo.commit("Nothing", "Eve <ada@example.org>")
    repo.commit("Pair\n\nCo-authored-by: Eve <ada@example.org>", "Bob <b@example.org>", b_dot_py="")
    assert code(repo) == {"Ada": 10}
    repo.commit("Marry", "Ada Lovelace <ada@example.org>", c_dot_py="c = 1\n")
    assert code(repo) == {"Ada Lovelace": 11}


@pytest.mark.parametrize(
    "name",
    [
        "pot",
        "world",
        "escrow",
        "treasury",
        "everyone",
        "*",
        "summariser",
        "judge",
        "\u200b",
        "\u0410da",
    ],
)
def test_a_name_that_is_reserved_keeps_nobody_from_being_paid(repo: Builder, name: str) -> None:
    repo.commit("Block", f"{name} <eve@example.org>", b_dot_py="b = 1\n")
    history = read_history(repo.folder)
    assert sum(made["code"] for made in history.artefacts().values()) == 11
    made = {name: {"code": 1} for name in history.artefacts()}
    game = load("delivered", {"artefacts": made})
    assert [agent for agent in game.agents if "eve@example.org" in agent]


def peak(folder: Path) -> tuple[str, int]:
    """What came of reading it, and the most memory of any git or of ours, in bytes."""
    program = (
        "import json, pathlib, re, resource, sys\n"
        "from shapley_coop.extensions.repository.git import RepositoryError\n"
        "from shapley_coop.extensions.repository.history import read_history\n"
        "try:\n    said = str(read_history(sys.argv[1]).artefacts())\n"
        "except RepositoryError as error:\n    said = f'refused: {error}'\n"
        # What a process has used counts, for the kernel, what its parent used before it began.
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "own = int(re.search(r'VmHWM:\\s+(\\d+)', status)[1])\n"
        "most = max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, own)\n"
        "print(json.dumps([said, most << 10]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, check=True, text=True
    )
    said, most = json.loads(done.stdout)
    return said, most


def test_a_small_pack_that_holds_a_large_file_of_nothing_is_refused(
    repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("Bomb", EVE, b_dot_py=bytes(200 << 20))
    assert sum(file.stat().st_size for file in repo.folder.glob(".git/objects/**/*")) < 1 << 20
    assert code(repo) == {"Ada": 10}, "within the bound it is data"
    monkeypatch.setattr("shapley_coop.extensions.repository.git.MEMORY", 128 << 20)
    with pytest.raises(RepositoryError, match="more than 128 MB of memory; settle a --range"):
        read_history(repo.folder)


def test_trees_that_are_nested_to_hold_any_number_of_files_are_refused(tmp_path: Path) -> None:
    repo = Builder(tmp_path / "bomb")
    made = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=repo.folder,
        env=ENV,
        input=b"a = 1\n",
        capture_output=True,
        check=True,
    )
    entry = f"100644 blob {made.stdout.decode().strip()}"
    for _ in range(9):
        listing = "".join(f"{entry}\t{n}.py\n" for n in range(10)).encode()
        tree = subprocess.run(
            ["git", "mktree"],
            cwd=repo.folder,
            env=ENV,
            input=listing,
            capture_output=True,
            check=True,
        )
        entry = f"040000 tree {tree.stdout.decode().strip()}"
    tip = repo.git("commit-tree", "-m", "bomb", entry.split()[-1])
    repo.git("update-ref", "refs/heads/main", tip)
    said, most = peak(repo.folder)
    assert said.startswith("refused: ")
    assert most < 1200 << 20, "a thousand million files were not held"


def test_a_history_larger_than_the_bound_is_refused_in_one_line(
    repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.repository.fresh.LARGEST_PACK", 100)
    with pytest.raises(RepositoryError, match="the most that can be read") as caught:
        read_history(repo.folder)
    assert "\n" not in str(caught.value)


def test_a_commit_larger_than_the_bound_is_refused_in_one_line(
    repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.repository.log.LARGEST_RECORD", 200)
    with pytest.raises(RepositoryError, match="is too large to read"):
        read_history(repo.folder)


def test_a_git_that_runs_out_of_its_memory_says_what_would_help(
    repo: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.repository.git.MEMORY", 24 << 20)
    repo.commit("Large", ADA, b_dot_py="".join(f"b{n} = {n}\n" for n in range(600_000)))
    with pytest.raises(RepositoryError, match="more than 24 MB of memory; settle a --range"):
        read_history(repo.folder)

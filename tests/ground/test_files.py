"""Reading what people wrote: a fault is one line with the path; private files stay private."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from shapley_coop import files
from shapley_coop.files import read_data, read_json, read_mapping, read_text
from shapley_coop.games.files import read_file
from shapley_coop.invalid import first_error
from tests.root import ROOT

SECRET = "reservation value 41"
_MERGED = "\n".join(
    ["reservation value 41: &m0 {a: 1}"]
    + [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}" for n in range(1, 31)]
).encode()
"""Thirty lines that ask for 10^30 pairs."""
_REPEATED = "\n".join(
    ["a: &a [reservation value 41, 2, 3, 4, 5, 6, 7, 8, 9]"]
    + [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghij")]
).encode()
"""Ten lines that ask for 9^10 values."""
_LONG = f"a: &a {SECRET * 500}\nb: [{','.join(['*a'] * 1000)}]".encode()
"""A text that is repeated a thousand times."""

FAULTS = [
    ("torn.json", b'{"a": "reservation value 41', "Unterminated string"),
    ("twice.json", b'{"reservation value 41": 1, "reservation value 41": 2}', "occurs twice"),
    ("nan.json", b'{"a": NaN, "b": "reservation value 41"}', "NaN is not a number"),
    ("deep.json", b"[" * 100_000, "nested too deeply"),
    ("torn.yaml", b"a: [reservation value 41\nb: }", "it is no YAML (line 2): expected ',' or ']'"),
    ("code.yaml", b"!!python/object/apply:os.getcwd [reservation value 41]", "constructor"),
    ("merged.yaml", _MERGED, "its aliases repeat more than"),
    ("repeated.yaml", _REPEATED, "its aliases repeat more than"),
    ("long.yaml", _LONG, "its aliases repeat more than"),
    (
        "endless.yaml",
        b"reservation value 41: &a [*a]",
        "an alias is inside the value that it repeats",
    ),
    ("latin.yaml", "Zoë: reservation value 41".encode("latin-1"), "decoded as UTF-8"),
    ("absent.yaml", None, "No such file"),
]


@pytest.fixture(params=FAULTS, ids=lambda fault: fault[0])
def faulty(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    name, content, reason = request.param
    if content is not None:
        (tmp_path / name).write_bytes(content)
    return tmp_path / name, reason


class _OwnError(ValueError):
    pass


def test_a_fault_is_one_line_with_path_kind_and_reason(faulty: tuple[Path, str]) -> None:
    path, reason = faulty
    with pytest.raises(_OwnError) as refused:
        read_data(path, "a game", problem=_OwnError)
    said = str(refused.value)
    assert said.startswith(f"{path}: cannot be read as a game: ")
    assert reason in said
    assert "\n" not in said


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a file without an end")
@pytest.mark.parametrize("read", [read_text, read_data, read_json, read_file])
def test_a_file_without_an_end_is_read_to_the_bound(
    read: Callable[[str, str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    with pytest.raises(ValueError, match="a game: it has more than 1 MB") as refused:
        read("/dev/zero", "a game")
    assert "\n" not in str(refused.value)


def test_merged_keys_of_usual_size_are_merged(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: &a {x: 1}\nb: {<<: *a, y: 2}\n", encoding="utf-8")
    assert read_data(tmp_path / "a.yaml", "a game")["b"] == {"x": 1, "y": 2}


def test_aliases_of_usual_size_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: &a [1, 2]\nb: *a\nc: [*a, *a]\n", encoding="utf-8")
    assert read_data(tmp_path / "a.yaml", "a game")["c"] == [[1, 2], [1, 2]]


def test_all_yaml_is_read_by_the_one_reader_that_has_bounds() -> None:
    """Whatever reads YAML otherwise can be asked for more than there is memory."""
    others = re.compile(r"yaml\.(\w*load\w*|\w*Loader)\b|(YAML|safe_load)\(")
    house = "cli credit deals evals games graphs nodes prompts seats serve shapley_coop state"
    found = {
        str(path.relative_to(ROOT))
        for folder in house.split()
        for path in (ROOT / folder).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if others.search(line)
    }
    assert found == {"shapley_coop/files.py"}


def test_a_private_file_is_not_quoted(faulty: tuple[Path, str]) -> None:
    path, _ = faulty
    with pytest.raises(ValueError, match="cannot be read as secrets") as refused:
        read_data(path, "secrets", private=True)
    assert SECRET not in str(refused.value)


def test_a_private_files_fault_is_found_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "secrets.yaml").write_text(f"Ann: {SECRET}\nBen: [", encoding="utf-8")
    with pytest.raises(ValueError, match=r"it is no YAML \(line 2\)"):
        read_data(tmp_path / "secrets.yaml", "secrets", private=True)


def test_json_is_read_as_json_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "record").write_text('\ufeff{"a": 1}', encoding="utf-8")
    assert read_json(tmp_path / "record", "a record") == {"a": 1}
    (tmp_path / "record").write_text("a: 1", encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be read as a record: Expecting value"):
        read_json(tmp_path / "record", "a record")


def test_a_mapping_is_needed_where_one_is_asked_for(tmp_path: Path) -> None:
    for text in ("- 1", "", "words"):
        (tmp_path / "file.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"file\.yaml: holds no suite: give name"):
            read_mapping(tmp_path / "file.yaml", "a suite", "give name")


def test_a_folder_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read as a letter: Is a directory"):
        read_text(tmp_path, "a letter")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")

    parts: list[int] = []

    @field_validator("parts")
    @classmethod
    def _few(cls, parts: list[int]) -> list[int]:
        if len(parts) > 2:
            raise ValueError("two at most")
        return parts


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ({"parts": [1, 2, 3]}, "parts: two at most"),
        ({"parts": [1, "x"]}, "parts.1: it has to be a whole number"),
        ({"whole": 1}, "there is no setting 'whole'"),
        (7, "it has to be a mapping, as in {key: value}"),
    ],
)
def test_the_first_error_is_one_line(content: object, line: str) -> None:
    with pytest.raises(ValidationError) as refused:
        _Model.model_validate(content)
    assert str(first_error(refused.value)).startswith(line)

"""Reading what people wrote: a fault is one line with the path; private files stay private."""

import doctest
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from shapley_coop import files
from shapley_coop.files import first_error, read_data, read_json, read_mapping, read_text

SECRET = "reservation value 41"
FAULTS = [
    ("torn.json", b'{"a": "reservation value 41', "Unterminated string"),
    ("twice.json", b'{"reservation value 41": 1, "reservation value 41": 2}', "occurs twice"),
    ("nan.json", b'{"a": NaN, "b": "reservation value 41"}', "NaN is not a number"),
    ("deep.json", b"[" * 100_000, "nested too deeply"),
    ("torn.yaml", b"a: [reservation value 41\nb: }", "while parsing"),
    ("code.yaml", b"!!python/object/apply:os.getcwd [reservation value 41]", "constructor"),
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
        ({"parts": [1, "x"]}, "parts.1: Input should be a valid integer"),
        ({"whole": 1}, "there is no setting 'whole'"),
        (7, "Input should be a valid dictionary or instance of _Model"),
    ],
)
def test_the_first_error_is_one_line(content: object, line: str) -> None:
    with pytest.raises(ValidationError) as refused:
        _Model.model_validate(content)
    assert str(first_error(refused.value)).startswith(line)


def test_the_example_runs() -> None:
    assert doctest.testmod(files).failed == 0

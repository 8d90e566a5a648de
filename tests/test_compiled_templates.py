"""Templates are compiled once for all processes, and never those of other texts or settings."""

import os
import sys
from pathlib import Path

import jinja2
import pytest

from shapley_coop.prompts.compiled import compiled_beside

TEXTS = {"greeting": "Dear {{ name }},\n", "end": "Yours"}


def environment(**settings: bool) -> jinja2.Environment:
    return jinja2.Environment(autoescape=False, keep_trailing_newline=True, **settings)


@pytest.fixture
def keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are compiled."""
    compiled: list[str] = []
    compile_one = jinja2.Environment.compile

    def noted(self: jinja2.Environment, text: str) -> object:
        compiled.append(text)
        return compile_one(self, text)

    monkeypatch.setattr(jinja2.Environment, "compile", noted)
    return compiled


def filled(codes: dict[str, object]) -> str:
    template = jinja2.Template.from_code(environment(), codes["greeting"], {})  # type: ignore[arg-type]
    return template.render(name="Alice")


@pytest.mark.usefixtures("keeps")
def test_they_are_compiled_once(tmp_path: Path, compiles: list[str]) -> None:
    for _ in range(2):
        assert filled({**compiled_beside(tmp_path, environment(), TEXTS)}) == "Dear Alice,\n"
        assert sorted(compiles) == sorted(TEXTS.values())


@pytest.mark.usefixtures("keeps")
@pytest.mark.parametrize("changed", ["text", "settings", "damaged", "cut"])
def test_what_is_kept_of_another_source_is_not_taken(
    tmp_path: Path, compiles: list[str], changed: str
) -> None:
    compiled_beside(tmp_path, environment(), TEXTS)
    (kept,) = (tmp_path / "__pycache__").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes({"damaged": b"no code", "cut": whole[:-9]}.get(changed, whole))
    compiles.clear()
    texts = {**TEXTS, "greeting": "Hello {{ name }}\n"} if changed == "text" else TEXTS
    codes = compiled_beside(tmp_path, environment(trim_blocks=changed == "settings"), texts)
    assert filled({**codes}) == ("Hello Alice\n" if changed == "text" else "Dear Alice,\n")
    assert len(compiles) == len(TEXTS)


def test_nothing_is_compiled_in_vain_where_nothing_is_kept(
    tmp_path: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert compiled_beside(tmp_path, environment(), TEXTS) == {}
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert compiled_beside(tmp_path, environment(), TEXTS) == {}
    assert not compiles
    assert not [*tmp_path.iterdir()]

"""What is made from the code is what the code says now, and the schemas say what is read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from shapley_coop.games import load
from tests.brought import with_all_extensions
from tests.console_pages import PLAYED
from tests.root import ROOT
from tests.written_docs import DOCS, clauses, written
from tests.written_schemas import kinds

SCHEMAS = {kind.name: Draft202012Validator(kind.schema) for kind in kinds()}


def held(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


SHIPPED = [
    *(("game", path) for path in (ROOT / "games").glob("*.yaml")),
    *(("suite", path) for path in (ROOT / "extensions/sweeps/suites").glob("*.yaml")),
]
WRONG: list[tuple[str, Any]] = [
    ("game", {"name": "x", "agents": ["A", "B"], "actions": {}, "payofs": []}),
    ("suite", {"base": {"gaem": "escape_room"}}),
    ("suite", {"base": {}, "seeds": "0..9"}),
    ("contract", {"clauses": [{"kind": "do", "agnet": "Bob", "action": "lever"}]}),
    ("contract", {"clauses": [{"kind": "pay", "payer": "A", "payee": "B"}]}),
    ("config", {"sed": 3}),
    ("prices", {"m": {"input": 1}}),
]


@with_all_extensions
def test_what_is_made_from_the_code_is_not_stale() -> None:
    """If it is: python -m tests.written_docs."""
    made = written()
    stale = [path for path, text in made.items() if (DOCS / path).read_text("utf-8") != text]
    assert stale == []
    there = {path.relative_to(DOCS).as_posix() for path in (DOCS / "schemas").glob("*.json")}
    assert there == {path for path in made if path.startswith("schemas/") and path.count("/") == 1}


@pytest.mark.parametrize(("kind", "path"), SHIPPED, ids=lambda value: getattr(value, "name", value))
def test_what_comes_with_the_project_is_as_the_schemas_say(kind: str, path: Path) -> None:
    content = held(path)
    SCHEMAS[kind].validate(content)


@pytest.mark.parametrize(("kind", "content"), WRONG)
def test_a_schema_marks_what_would_be_refused(kind: str, content: Any) -> None:
    with pytest.raises(ValidationError):
        SCHEMAS[kind].validate(content)


def test_every_file_of_the_tutorial_and_the_stories_is_as_its_schema_says() -> None:
    told = "\n".join(path.read_text(encoding="utf-8") for path in PLAYED)
    files = dict(
        re.findall(r'^```yaml title="([\w.]+)"\n(.*?)^```$', told, re.DOTALL | re.MULTILINE)
    )
    kind_of = {"payoffs": "game", "clauses": "contract", "vary": "suite"}
    assert len(files) >= 5
    for name, text in files.items():
        content = yaml.safe_load(text)
        (kind,) = [kind for key, kind in kind_of.items() if key in content]
        SCHEMAS[kind].validate(content), name


def test_every_clause_of_the_reference_is_as_its_schema_says() -> None:
    SCHEMAS["contract"].validate({"clauses": clauses()})


def test_an_exact_payoff_in_words_is_marked_by_no_editor(tmp_path: Path) -> None:
    content = held(ROOT / "games" / "stag_hunt.yaml")
    content["payoffs"][0]["pays"][0] = "1/4"
    SCHEMAS["game"].validate(content)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert load(str(file)).params.payoffs[0].pays[0] == 0.25

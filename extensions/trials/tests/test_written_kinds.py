"""The schema of a tournament says what is read."""

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from extensions.trials.tests.written_kinds import kinds
from tests.written_docs import DOCS

SCHEMAS = {kind.name: Draft202012Validator(kind.schema) for kind in kinds()}
FOLDER = DOCS.parent / "extensions" / "trials" / "tournament"


def test_every_tournament_that_ships_is_as_the_schema_says() -> None:
    shipped = [*FOLDER.glob("*.yaml")]
    assert shipped
    for path in shipped:
        SCHEMAS["tournament"].validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "content",
    [
        {"seats": {"a": "embedded:greedy", "b": 7}, "games": {"g": {"game": "trade"}}},
        {"seats": {"a": "x:y", "b": "x:z"}, "games": {"g": {"grph": "llm_only"}}},
    ],
)
def test_the_schema_marks_what_would_be_refused(content: Any) -> None:
    assert not SCHEMAS["tournament"].is_valid(content)

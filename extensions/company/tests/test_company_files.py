"""What comes with the company is as the schemas say."""

from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from extensions.company.tests.written_kinds import kinds
from extensions.repository.tests.test_repository_patterns import (
    EVIL,
    LETTERS,
    UNBOUNDED,
)
from shapley_coop.extensions.company.task import Check, read_task
from shapley_coop.games import GameError
from shapley_coop.games.sandbox import CheckResult
from tests.root import ROOT
from tests.written_schemas import kinds as kinds_of_the_core

SCHEMAS = {
    kind.name: Draft202012Validator(kind.schema) for kind in (*kinds(), *kinds_of_the_core())
}
COMPANY = ROOT / "extensions" / "company"
SHIPPED = [
    ("suite", COMPANY / "company.yaml"),
    *(("task", path) for path in (COMPANY / "tasks").glob("*.yaml")),
]


@pytest.mark.parametrize(("kind", "path"), SHIPPED, ids=lambda value: getattr(value, "name", value))
def test_what_ships_is_as_its_schema_says(kind: str, path: Path) -> None:
    SCHEMAS[kind].validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_an_expression_that_would_take_hours_is_matched_at_once() -> None:
    told = CheckResult("ended", 0, LETTERS, "", sandboxed=True)
    assert not Check(command=["echo"], prints=EVIL).judge(told, 0)


@pytest.mark.parametrize("expression", UNBOUNDED)
def test_an_expression_that_cannot_be_bounded_is_refused_in_one_line(expression: str) -> None:
    with pytest.raises(GameError) as refused:
        read_task({"title": "t", "checks": [{"command": ["x"], "prints": expression}]})
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400

"""The schema of a market says what is read."""

import re

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from extensions.markets.tests.written_kinds import kinds
from shapley_coop.extensions.sweeps.suite import load_suite
from tests.written_docs import DOCS

SCHEMAS = {kind.name: Draft202012Validator(kind.schema) for kind in kinds()}


def test_the_markets_that_their_page_shows_are_as_their_schema_says() -> None:
    page = (DOCS / "trade.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(shown) == 2
    for market in shown:
        SCHEMAS["market"].validate(yaml.safe_load(market))


def test_the_schema_marks_a_misspelt_key() -> None:
    with pytest.raises(ValidationError):
        SCHEMAS["market"].validate({"agents": {"Ann": {"purs": 3}, "Ben": {}}})


def test_the_suite_of_markets_is_found_by_its_name() -> None:
    assert load_suite("markets").axes["market"]

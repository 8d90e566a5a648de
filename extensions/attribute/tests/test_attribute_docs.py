"""docs/attribute.md, step by step, with a stub model in place of the example's own."""

import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from extensions.attribute.tests.stub_chat import run_example
from extensions.attribute.tests.test_attribute_libraries import office
from shapley_coop.evals.prices import read_prices
from tests.root import ROOT

pytest.importorskip("langgraph_supervisor")

PAGE = (ROOT / "docs" / "attribute.md").read_text(encoding="utf-8")
STEPS = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)


def test_every_step_of_the_page_runs_and_prints_what_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    example = ModuleType("office")
    example.__dict__.update(run_example("langgraph-supervisor", office, monkeypatch))
    monkeypatch.setitem(sys.modules, "office", example)
    shared: dict[str, Any] = {"__name__": "page"}
    assert len(STEPS) == 6
    for code, expected in STEPS:
        with redirect_stdout(StringIO()) as printed:
            exec(compile(code, "docs/attribute.md", "exec"), shared)
        assert printed.getvalue() == expected


def test_the_price_file_of_the_page_is_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(PAGE.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    assert read_prices(path).lacking(["openai:gpt-5-mini", "ollama:x", "other:x"]) == ["other:x"]

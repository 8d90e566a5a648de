"""Every example in a docstring runs, and prints what stands below it."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from tests.house.test_imports import ALLOWED, PACKAGE
from tests.root import ROOT


def named(path: Path) -> str:
    """A file's module, under the one name that all are installed under."""
    inside = path.relative_to(ROOT / PACKAGE if (ROOT / PACKAGE) in path.parents else ROOT)
    found = ".".join([PACKAGE, *inside.with_suffix("").parts])
    return found.removesuffix(".__init__")


def has_examples(path: Path) -> bool:
    """Whether a file shows what can be run."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return any(">>> " in line and "+SKIP" not in line for line in lines)


MODULES = sorted(
    named(path)
    for room in (*ALLOWED, PACKAGE)
    for path in (ROOT / room).rglob("*.py")
    if has_examples(path)
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_print_what_it_says(module: str) -> None:
    tried = doctest.testmod(import_module(module))
    assert tried.attempted
    assert tried.failed == 0

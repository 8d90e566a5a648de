"""The tables of the page on serving are those of the code."""

import re
from dataclasses import fields

import pytest

from shapley_coop.extension import installed
from shapley_coop.extensions.server.serving.body_limit import most_bytes
from shapley_coop.extensions.tenants.authorization import OPERATORS
from shapley_coop.extensions.tenants.callers import AUDIENCE
from shapley_coop.extensions.tenants.configuration import ENDPOINTS, MODELS
from shapley_coop.extensions.tenants.limits import Limits
from tests.brought import with_all_extensions
from tests.root import ROOT

PAGE = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")


def rows(header: str) -> dict[str, list[str]]:
    """A table of the page: first cell → the others."""
    lines = PAGE.partition(f"\n{header}")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: others for first, *others in cells}


@with_all_extensions
def test_the_pages_tables_of_limits_and_of_callers_are_those_of_the_code() -> None:
    limits = {name.strip("`"): unless for name, (_, unless) in rows("| variable |").items()}
    assert limits.pop("COOP_MAX_BODY") == f"{most_bytes():,}"
    assert limits == {
        **{
            f"COOP_MAX_{field.name.upper()}": f"{field.default:,}".removesuffix(".0")
            for field in fields(Limits)
        },
        MODELS: "`*`",
    }
    doors = set(re.findall(r"`/([^`]+)`", rows("| caller | may use |")["an operator"][0]))
    of_extensions = {
        path.strip("/")
        for one in installed().values()
        for path, callers in one.callers.items()
        if callers == "operators"
    }
    assert doors == set(OPERATORS) | of_extensions


@pytest.mark.parametrize("variable", [AUDIENCE, ENDPOINTS])
def test_the_page_names_the_variables_of_tenants(variable: str) -> None:
    assert f"`{variable}`" in PAGE

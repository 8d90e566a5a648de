"""A pytest plug-in for tests of agents' values. A `conftest.py` enables it:

    pytest_plugins = ["shapley_coop.extensions.attribute.pytest_plugin"]

    def test_the_critic_earns_its_tokens(credit):
        assert credit(app, ["writer", "critic"], score, inputs)["critic"] > 0

Calls are kept in pytest's own cache, or in the file that pytest's setting `credit_cache` names. If
that file persists between runs, only changed calls are paid for.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.attribute import attribute
from shapley_coop.extensions.attribute.result import AppCredit

_MADE = pytest.StashKey[list[AppCredit]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting `credit_cache`: the file of cached calls."""
    parser.addini("credit_cache", "The file in which the fixture `credit` keeps calls.", "string")


@pytest.fixture(scope="session")
def credit(pytestconfig: pytest.Config) -> Callable[..., AppCredit]:
    """Return a function like `attribute`; `credit(app, …)["critic"]` is the critic's value."""
    kept, made = _cache(pytestconfig), pytestconfig.stash.setdefault(_MADE, [])

    def attributed(*given: Any, **settings: Any) -> AppCredit:
        made.append(attribute(*given, **({"cache": kept} | settings)))
        return made[-1]

    return attributed


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the number of calls that the tests made."""
    if found := config.stash.get(_MADE, []):
        new, saved = (sum(one.calls[how] for one in found) for how in ("made", "saved"))
        terminalreporter.write_line(f"credit: {new} agent calls made, {saved} saved by the cache")


def _cache(config: pytest.Config) -> Path | None:
    """Return the file of cached calls; None (the home's file) if pytest's cache is off."""
    if named := str(config.getini("credit_cache") or ""):
        return config.rootpath / named
    cache = config.cache if hasattr(config, "cache") else None
    return cache.mkdir("coop-credit") / "calls.sqlite" if cache else None

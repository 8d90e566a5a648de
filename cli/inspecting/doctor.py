"""`coop doctor`: check the installation on this machine."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING

from shapley_coop.cli.console import say
from shapley_coop.extras import missing_library

if TYPE_CHECKING:
    from packaging.requirements import Requirement

DISTRIBUTION = "shapley-coop"


@dataclass(frozen=True)
class Finding:
    """The outcome of one check of the installation."""

    mark: str  # "ok  ", "note" or "FAIL"
    what: str
    found: str


def doctor() -> None:
    """Check this machine's libraries, home, model keys and tools."""
    findings = checkup()
    for finding in findings:
        say(f"{finding.mark}  {finding.what}: {finding.found}")
    if any(finding.mark == "FAIL" for finding in findings):
        sys.exit(1)


def checkup() -> list[Finding]:
    """Return the findings about Python, libraries, home, model keys, tracing and optional tools."""
    return [_python(), *_libraries(), _home(), _keys(), _check_tracing(), *_tools()]


def _python() -> Finding:
    now = ".".join(str(part) for part in sys.version_info[:3])
    good = sys.version_info >= (3, 11)
    return Finding("ok  " if good else "FAIL", "Python", now if good else f"{now}; needs 3.11")


def _libraries() -> list[Finding]:
    """Return a finding for each missing or outdated library, or one finding if all are present."""
    from packaging.requirements import Requirement

    needed = [Requirement(line) for line in requires(DISTRIBUTION) or ()]
    found = [
        _library(one) for one in needed if not one.marker or one.marker.evaluate({"extra": ""})
    ]
    wrong = [finding for finding in found if finding.mark == "FAIL"]
    return wrong or [Finding("ok  ", "libraries", f"{len(found)} found, each new enough")]


def _library(needed: "Requirement") -> Finding:
    try:
        found = version(needed.name)
    except PackageNotFoundError:
        return Finding("FAIL", needed.name, f"not installed; needs {needed.specifier}: make setup")
    good = needed.specifier.contains(found, prereleases=True)
    return Finding("ok  " if good else "FAIL", needed.name, f"{found}; needs {needed.specifier}")


def _home() -> Finding:
    from shapley_coop.state.storage.databases import errors
    from shapley_coop.state.storage.home import home

    here = home()
    where = "the database of COOP_DATABASE_URL" if here.database else str(here.folder.resolve())
    try:
        count = len(here.list_runs())
    except errors(OSError) as error:
        return Finding("FAIL", "home", f"{where} cannot be used: {type(error).__name__}")
    if here.folder.exists() and here.folder.stat().st_mode & 0o077:
        open_to = f"{where}, {count} runs; others on this machine may look in: chmod 700"
        return Finding("note", "home", open_to)
    return Finding("ok  ", "home", f"{where}, {count} runs")


def _keys() -> Finding:
    from shapley_coop.seats.endpoint import KEYS

    found = [provider for provider, variable in KEYS.items() if os.environ.get(variable)]
    if found:
        return Finding("ok  ", "model keys", ", ".join(found))
    return Finding("note", "model keys", "none set; embedded agents need none")


def _check_tracing() -> Finding:
    from shapley_coop.seats.tracing import tracing

    return Finding(
        "ok  ", "LangSmith tracing", "on" if tracing() else "off (LANGSMITH_TRACING=true)"
    )


def _tools() -> Iterator[Finding]:
    wanted = {"git": "reading a history", "bwrap": "running untrusted code"}
    for tool, use in wanted.items():
        if shutil.which(tool):
            yield Finding("ok  ", tool, "found")
        else:
            yield Finding("note", tool, f"not found; needed for {use}")
    yield from _sandbox()
    try:
        yield Finding("ok  ", "langgraph dev", version("langgraph-api"))
    except PackageNotFoundError:
        yield Finding(
            "note", "langgraph dev", str(missing_library("coop dev", "langgraph_api", "dev"))
        )


def _sandbox() -> Iterator[Finding]:
    """Yield a finding about the sandbox for untrusted code, but none if bubblewrap is missing."""
    if not shutil.which("bwrap"):
        return
    from shapley_coop.games.sandbox import SandboxMissing, sandbox

    try:
        sandbox().require_sandbox()
    except SandboxMissing as missing:
        yield Finding("note", "sandbox", str(missing))
        return
    yield Finding("ok  ", "sandbox", sandbox().bounds())

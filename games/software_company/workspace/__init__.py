"""The workspace of a company: its files as a git repository, and the sandbox that runs them."""

from shapley_coop.games.software_company.workspace.groups import managed_by
from shapley_coop.games.software_company.workspace.sandbox import (
    PYTHON,
    SandboxMissing,
    require_sandbox,
    run_checks,
)
from shapley_coop.games.software_company.workspace.tree import (
    commits_of,
    materialise,
    mistake_in_path,
    written,
)
from shapley_coop.games.software_company.workspace.watch import CheckResult, Limits, Status

__all__ = [
    "PYTHON",
    "CheckResult",
    "Limits",
    "SandboxMissing",
    "Status",
    "commits_of",
    "managed_by",
    "materialise",
    "mistake_in_path",
    "require_sandbox",
    "run_checks",
    "written",
]

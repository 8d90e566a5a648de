"""A server whose callers shall be told apart does not start where nothing tells them apart."""

import subprocess
import sys
from pathlib import Path

import pytest

from shapley_coop import extension
from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, TOKENS, tenancy

_WITHOUT = """
import sys
from shapley_coop import extension

extension.offered = lambda kind: {}
import shapley_coop.extensions.server.MODULE
"""


def test_without_a_variable_there_are_no_tenants() -> None:
    assert tenancy() is None


@pytest.mark.parametrize("variable", [TOKENS, PUBLIC_KEY])
def test_an_absent_extension_is_refused(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "given")
    monkeypatch.setattr(extension, "offered", lambda _: {})
    with pytest.raises(ValueError, match=rf"{variable} is set, .* none is installed"):
        tenancy()


def test_two_of_which_either_might_be_asked_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKENS, "given")
    monkeypatch.setattr(extension, "offered", lambda _: dict.fromkeys(("a", "b")))
    with pytest.raises(ValueError, match=r"a, b are installed"):
        tenancy()


@pytest.mark.parametrize("module", ["auth", pytest.param("app", marks=pytest.mark.slow)])
def test_neither_the_app_nor_the_auth_of_the_server_is_loaded(module: str, tmp_path: Path) -> None:
    """LangGraph's server ends where one of them cannot be loaded."""
    tokens = tmp_path / "tokens.yaml"
    tokens.write_text("- {token: a-token-of-ann-0123456789, identity: ann, role: operator}\n")
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT.replace("MODULE", module)],
        env={TOKENS: str(tokens), "COOP_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode != 0
    assert f"ValueError: {TOKENS} is set" in ran.stderr

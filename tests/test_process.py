"""A command's process ends at once, after all that was to be done at its end."""

import subprocess
import sys

import pytest

ENDING = """
import atexit, sys
from shapley_coop.__main__ import process
atexit.register(print, "done at the end")
sys.argv = ["coop", *sys.argv[1:]]
process()
"""


def ended(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("word", "code"), [("--version", 0), ("no-such-command", 2)])
def test_it_keeps_its_exit_code_its_output_and_what_is_done_at_the_end(
    word: str, code: int
) -> None:
    done = ended("-c", ENDING, word)
    assert done.returncode == code
    assert done.stdout.endswith("done at the end\n")
    assert ("shapley-coop " in done.stdout) == (code == 0)
    assert ("No such command" in done.stderr) == (code == 2)


def test_a_profiler_is_let_finish() -> None:
    assert "function calls" in ended("-m", "cProfile", "-m", "shapley_coop", "--version").stdout

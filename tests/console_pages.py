"""Pages of the documentation whose terminal sessions are played, and written as they were played.

A page is Markdown. A block that begins with ```` ```yaml title="tug.yaml" ```` is a file of the
page's folder; a block ```` ```console ```` holds commands after `$ `, each with all that it printed
below it, standard output first. A command may be piped into a shell command, and one that is not
`coop` is the shell's. A page begins in an empty folder with a home of its own:

    python -m tests.console_pages          # plays every page and writes it anew

What differs from run to run is shown as `…`: hashes and ids, and the folder's own path.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shapley_coop.state.storage.home import Home
from tests.root import ROOT
from tests.warm_coop import Coop, users_coop

DOCS = ROOT / "docs"
PLAYED = (
    *sorted((DOCS / "tutorial").glob("*.md")),
    *sorted((DOCS / "stories").glob("*.md")),
)
"""The pages whose sessions are played."""

_FILE = re.compile(r'^```\w+ title="([\w./-]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^```(?:console|\w+ title=\"[\w./-]+\")\n.*?^```$", re.DOTALL | re.MULTILINE)
_VARYING = (
    (re.compile(r"\b[0-9a-f]{32,64}\b"), "…"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "…"),
)


def played(page: str, folder: Path) -> str:
    """The page with the output that its commands have now.

    Args:
        page: its Markdown.
        folder: an empty folder, in which its files are written and its commands run.
    """
    coop = users_coop(Home(folder / ".coop"), folder)

    def again(block: re.Match[str]) -> str:
        text = block.group()
        if named := _FILE.match(text):
            file = folder / named.group(1)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(named.group(2), encoding="utf-8")
            return text
        told = [line for command in commands(text) for line in _told(command, coop)]
        return "\n".join(["```console", *told, "```"])

    return _BLOCK.sub(again, page)


def commands(page: str) -> list[str]:
    """The commands of a page's sessions, in order."""
    lines = (line for block in _BLOCK.findall(page) for line in block.splitlines())
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def _told(command: str, coop: Coop) -> Iterator[str]:
    """The command, what it printed, and its exit code if that is not 0."""
    yield f"$ {command}"
    first, _, rest = command.partition(" | ")
    if first.startswith("coop "):
        ended = coop.run(*shlex.split(first)[1:])
        code, out, err = ended.code, ended.out, ended.err
    else:
        code, out, err = _shell(first, coop)
    if rest:
        _, out, more = _shell(rest, coop, out)
        err += more
    for line in (out + err).splitlines():
        yield _steady(line, coop.folder)
    if code:
        yield f"[exit code {code}]"


def _shell(command: str, coop: Coop, given: str = "") -> tuple[int, str, str]:
    """Run a shell command in the page's folder, with no settings of whoever runs this."""
    kept = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    kept |= {"HOME": str(coop.folder), "COOP_HOME": str(coop.home.folder), "LANG": "C.UTF-8"}
    kept |= {"GIT_CONFIG_NOSYSTEM": "1", "LANGSMITH_TRACING": "false", "TZ": "UTC"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=coop.folder,
        env=kept,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _steady(line: str, folder: Path) -> str:
    line = line.rstrip().replace(str(folder), "…")
    for pattern, instead in _VARYING:
        line = pattern.sub(instead, line)
    return line


def main() -> None:
    """Play the pages that are named, or all, and write each as it was played."""
    named = [Path(page).resolve() for page in sys.argv[1:]]
    for page in named or PLAYED:
        with tempfile.TemporaryDirectory() as folder:
            text = played(page.read_text(encoding="utf-8"), Path(folder))
        page.write_text(text, encoding="utf-8")
        print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()

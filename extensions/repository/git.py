"""Read access to an untrusted repository by running git with safe settings and limits."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from shapley_coop.extensions.repository.openable import never_ends

_CHUNK = 1 << 20

MEMORY = 1 << 30
"""The most bytes of address space of a git process, since small packs can expand to any size."""

_SECONDS = 1800
"""The most CPU seconds of a git process."""

LARGEST_RECORD, LARGEST_OUTPUT = 256 << 20, 8 << 30
"""The most bytes that git may print: between two NUL bytes, and in all."""

_OVERRIDES = {
    # No setting of the repository may start a program.
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "diff.external": "",
    "log.showSignature": "false",
    "protocol.allow": "never",
    # Read only commits: no working tree, no attributes file of the user, no index of commits.
    "core.bare": "true",
    "core.attributesFile": os.devnull,
    "core.commitGraph": "false",
    "core.multiPackIndex": "false",
    # No setting may raise git's memory. Git does not compare files above `bigFileThreshold`.
    "core.bigFileThreshold": "16m",
    "core.packedGitWindowSize": "32m",
    "core.packedGitLimit": "256m",
    "core.deltaBaseCacheLimit": "96m",
    "pack.threads": "1",
    "pack.packSizeLimit": "0",
    "core.quotePath": "true",
    "log.showRoot": "true",
    "mailmap.file": "",
}


class RepositoryError(ValueError):
    """The error that a repository cannot be read; the message is one line with the reason."""


@dataclass(frozen=True)
class Repository:
    """A repository's git directory; git is run on a repository only by this class.

    Git always reads the repository's own configuration. So every setting that runs programs or
    rewrites history is overridden: hooks, pager, external diffs and text conversion, fsmonitor,
    signature programs, fetching of missing objects, replaced objects and grafts. Arguments are
    passed as a list, which no shell parses.
    """

    path: Path
    git_dir: Path
    own: bool = False  # whether this is our temporary copy, whose objects we may replace

    @classmethod
    def at(cls, path: str | Path) -> "Repository":
        """Return the repository of a working tree, a folder within one, or a bare repository.

        Raises:
            RepositoryError: there is no repository, another user owns it, or git is not installed.
        """
        folder = Path(path)
        if not folder.is_dir():
            raise RepositoryError(f"{path}: no such folder; give a git repository")
        if waiting := never_ends(folder):
            raise RepositoryError(
                f"{path}: {waiting} is not a regular file, and git would wait for it: delete it"
            )
        # The user's configuration is read here: its `safe.directory` lists the trusted folders.
        env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"LC_ALL": "C"}
        found = _run(["git", "rev-parse", "--absolute-git-dir"], env, folder)
        if found.returncode:
            complaint = found.stderr.decode("utf-8", "replace")
            if "dubious ownership" in complaint:
                raise RepositoryError(
                    f"{path}: belongs to another user, so git refuses to read it; if you trust "
                    f"it: git config --global --add safe.directory {folder.resolve()}"
                )
            raise RepositoryError(f"{path}: is not a git repository: {_last_line(complaint)}")
        return cls(folder, Path(os.fsdecode(found.stdout.rstrip(b"\n"))))

    def command(self, *args: str, mailmap: str = "") -> list[str]:
        """Return the argument list that runs git on this repository."""
        options = {**_OVERRIDES, "mailmap.blob": mailmap}
        settings = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        return ["git", f"--git-dir={self.git_dir}", "--no-pager", *settings, *args]

    def output(self, *args: str, stdin: bytes = b"", mailmap: str = "") -> bytes:
        """Return the output of git.

        Raises:
            RepositoryError: git fails.
        """
        done = _run(self.command(*args, mailmap=mailmap), self._environment(), None, stdin)
        if done.returncode:
            raise self.failed(args, done.stderr)
        return done.stdout

    def text(self, *args: str) -> str:
        """Return the output of git as text, without the last line ends."""
        return self.output(*args).decode("utf-8", "replace").rstrip("\n")

    def records(self, *args: str, mailmap: str = "") -> Iterator[bytes]:
        """Yield the parts of git's output between NUL bytes, as soon as git has printed them.

        Raises:
            RepositoryError: git fails, or prints more than the limits allow.
        """
        with self._running(args, b"", mailmap) as stdout:
            try:
                yield from _between_nuls(stdout)
            except OverflowError:
                raise RepositoryError(
                    f"{self.path}: the output of git {args[0]} is too large: at most "
                    f"{LARGEST_RECORD >> 20} MB for one commit, {LARGEST_OUTPUT >> 30} GB in all; "
                    "settle a --range without it"
                ) from None

    def blobs(self, hashes: Sequence[str], largest: int) -> Iterator[bytes | None]:
        """Yield the content of each object in order; None for objects above `largest` bytes.

        Raises:
            RepositoryError: an object is missing, is broken, or is not a file's content.
        """
        with self._running(("cat-file", "--batch"), "\n".join(hashes).encode(), "") as stdout:
            for wanted in hashes:
                header = stdout.readline().split()
                if len(header) != 3 or header[1] != b"blob":
                    raise RepositoryError(f"{self.path}: object {wanted} is missing or broken")
                size = int(header[2])
                content = stdout.read(size) if size <= largest else None
                while content is None and size:
                    size -= len(stdout.read(min(size, _CHUNK)))
                yield content
                stdout.read(1)

    @contextmanager
    def _running(self, args: Sequence[str], stdin: bytes, mailmap: str) -> Iterator[IO[bytes]]:
        """Run git, yield its output stream, and check its exit code when the `with` block ends."""
        with TemporaryFile() as given, TemporaryFile() as complaints:
            given.write(stdin)
            given.seek(0)
            command = self.command(*args, mailmap=mailmap)
            pipe = subprocess.PIPE
            env = self._environment()
            with limited(command, env, stdin=given, stdout=pipe, stderr=complaints) as git:
                assert git.stdout is not None, "it was opened as a pipe"
                try:
                    yield git.stdout
                except BaseException:
                    git.kill()
                    raise
            if git.returncode:
                complaints.seek(0)
                raise self.failed(args, complaints.read())

    def _environment(self) -> dict[str, str]:
        env = clean_environment()
        if self.own:
            del env["GIT_NO_REPLACE_OBJECTS"]
        return env

    def failed(self, args: Sequence[str], stderr: bytes) -> RepositoryError:
        """Return an error with the reason of git's failure in one line."""
        complaint = stderr.decode("utf-8", "replace")
        reason = _last_line(complaint)
        if any(words in complaint.casefold() for words in _NO_MEMORY):
            reason = f"it takes more than {MEMORY >> 20} MB of memory; settle a --range without it"
        return RepositoryError(f"{self.path}: git {args[0]} failed: {reason}")


_NO_MEMORY = ("out of memory", "memory exhausted", "mmap failed", "cannot allocate memory")


@contextmanager
def limited(
    command: Sequence[str],
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    **streams: Any,
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run git with limits on memory and CPU, by default in the clean environment.

    Raises:
        RepositoryError: git is not installed.
    """
    env = clean_environment() if env is None else env
    program, *arguments = command
    if (found := shutil.which(program, path=env.get("PATH"))) is None:
        raise RepositoryError("git is not installed: install it to read a history")
    bounded = ("/bin/sh", "-c", _bounds(), "sh", found, *arguments)
    with subprocess.Popen(bounded, env=env, cwd=cwd, **streams) as process:
        yield process


def _bounds() -> str:
    """Return a shell script that sets the limits that the system supports, and then executes git.

    Limits that are set after git has started could come too late. A `preexec_fn` would be slow: the
    system would copy this process's page tables for each run of git.
    """
    return f'ulimit -v {MEMORY >> 10} 2>/dev/null; ulimit -t {_SECONDS} 2>/dev/null; exec "$@"'


def clean_environment() -> dict[str, str]:
    """Return git's environment, which allows no user configuration, no network and no prompt."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _run(
    command: Sequence[str], env: dict[str, str], cwd: Path | None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    pipe = subprocess.PIPE
    with limited(command, env, cwd, stdin=pipe, stdout=pipe, stderr=pipe) as git:
        stdout, stderr = git.communicate(stdin)
    return subprocess.CompletedProcess(command, git.returncode, stdout, stderr)


def _between_nuls(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the parts of a stream between NUL bytes; raise OverflowError beyond the limits."""
    parts: list[bytes] = []
    held = total = 0
    while chunk := stream.read(_CHUNK):
        first, *others = chunk.split(b"\0")
        parts.append(first)
        held, total = held + len(first), total + len(chunk)
        if held > LARGEST_RECORD or total > LARGEST_OUTPUT:
            raise OverflowError
        for other in others:
            yield b"".join(parts)
            parts, held = [other], len(other)
    if last := b"".join(parts):
        yield last


def _last_line(complaint: str) -> str:
    lines = [line for line in complaint.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it did not say why"

"""Watching a process: a clock, a cap on what it prints, and an end to all of it."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

_CHUNK = 64 << 10
_GRACE = 10.0
"""Seconds that the kernel may take to end everything in a sandbox, on a busy machine."""

_TICK = 0.01
"""Seconds between looks at whether the process has ended, while it says nothing."""

Status = Literal["ended", "timeout", "flood"]


@dataclass(frozen=True)
class Limits:
    """What a command may use; sizes in bytes."""

    seconds: int = 10  # of the clock, and of CPU for each process
    memory: int = 512 << 20  # of address space, for each process
    processes: int = 32
    open_files: int = 256
    file: int = 16 << 20  # the largest file that can be written
    disk: int = 64 << 20  # workspace and /tmp, each
    output: int = 64 << 10  # of stdout and of stderr, each


@dataclass(frozen=True)
class CheckResult:
    """What came of a command.

    Attributes:
        status: "ended" by itself, or was ended: for "timeout", or a "flood" of output.
        code: the exit code, 128 + n after signal n; None if it was ended.
        stdout: what it printed, no more than the limit.
        stderr: what it complained, likewise.
        sandboxed: whether it ran in a sandbox.
    """

    status: Status
    code: int | None
    stdout: str
    stderr: str
    sandboxed: bool

    @property
    def passed(self) -> bool:
        """Whether it ended by itself, with exit code 0."""
        return self.status == "ended" and self.code == 0


def watch(
    command: Sequence[str], env: Mapping[str, str], limits: Limits, *, sealed: bool
) -> CheckResult:
    """Run a command to its end, or end it and all of its process group.

    Args:
        command: program and arguments; no shell.
        env: its whole environment.
        limits: after so many seconds, or more bytes on a stream, it is ended.
        sealed: whether all that it started ends with it: then that is waited for.
    """
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=null, stdout=pipe, stderr=pipe, env=dict(env), start_new_session=True
    ) as process:
        try:
            status, streams = _follow(process, limits)
        finally:
            _end(process)
            if sealed:
                _await_silence(process)
        code = process.wait()
    stdout, stderr = (bytes(stream).decode("utf-8", "replace") for stream in streams)
    known = (code if code >= 0 else 128 - code) if status == "ended" else None
    return CheckResult(status, known, stdout, stderr, sandboxed=sealed)


def _follow(process: "subprocess.Popen[bytes]", limits: Limits) -> tuple[Status, list[bytearray]]:
    """Read both streams until the process ends, or breaks its limits."""
    deadline = time.monotonic() + limits.seconds
    streams = [bytearray(), bytearray()]
    with selectors.DefaultSelector() as selector:
        for pipe, stream in zip((process.stdout, process.stderr), streams, strict=True):
            assert pipe is not None, "it was opened as a pipe"
            selector.register(pipe, selectors.EVENT_READ, stream)
        while time.monotonic() < deadline:
            ended = _has_ended(process)
            ready = selector.select(0 if ended else _TICK) if selector.get_map() else []
            if ended and not ready:
                return "ended", streams  # whoever still holds a stream open is not the process
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                key.data.extend(chunk)
                if len(key.data) > limits.output:
                    del key.data[limits.output :]
                    return "flood", streams
            if not ready and not selector.get_map():
                time.sleep(_TICK)  # it closed its streams and goes on
    return "timeout", streams


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Without reaping it: until then no other process gets its number or its group's."""
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, look) is not None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the whole group, the process itself and what it left behind."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # nothing is left of it


def _await_silence(process: "subprocess.Popen[bytes]") -> None:
    """Wait until no process holds the streams open: then all have ended."""
    deadline = time.monotonic() + _GRACE
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None, "it was opened as a pipe"
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if not os.read(key.fd, _CHUNK):
                    selector.unregister(key.fileobj)

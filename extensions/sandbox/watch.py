"""The function that runs a command, limits its time and output, and kills its process group."""

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from shapley_coop.games.sandbox import CheckResult, Limits, Status

_CHUNK = 64 << 10
_GRACE = 10.0
"""The longest wait in seconds until the kernel has ended all processes in a sandbox."""

_TICK = 0.01
"""Seconds between two checks whether a silent process has ended."""


class NotStarted(RuntimeError):
    """The error if a command could not be started; its text is the system's reason."""


def watch(
    command: Sequence[str],
    env: Mapping[str, str],
    limits: Limits,
    *,
    sealed: bool,
    inherit: tuple[int, ...] = (),
) -> CheckResult:
    """Run a command under `inside` to its end or its limits, then kill its process group.

    Args:
        command: program and arguments, without a shell. The number of the report's descriptor is
            appended as the last argument.
        env: the command's whole environment.
        limits: the limits; this function checks only the limits on time and on output.
        sealed: whether all processes that `command` started end with it; if so, await their end.
        inherit: file descriptors that the command inherits.

    Raises:
        NotStarted: the command could not be started.
    """
    reader, writer = os.pipe()
    with open(reader, "rb") as report:
        try:
            process = _started([*command, str(writer)], env, (*inherit, writer))
        finally:
            os.close(writer)
        with process:
            try:
                status, streams = _follow(process, limits)
            finally:
                _end(process)
                if sealed:
                    _await_silence(process)
        said = _reported(report)
    stdout, stderr = (bytes(stream).decode("utf-8", "replace") for stream in streams)
    outcome, code = (status, None) if status != "ended" else _outcome(said, stderr)
    return CheckResult(outcome, code, stdout, stderr, sandboxed=sealed)


def _outcome(said: Mapping[str, Any], stderr: str) -> tuple[Status, int | None]:
    """Return the status and exit code of a command that ended, from the report of `inside`."""
    if "refused" in said or "started" not in said:
        raise NotStarted(said.get("refused") or " ".join(stderr.split()) or "it did not say why")
    return ("ended" if "ended" in said else said.get("over", "killed")), said.get("ended")


def _started(
    command: Sequence[str], env: Mapping[str, str], inherit: tuple[int, ...]
) -> "subprocess.Popen[bytes]":
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(
        command,
        stdin=null,
        stdout=pipe,
        stderr=pipe,
        env=dict(env),
        start_new_session=True,
        pass_fds=inherit,
    )


def _reported(report: BinaryIO) -> dict[str, Any]:
    """Return the report that `inside` wrote; the program cannot write into this report."""
    os.set_blocking(report.fileno(), False)  # a process may still hold the pipe: do not wait for it
    lines = (report.read() or b"").splitlines()
    return {key: value for line in lines for key, value in json.loads(line).items()}


def _follow(process: "subprocess.Popen[bytes]", limits: Limits) -> tuple[Status, list[bytearray]]:
    """Read both streams until the process ends or exceeds its time or output limit."""
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
                return "ended", streams  # only a descendant still holds a stream open
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                key.data.extend(chunk)
                if len(key.data) > limits.output:
                    del key.data[limits.output :]
                    return "flood", streams
            if not ready and not selector.get_map():
                time.sleep(_TICK)  # the process closed its streams but still runs
    return "timeout", streams


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a process has ended, without reaping it, so that its id is not reused."""
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, look) is not None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill the whole group: the process and its remaining descendants."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # no process of the group is left


def _await_silence(process: "subprocess.Popen[bytes]") -> None:
    """Wait at most `_GRACE` seconds until all processes that hold the streams open have ended."""
    deadline = time.monotonic() + _GRACE
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None, "it was opened as a pipe"
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if not os.read(key.fd, _CHUNK):
                    selector.unregister(key.fileobj)

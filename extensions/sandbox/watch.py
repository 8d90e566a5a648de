"""Watching a process: a clock, a cap on what it prints, and an end to all of it."""

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
"""Seconds that the kernel may take to end everything in a sandbox, on a busy machine."""

_TICK = 0.01
"""Seconds between looks at whether the process has ended, while it says nothing."""


class NotStarted(RuntimeError):
    """The command was not started; says why, as the system said it."""


def watch(
    command: Sequence[str],
    env: Mapping[str, str],
    limits: Limits,
    *,
    sealed: bool,
    inherit: tuple[int, ...] = (),
) -> CheckResult:
    """Run a command under `inside` to its end, or end it and all of its process group.

    Args:
        command: program and arguments; no shell. The number of the descriptor to report on is
            added as the last.
        env: its whole environment.
        limits: after so many seconds, or more bytes on a stream, it is ended.
        sealed: whether all that it started ends with it: then that is waited for.
        inherit: descriptors that the command needs.

    Raises:
        NotStarted: it could not be set up.
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
    """Return how a command ended by itself, and its exit code, from what `inside` reported."""
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
    """Return what `inside` reported; nothing of it is the program's word: it cannot write there."""
    os.set_blocking(report.fileno(), False)  # whoever might still hold it open is not waited for
    lines = (report.read() or b"").splitlines()
    return {key: value for line in lines for key, value in json.loads(line).items()}


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
